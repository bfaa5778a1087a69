/** The client against a server that fails in the ways networks and servers do. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Client, type ClientOptions, openClient, RefusedError, UnreachableError } from "./client.ts";
import { HeddleError } from "./errors.ts";
import { routes, unkeptWrites, writes } from "./gen/calls.ts";
import { awayOnce, drop, half, json, type PlannedServer, startPlannedServer } from "./planned-server.fixture.ts";

let server: PlannedServer;
let waits: number[] = [];

beforeEach(async () => {
  waits = [];
  server = await startPlannedServer();
});
afterEach(() => server.close().catch(() => {}));

/** Its clock moves by what it waits, at once. */
function open(options: Partial<ClientOptions> = {}): Client {
  let now = 1_000_000;
  let keys = 0;
  return openClient({
    url: server.url,
    key: "a-key",
    ...options,
    world: {
      now: () => now,
      monotonic: () => now,
      newKey: () => `key-${keys++}`,
      random: () => 0,
      wait: (ms) => {
        waits.push(ms);
        now += ms;
        return Promise.resolve();
      },
    },
  });
}

const body = { attributes: [{ external_id: "ann" }] };

test("call() sends the body with key and Idempotency-Key, and gives the answer", async () => {
  server.steps = [json(201, { attributes_processed: 1, message: "success" }, { "idempotency-replayed": "true" })];
  const answer = await open().call("trackUsers", { body });
  expect(answer).toMatchObject({ status: 201, replayed: true, body: { attributes_processed: 1 } });
  expect(server.seen).toMatchObject([{
    method: "POST",
    url: "/users/track",
    headers: { authorization: "Bearer a-key", "content-type": "application/json", "idempotency-key": "key-0" },
    body: JSON.stringify(body),
  }]);
});

test("call() repeats a write with the same key until it is answered, whatever fails", async () => {
  server.steps = [
    drop,
    half,
    json(500, {}),
    json(503, { message: "later" }, { "retry-after": "7" }),
    json(429, {}, { "x-ratelimit-retry-after": "2" }),
  ];
  expect((await open().call("trackUsers", { body })).status).toBe(201);
  expect(server.seen.map(({ headers }) => headers["idempotency-key"])).toEqual(Array.from({ length: 6 }, () => "key-0"));
  expect(waits).toEqual([250, 500, 1_000, 7_000, 2_000]);
});

