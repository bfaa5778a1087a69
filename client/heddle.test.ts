/** `new Heddle({ key })`: its methods, and its queue against a server that limits, is slow, drops connections, says no, and is gone. */
import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { positionToToken } from "../platform/intake/position.ts";
import { batchLimits, type TrackBody } from "./gen/calls.ts";
import {
  AuthenticationError,
  Heddle,
  type HeddleOptions,
  InvalidRequestError,
  isRefused,
  type Loss,
  TimeoutError,
  UnreachableError,
} from "./index.ts";
import { drop, half, json, type PlannedServer, startPlannedServer } from "./planned-server.fixture.ts";

let server: PlannedServer;
let losses: Loss[] = [];
beforeEach(async () => {
  losses = [];
  server = await startPlannedServer();
});
afterEach(() => server.close().catch(() => {}));

/** Waits between attempts are over at once. */
function open({ queue, ...options }: Partial<HeddleOptions> = {}): Heddle {
  let keys = 0;
  return new Heddle({
    url: server.url,
    key: "a-key",
    queue: { onLoss: (loss) => losses.push(loss), ...queue },
    world: { newKey: () => `key-${keys++}`, wait: (_, signal) => Promise.resolve(signal?.throwIfAborted()) },
    ...options,
  });
}

function events(from: number, to: number): TrackBody {
  return {
    events: Array.from({ length: to - from }, (_, at) => ({ external_id: `u-${from + at}`, name: "e", time: "2026-01-01T00:00:00Z" })),
  };
}

function bodies(): TrackBody[] {
  return server.seen.map(({ body }) => JSON.parse(body) as TrackBody);
}

/** Of the events of all requests that were answered with a success. */
function sentIds(): unknown[] {
  return bodies().flatMap((body) => body.events ?? []).map((event) => event.external_id);
}

test("a method takes body, path and query as one object and gives the answer's body", async () => {
  const heddle = open();
  server.steps = [
    json(201, { attributes_processed: 1, message: "success" }),
    json(200, { job_id: "j", message: "success" }),
    json(200, {}),
  ];
  expect(await heddle.trackUsers({ attributes: [{ external_id: "ann" }] })).toEqual({ attributes_processed: 1, message: "success" });
  expect(await heddle.getMergeStatus({ id: "a/b" })).toMatchObject({ job_id: "j" });
  await heddle.getUserGroups({ external_id: ["ann", "ben"], limit: 5 });
  await heddle.updatePreferenceCenter({ id: "c-1", preference_center_title: "Two" } as never);
  await heddle.getDashboardUser({ id: "d" }, { query: {}, headers: { "If-None-Match": "x" } } as never);
  expect(server.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ["POST", "/users/track", '{"attributes":[{"external_id":"ann"}]}'],
    ["GET", "/users/merge/status/a%2Fb", ""],
    ["GET", "/subscription/user/status?external_id=ann&external_id=ben&limit=5", ""],
    ["PUT", "/preference_center/v1/c-1", '{"preference_center_title":"Two"}'],
    ["GET", "/scim/v2/Users/d", ""],
  ]);
});

test("a method throws the class of the status, with the reasons of its route and its entries", async () => {
  const entry = { type: "'name' is required", input_array: "events", index: 0 };
  server.steps = [
    json(400, { message: "no", errors: [entry] }, { "x-heddle-reason": "NOTHING_VALID", "x-request-id": "r-1" }),
    json(401, { message: "who" }, { "x-heddle-reason": "KEY_INVALID" }),
  ];
  const error: unknown = await open().trackUsers(events(0, 1)).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InvalidRequestError);
  if (!isRefused("trackUsers", error)) throw error;
  const reason: "NOTHING_VALID" | undefined = error.reason === "NOTHING_VALID" ? error.reason : undefined;
  expect([reason, error.requestId, error.entries]).toEqual(["NOTHING_VALID", "r-1", [entry]]);
  await expect(open().exportUsers({ external_ids: ["ann"] })).rejects.toBeInstanceOf(AuthenticationError);
});