test.each([
  ["is lost", drop],
  ["is cut off", half],
  ["is a fault", json(500, {})],
  ["says that the outcome is unknown", json(503, {}, { "x-heddle-reason": "OUTCOME_UNKNOWN", "retry-after": "1" })],
  ["is of something in between", json(503, {}, { "retry-after": "1" })],
])("call() sends a write that has no key once where the answer %s, and says that it may have been done", async (_, step) => {
  server.steps = [step];
  const error = await open().call("createKey", { body: { name: "k", permissions: ["*"] } }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(HeddleError);
  expect(error instanceof UnreachableError || (error as RefusedError).mayBeDone).toBe(true);
  expect([server.seen.length, server.seen[0]?.headers["idempotency-key"], waits]).toEqual([1, undefined, []]);
});

test("call() repeats a write that has no key where nothing was done", async () => {
  const refusals = [[429, "RATE_LIMITED"], [503, "OVERLOADED"], [503, "SHUTTING_DOWN"], [503, "SERVICE_UNAVAILABLE"]] as const;
  server.steps = refusals.map(([status, reason]) => json(status, {}, { "x-heddle-reason": reason, "retry-after": "1" }));
  expect((await open().call("rotateKey", { body: { id: "k" } })).status).toBe(201);
  expect(waits).toEqual([1_000, 1_000, 1_000, 1_000]);
});

test("call() repeats a write that has no key, and takes nothing for deleted, where nobody listened", async () => {
  server.steps = [json(201, { api_key: "k" }), json(404, { detail: "no such user" }, { "x-heddle-reason": "NOT_FOUND" })];
  expect((await open({ fetch: awayOnce() }).call("createKey", { body: { name: "k", permissions: ["*"] } })).status).toBe(201);
  const removing = open({ fetch: awayOnce() }).call("deleteDashboardUser", { path: { id: "d" } });
  await expect(removing).rejects.toMatchObject({ name: "NotFoundError", mayBeDone: false });
  expect([server.seen.length, waits]).toEqual([2, [250, 250]]);
});

test("call() takes a deletion for done where its repeat finds nothing, and only then", async () => {
  const gone = json(404, { detail: "no such user" }, { "x-heddle-reason": "NOT_FOUND" });
  const remove = () => open().call("deleteDashboardUser", { path: { id: "d" } });
  server.steps = [drop, gone];
  expect(await remove()).toMatchObject({ status: 404, body: undefined });
  for (const first of [[], [json(429, {})], [json(503, {}, { "x-heddle-reason": "SERVICE_UNAVAILABLE" })]]) {
    server.steps = [...first, gone];
    await expect(remove()).rejects.toMatchObject({ name: "NotFoundError" });
  }
  server.steps = [drop, json(404, {}, { "x-heddle-reason": "ROUTE_UNKNOWN" })];
  await expect(remove()).rejects.toMatchObject({ name: "NotFoundError" });
  server.steps = [drop, gone];
  await expect(open().call("getDashboardUser", { path: { id: "d" } })).rejects.toMatchObject({ name: "NotFoundError" });
});

test("call() waits until the date that Retry-After names", async () => {
  server.steps = [json(503, {}, { "retry-after": new Date(1_005_000).toUTCString() })];
  await open().call("trackUsers", { body });
  expect(waits).toEqual([5_000]);
});

test("call() waits also where Retry-After names no time that is still to come", async () => {
  server.steps = ["0", new Date(990_000).toUTCString()].map((retryAfter) => json(503, {}, { "retry-after": retryAfter }));
  await open().call("trackUsers", { body });
  expect(waits).toEqual([250, 500]);
});

test("call() gives another call another key, and takes one that is given", async () => {
  const client = open();
  await client.call("trackUsers", { body });
  await client.call("trackUsers", { body });
  await client.call("trackUsers", { body }, { idempotencyKey: "mine" });
  expect(server.seen.map(({ headers }) => headers["idempotency-key"])).toEqual(["key-0", "key-1", "mine"]);
});

test.each([
  [400, "InvalidRequestError"],
  [401, "AuthenticationError"],
  [403, "PermissionError"],
  [404, "NotFoundError"],
  [409, "ConflictError"],
  [413, "InvalidRequestError"],
  [422, "InvalidRequestError"],
  [501, "ServerError"],
])("call() refuses %i at once, as %s", async (status, name) => {
  const errors = [{ type: "bad", input_array: "events", index: 0 }];
  server.steps = [json(status, { message: "no", errors }, { "x-heddle-reason": "INPUT_INVALID", "x-request-id": "r-1" })];
  const error = await open().call("trackUsers", { body }).catch((reason: unknown) => reason as RefusedError);
  expect(error).toBeInstanceOf(RefusedError);
  expect(error).toMatchObject({ name, status, reason: "INPUT_INVALID", message: "no", errors, entries: errors, requestId: "r-1" });
  expect([server.seen.length, waits]).toEqual([1, []]);
});

test.each([[500, undefined, true], [503, "OVERLOADED", false], [429, "RATE_LIMITED", false], [501, "NOT_IMPLEMENTED", false]] as const)(
  "call() whose last answer is %i %s says whether it may have been done: %s",
  async (status, reason, mayBeDone) => {
    server.steps = [json(status, {}, reason === undefined ? {} : { "x-heddle-reason": reason })];
    await expect(open({ deadlineMs: 0 }).call("trackUsers", { body })).rejects.toMatchObject({ status, mayBeDone });
  },
);

test("call() gives up at its deadline with the last failure, and tells of each wait", async () => {
  server.steps = Array.from({ length: 100 }, () => json(503, { message: "later" }));
  const told: string[] = [];
  const client = open({ deadlineMs: 2_000, onRetry: (error, waitMs) => told.push(`${error.message} ${waitMs}`) });
  await expect(client.call("trackUsers", { body })).rejects.toMatchObject({ status: 503 });
  expect(told).toEqual(["later 250", "later 500", "later 1000"]);
});

test("call() goes on where onRetry throws", async () => {
  const complaints = vi.spyOn(console, "error").mockImplementation(() => {});
  server.steps = [json(503, {})];
  const client = open({
    onRetry() {
      throw new Error("mine");
    },
  });
  expect((await client.call("trackUsers", { body })).status).toBe(201);
  expect(complaints).toHaveBeenCalledOnce();
  complaints.mockRestore();
});

test("call() is not at its deadline because the machine's clock is set", async () => {
  let time = 1_000_000;
  const world = { now: () => (time += 3_600_000), wait: () => Promise.resolve() };
  server.steps = [json(503, {})];
  expect((await openClient({ url: server.url, world }).call("trackUsers", { body })).status).toBe(201);
});

test("call() says that nobody answers", async () => {
  await server.close();
  await expect(open({ deadlineMs: 0 }).call("isAlive", {})).rejects.toThrow(`${server.url} does not answer (ECONNREFUSED)`);
});

test("call() ends an attempt that takes too long, and tries again", async () => {
  server.steps = [() => {}];
  const answer = await open({ attemptMs: 100 }).call("trackUsers", { body });
  expect([answer.status, server.seen.length]).toEqual([201, 2]);
});

test("call() stops with the reason of its signal, and never follows a redirect with the key", async () => {
  const aborted = AbortSignal.abort(new Error("enough"));
  await expect(open().call("trackUsers", { body }, { signal: aborted })).rejects.toThrow("enough");
  server.steps = [(response) => response.writeHead(307, { location: "/elsewhere" }).end()];
  await expect(open().call("trackUsers", { body })).rejects.toMatchObject({ status: 307 });
  expect(server.seen.map((each) => each.url)).toEqual(["/users/track"]);
});

test("call() lets a read see the client's last write", async () => {
  const client = open();
  server.steps = [json(201, { message: "success" }, { "x-heddle-position": "p-1" }), json(200, { users: [] }), json(200, { users: [] })];
  await client.call("trackUsers", { body });
  await client.call("exportUsers", { body: { external_ids: ["ann"] } });
  await client.call("exportUsers", { body: {} }, { position: "p-0" });
  expect(server.seen.map(({ headers }) => headers["x-heddle-position"])).toEqual([undefined, "p-1", "p-0"]);
  expect(server.seen[1]?.headers["idempotency-key"]).toBeUndefined();
});

test("call() tells once that the log has lost the client's last write, and reads on without it", async () => {
  const client = open();
  const lost = json(400, { message: "of an earlier epoch" }, { "x-heddle-reason": "POSITION_INVALID" });
  const export_ = (position?: string) =>
    client.call("exportUsers", { body: { external_ids: ["ann"] } }, position === undefined ? {} : { position });
  server.steps = [json(201, {}, { "x-heddle-position": "p-1" }), lost];
  await client.call("trackUsers", { body });
  await expect(export_("mine")).rejects.toMatchObject({ reason: "POSITION_INVALID" });
  server.steps = [lost, json(200, { users: [] })];
  await expect(export_()).rejects.toMatchObject({ reason: "POSITION_INVALID" });
  expect((await export_()).status).toBe(200);
  expect(server.seen.map(({ headers }) => headers["x-heddle-position"])).toEqual([undefined, "mine", "p-1", undefined]);
});

test("call() writes path and query as the API reads them", async () => {
  const client = open();
  await client.call("getMergeStatus", { path: { id: "a/b c" } });
  await client.call("getGroupStatus", { query: { subscription_group_id: "g", external_id: ["a&b", "c"], email: "x+y@example.com" } });
  expect(server.seen.map((each) => each.url)).toEqual([
    "/users/merge/status/a%2Fb%20c",
    "/subscription/status/get?subscription_group_id=g&external_id=a%26b&external_id=c&email=x%2By%40example.com",
  ]);
});

test.each(["", ".", ".."])("call() asks for no other route where what stands in the path is %j", async (id) => {
  const client = open();
  await expect(client.call("getPreferenceCenterUrl", { path: { id: "p", userID: id } } as never)).rejects
    .toThrow(TypeError);
  await expect(client.call("getDashboardUser", { path: { id } })).rejects.toThrow(`getDashboardUser cannot be called with the id "${id}"`);
  await expect(client.call("getDashboardUser", { path: {} } as never)).rejects.toThrow(TypeError);
  expect(server.seen).toEqual([]);
});

test("call() answers a read whose version the caller has with 304 and no body", async () => {
  server.steps = [(response) => response.writeHead(304, { etag: '"v"' }).end()];
  const answer = await open().call("getDashboardUser", { path: { id: "d" }, headers: { "If-None-Match": '"v"' } });
  expect(answer).toMatchObject({ status: 304, body: undefined });
});

test("call() tells a read that has not seen every earlier write", async () => {
  const client = open();
  server.steps = [json(200, {}, { "x-heddle-read": "behind" }), json(200, {})];
  expect((await client.call("exportUsers", { body: {} })).behind).toBe(true);
  expect((await client.call("exportUsers", { body: {} })).behind).toBe(false);
});

test("call() calls fetch as workers and browsers want it: of nothing", async () => {
  const client = openClient({
    url: server.url,
    fetch(this: unknown, url, init) {
      if (this !== undefined) throw new TypeError("Illegal invocation");
      return fetch(url, init);
    },
  });
  expect((await client.call("trackUsers", { body }, { deadlineMs: 0 })).status).toBe(201);
});

test("call() sends the body's text as it is, and gives an answer that is no JSON as text", async () => {
  server.steps = [(response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>")];
  const answer = await open().call("trackUsers", { body: {} }, { bodyText: '{ "attributes": [] }' });
  expect([server.seen[0]?.body, answer.body]).toEqual(['{ "attributes": [] }', "<p>"]);
});

test("routes and writes name every call", () => {
  expect(Object.keys(routes)).toContain("trackUsers");
  expect([...writes, ...unkeptWrites].filter((name) => !(name in routes))).toEqual([]);
  expect([...unkeptWrites].filter((name) => writes.has(name))).toEqual([]);
  const searches = (Object.keys(routes) as (keyof typeof routes)[]).filter((name) => routes[name].endsWith("/.search"));
  expect([searches.length, searches.filter((name) => writes.has(name))]).toEqual([2, []]);
  expect(new UnreachableError("http://x", new Error("y")).message).toBe("http://x does not answer (y)");
});