test("reads ask for the furthest of writes that were under way together", async () => {
  const heddle = open();
  const [older, newer] = [9, 10].map((sequence) => positionToToken({ partition: 0, sequence }));
  let answerOlder = (): void => {};
  const late = new Promise<void>((resolve) => {
    answerOlder = resolve;
  });
  server.steps = [
    (response) => void late.then(() => json(201, {}, { "x-heddle-position": older ?? "" })(response)),
    json(201, {}, { "x-heddle-position": newer ?? "" }),
  ];
  const first = heddle.trackUsers(events(0, 1));
  await vi.waitFor(() => expect(server.seen).toHaveLength(1));
  await heddle.trackUsers(events(1, 2));
  answerOlder();
  await first;
  await heddle.exportUsers({ external_ids: ["u-1"] });
  expect(server.seen[2]?.headers["x-heddle-position"]).toBe(newer);
});

test("the queue sends in order, in batches of the route's objects and bytes, each with a key", async () => {
  const heddle = open();
  const { objectsPerArray, bytes } = batchLimits.trackUsers;
  for (let at = 0; at < 200; at += 1) expect(heddle.enqueue(events(at, at + 1))).toBe(true);
  await heddle.flush();
  expect(bodies().map((body) => body.events?.length)).toEqual([objectsPerArray, objectsPerArray, 200 - 2 * objectsPerArray]);
  expect(sentIds()).toEqual(Array.from({ length: 200 }, (_, at) => `u-${at}`));
  expect(server.seen.map(({ headers }) => headers["idempotency-key"])).toEqual(["key-0", "key-1", "key-2"]);
  server.seen.length = 0;
  const large = "x".repeat(Math.floor(bytes / 3));
  for (let at = 0; at < 3; at += 1) heddle.enqueue({ attributes: [{ external_id: `l-${at}`, large }] });
  await heddle.flush();
  expect(bodies().map((body) => body.attributes?.length)).toEqual([2, 1]);
  expect([losses, heddle.queued]).toEqual([[], 0]);
});

test("the queue repeats a batch with its key through 429, 503, a dropped and a half answer, and sends nothing twice", async () => {
  const waits: number[] = [];
  const world = { random: () => 0, wait: (ms: number) => Promise.resolve(void waits.push(ms)) };
  const heddle = open({ world });
  server.steps = [json(429, {}, { "retry-after": "3" }), json(503, {}, { "retry-after": "2" }), drop, half];
  heddle.enqueue(events(0, 2));
  await heddle.flush();
  expect(new Set(server.seen.map(({ headers, body }) => `${headers["idempotency-key"]} ${body}`)).size).toBe(1);
  expect([server.seen.length, waits.slice(0, 2), losses]).toEqual([5, [3_000, 2_000], []]);
});

test("the queue ends an attempt on a server that is slow, and tries again", async () => {
  const heddle = open({ attemptMs: 100 });
  server.steps = [() => {}, () => {}];
  heddle.enqueue(events(0, 1));
  await heddle.flush();
  expect([new Set(server.seen.map(({ headers }) => headers["idempotency-key"])).size, server.seen.length, losses]).toEqual([1, 3, []]);
});

test("on a server that is gone the queue holds what it may and tells the rest; shutdown() tells what is left, and how to repeat it", async () => {
  await server.close();
  const heddle = open({ queue: { objectsMax: 3, onLoss: (loss) => losses.push(loss) }, world: {} });
  expect(heddle.enqueue(events(0, 2))).toBe(true);
  expect(heddle.enqueue(events(2, 5))).toBe(false);
  expect(losses).toMatchObject([{ reason: "full", objects: [{ object: { external_id: "u-3" } }, { object: { external_id: "u-4" } }] }]);
  await expect(heddle.flush({ signal: AbortSignal.timeout(50) })).rejects.toThrow("timeout");
  await heddle.shutdown({ timeoutMs: 100 });
  expect(heddle.enqueue(events(5, 6))).toBe(false);
  expect(losses.slice(1)).toMatchObject([
    { reason: "unanswered", objects: [0, 1, 2].map((at) => ({ kind: "events", object: { external_id: `u-${at}` } })) },
    { reason: "closed", objects: [{ object: { external_id: "u-5" } }] },
  ]);
  expect(JSON.parse(losses[1]?.request?.bodyText ?? "")).toEqual(events(0, 3));
});

test("of a batch the queue tells what was refused, with the entry of each", async () => {
  const heddle = open();
  server.steps = [
    json(201, { errors: [{ type: "bad", input_array: "events", index: 1 }], message: "success" }),
    json(400, { message: "none", errors: [{ type: "worse", input_array: "events", index: 0 }] }, { "x-heddle-reason": "NOTHING_VALID" }),
    json(403, { message: "may not" }, { "x-heddle-reason": "PERMISSION_MISSING" }),
  ];
  for (const [from, to] of [[0, 2], [2, 3], [3, 5]] as const) {
    heddle.enqueue(events(from, to));
    await heddle.flush();
  }
  expect(losses.map(({ reason, objects }) => [reason, objects.map(({ entry }) => entry?.type)])).toEqual([
    ["refused", ["bad"]],
    ["refused", ["worse"]],
    ["refused", [undefined, undefined]],
  ]);
  expect(losses[0]?.objects[0]?.object).toMatchObject({ external_id: "u-1" });
});

test("a batch that is too large for the plan is sent in smaller ones, in order, each with a key of its own", async () => {
  const heddle = open();
  server.steps = [json(400, { message: "too many" }, { "x-heddle-reason": "BATCH_TOO_LARGE" })];
  heddle.enqueue(events(0, 75));
  await heddle.flush();
  heddle.enqueue(events(75, 150));
  await heddle.flush();
  expect(bodies().map((body) => body.events?.length)).toEqual([75, 50, 25, 50, 25]);
  expect(new Set(server.seen.map(({ headers }) => headers["idempotency-key"])).size).toBe(5);
  expect(losses).toEqual([]);
});

test.each(["BODY_TOO_DEEP", "BODY_TOO_WIDE"])(
  "of a batch that is %s the queue loses the object that is, and no later batch is smaller",
  async (reason) => {
    const heddle = open();
    const refuse = json(400, { message: "no" }, { "x-heddle-reason": reason });
    server.answer = ({ body }) => body.includes('"u-60"') ? refuse : json(201, { message: "success" });
    heddle.enqueue(events(0, 75));
    await heddle.flush();
    expect(losses).toMatchObject([{ reason: "refused", objects: [{ object: { external_id: "u-60" } }], error: { reason } }]);
    const taken = bodies().map(({ events: each = [] }) => each.map((event) => event.external_id)).filter((ids) => !ids.includes("u-60"))
      .flat();
    expect(taken).toEqual(Array.from({ length: 75 }, (_, at) => `u-${at}`).filter((id) => id !== "u-60"));
    server.seen.length = 0;
    heddle.enqueue(events(100, 175));
    await heddle.flush();
    expect(bodies().map((body) => body.events?.length)).toEqual([75]);
  },
);

test("a batch that did not arrive in time is sent in halves, an object alone again until its deadline", async () => {
  const slow = json(408, { message: "too slow" }, { "x-heddle-reason": "REQUEST_TIMEOUT" });
  const heddle = open();
  server.steps = [slow, slow];
  heddle.enqueue(events(0, 3));
  await heddle.flush();
  expect(bodies().map((body) => body.events?.length)).toEqual([3, 2, 1, 1, 1]);
  expect(losses).toEqual([]);
  server.seen.length = 0;
  server.steps = [slow, slow];
  heddle.enqueue(events(3, 4));
  await heddle.flush();
  expect([server.seen.length, new Set(server.seen.map(({ headers }) => headers["idempotency-key"])).size, losses]).toEqual([3, 1, []]);
  server.steps = [slow];
  const impatient = open({ queue: { deadlineMs: 0, onLoss: (loss) => losses.push(loss) } });
  impatient.enqueue(events(4, 5));
  await impatient.flush();
  expect(losses).toMatchObject([{ reason: "unanswered", error: { status: 408 }, request: { idempotencyKey: "key-0" } }]);
});

test("a batch that may have been taken is not sent in halves where its repeat did not arrive in time", async () => {
  const slow = json(408, { message: "too slow" }, { "x-heddle-reason": "REQUEST_TIMEOUT" });
  const world = { random: () => 0, newKey: () => "key", wait: () => Promise.resolve() };
  const heddle = open({ world, queue: { deadlineMs: 1_500, onLoss: (loss) => losses.push(loss) } });
  server.steps = [drop, slow];
  heddle.enqueue(events(0, 3));
  await heddle.flush();
  expect([bodies().map((body) => body.events?.length), losses]).toEqual([[3, 3, 3], []]);
  server.steps = [drop, slow, slow, slow];
  heddle.enqueue(events(3, 6));
  await heddle.flush();
  expect(losses).toMatchObject([{ reason: "unanswered", objects: [{}, {}, {}], request: { idempotencyKey: "key" } }]);
  expect(losses[0]?.error).toBeInstanceOf(UnreachableError);
});

test.each([
  [401, "KEY_INVALID"],
  [404, "ROUTE_UNKNOWN"],
  [400, "BODY_TOO_DEEP"],
  [413, "BODY_TOO_LARGE"],
])(
  "a batch that may have been taken, and whose repeat is refused with %i, is told with the request that has one effect",
  async (status, reason) => {
    const heddle = open();
    server.steps = [drop, json(status, { message: "no" }, { "x-heddle-reason": reason })];
    heddle.enqueue(events(0, 3));
    await heddle.flush();
    expect(server.seen).toHaveLength(2);
    expect(losses).toMatchObject([{
      reason: "unanswered",
      objects: [{}, {}, {}],
      error: { status, mayBeDone: true },
      request: { idempotencyKey: "key-0", bodyText: server.seen[0]?.body },
    }]);
  },
);

test("a call whose repeat is refused says whether an earlier attempt may have been done", async () => {
  const refused = json(404, { message: "no" });
  for (const [first, mayBeDone] of [[drop, true], [json(500, {}), true], [json(429, {}), false]] as const) {
    server.steps = [first, refused];
    await expect(open().trackUsers(events(0, 1))).rejects.toMatchObject({ status: 404, mayBeDone });
  }
});

test("a full batch goes at once, others after the interval, and what the caller changes afterwards does not count", async () => {
  const heddle = open({ queue: { intervalMs: 20 } });
  const changing = { external_id: "ann", plan: "free" };
  heddle.enqueue({ attributes: [changing] });
  changing.plan = "paid";
  await vi.waitFor(() => expect(bodies()).toEqual([{ attributes: [{ external_id: "ann", plan: "free" }] }]));
  expect(() => heddle.enqueue({ attributes: [{ external_id: 1n as never }] })).toThrow(TypeError);
});

test("a callback that throws, or none, does not stop the queue", async () => {
  const complaints = vi.spyOn(console, "error").mockImplementation(() => {});
  for (
    const onLoss of [() => {
      throw new Error("mine");
    }, undefined]
  ) {
    const heddle = new Heddle({ url: server.url, key: "k", queue: { objectsMax: 1, ...(onLoss === undefined ? {} : { onLoss }) } });
    heddle.enqueue(events(0, 2));
    await heddle.flush();
  }
  expect([server.seen.length, complaints.mock.calls.length]).toEqual([2, 2]);
  complaints.mockRestore();
});

test("an attempt that takes too long is a TimeoutError, an aborted call the reason of its signal", async () => {
  server.steps = [() => {}];
  await expect(open({ attemptMs: 50, deadlineMs: 0 }).isAlive()).rejects.toBeInstanceOf(TimeoutError);
  await expect(open().isAlive({}, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
});

test("the client needs nothing but the web's own names, and has at most 15 KB compressed", () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !/[.](test|fixture)[.]ts$/.test(name));
  const sources = files.map((name) => stripTypeScriptTypes(readFileSync(join(import.meta.dirname, name), "utf8"), { mode: "transform" }));
  expect(files.length).toBeGreaterThan(5);
  for (const source of sources) expect(source).not.toMatch(/from "(?![.]{1,2}\/)|\b(process|Buffer|require|window|document)\b[.(]/);
  expect(gzipSync(sources.join("\n")).length).toBeLessThan(15 * 1024);
});
