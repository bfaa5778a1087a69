/** The way of a request through the guards: who is let in, what is counted, which headers report it. */
import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { afterEach, expect, test } from "vitest";
import { limits } from "../platform/limits.ts";
import { Refusal } from "../platform/refusal.ts";
import {
  type ExportUsersRequest,
  ExportUsersResponseSchema,
  type TrackUsersRequest,
  TrackUsersResponseSchema,
} from "../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { startStubGateway, type StubGateway, stubHolder, stubKey, type StubOptions } from "../test/gateway-stub.ts";

let started: StubGateway | undefined;
afterEach(async () => {
  await started?.gateway.close();
  started = undefined;
});

async function start(options: StubOptions = {}): Promise<StubGateway & { calls: TrackUsersRequest[]; reads: ExportUsersRequest[] }> {
  const calls: TrackUsersRequest[] = [];
  const reads: ExportUsersRequest[] = [];
  const profile = {
    trackUsers: async (request: unknown) => {
      calls.push(request as TrackUsersRequest);
      return create(TrackUsersResponseSchema, { attributesProcessed: 1, position: "p-1" });
    },
    exportUsers: async (request: unknown) => {
      reads.push(request as ExportUsersRequest);
      return create(ExportUsersResponseSchema, {});
    },
  };
  started = await startStubGateway({ profile, ...options });
  return { ...started, calls, reads };
}

const track = { attributes: [{ external_id: "a" }] };
const limitNames = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

test.each([
  ["no header", {}],
  ["another scheme", { authorization: "Basic abc" }],
  ["no key after the scheme", { authorization: "Bearer " }],
  ["an unknown key", { authorization: "Bearer nobody-has-this-key" }],
  ["quotes around the key", { authorization: `Bearer "${stubKey}"` }],
  ["the key alone", { authorization: stubKey }],
])("authenticate() refuses %s with 401, empty limit headers and without the key", async (_title, headers) => {
  const { url, calls } = await start();
  const answer = await fetch(`${url}/users/track`, {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json", ...headers },
  });
  const text = await answer.text();
  expect(answer.status).toBe(401);
  expect(JSON.parse(text).message).toMatch(/^Invalid API key/);
  expect(text).not.toContain("nobody-has");
  for (const name of limitNames) expect(answer.headers.get(name)).toBe("");
  expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  expect(calls).toEqual([]);
});

test("authenticate() says exactly what clients know of an unknown key, and takes the scheme in any case", async () => {
  const { post } = await start();
  expect((await post("/users/track", track, { authorization: "Bearer unknown-key" })).body).toEqual({ message: "Invalid API key" });
  expect((await post("/users/track", track, { authorization: `bearer  ${stubKey}` })).status).toBe(201);
});

test("authenticate() refuses a key in the URL with a message that names the header", async () => {
  const { post } = await start();
  for (const query of [`api_key=${stubKey}`, "x=1&api%5Fkey="]) {
    const answer = await post(`/users/track?${query}`, track);
    expect(answer.status).toBe(401);
    expect(answer.body["message"]).toContain("'Authorization: Bearer <key>'");
    expect(JSON.stringify(answer.body)).not.toContain(stubKey);
  }
});

test("authenticate() lets a key in from its addresses only, past trusted proxies", async () => {
  const key = { ...stubHolder().key, ipAllow: ["203.0.113.0/24", "2001:db8::1"] };
  const options = { holder: { key } };
  const { post } = await start({ ...options, trustedProxies: ["127.0.0.1", "10.0.0.0/8"] });
  for (
    const [forwarded, status] of [
      ["203.0.113.9", 201],
      ["2001:db8::1", 201],
      ["::ffff:203.0.113.9", 201],
      ["198.51.100.1, 203.0.113.9, 10.1.2.3", 201],
      ["203.0.113.9, 198.51.100.1", 403],
      ["198.51.100.1", 403],
      ["nonsense", 403],
    ] as const
  ) {
    expect((await post("/users/track", track, { "x-forwarded-for": forwarded })).status, forwarded).toBe(status);
  }
  await started?.gateway.close();
  const untrusting = await start(options);
  expect((await untrusting.post("/users/track", track, { "x-forwarded-for": "203.0.113.9" })).status).toBe(403);
});

test("authorize() refuses a key without the permission, names it, and spends nothing", async () => {
  const costs: number[] = [];
  const { post, calls } = await start({
    permissions: ["users.export.ids"],
    take: (_key, { capacity }, cost) => (costs.push(cost), { admitted: true, remaining: capacity, fullAt: 0, retryAfterMs: 0 }),
  });
  const answer = await post("/users/track", track);
  expect(answer.status).toBe(403);
  const message = "Access Denied: the API key does not have the permission 'users.track'";
  expect(answer.body).toEqual({ message, errors: [message] });
  expect(answer.headers.get("x-ratelimit-limit")).toBe("3000");
  expect([costs, calls]).toEqual([[0], []]);
  expect((await post("/users/export/ids", { external_ids: ["a"] })).status).toBe(201);
});

test("spend() tells the state of the bucket in both forms", async () => {
  const { post, clock } = await start({ take: () => ({ admitted: true, remaining: 2_999, fullAt: clock.now() + 1_500, retryAfterMs: 0 }) });
  const { headers } = await post("/users/track", track);
  const resetAt = String(Math.ceil((clock.now() + 1_500) / 1_000));
  expect(limitNames.map((name) => headers.get(name))).toEqual(["3000", "2999", resetAt]);
  expect(headers.get("ratelimit-policy")).toBe('"users_track";q=3000;w=3');
  expect(headers.get("ratelimit")).toBe('"users_track";r=2999;t=2');
});

test("spend() answers an empty bucket with 429 and whole seconds, rounded up", async () => {
  const { post, clock, calls } = await start({
    take: () => ({ admitted: false, remaining: 0, fullAt: clock.now() + 3_000, retryAfterMs: 1_001 }),
  });
  const answer = await post("/users/track", track);
  expect(answer.status).toBe(429);
  const message = "You have exceeded the maximum number of requests. Please try again later.";
  expect(answer.body).toEqual({ message, errors: [message] });
  expect([answer.headers.get("retry-after"), answer.headers.get("x-ratelimit-retry-after")]).toEqual(["2", "2"]);
  expect(answer.headers.get("x-ratelimit-remaining")).toBe("0");
  expect(calls).toEqual([]);
});

test("spend() takes from burst and hour at once, and shows the one that keeps the caller waiting", async () => {
  const keys: string[] = [];
  const holder = stubHolder();
  const plan = { kind: "monthly_active_users", requestsPerHour: 100, requestsPerSecondBurst: 5 } as const;
  const { post, calls, clock } = await start({
    holder: { workspace: { ...holder.workspace, plan } },
    take: (
      key,
    ) => (keys.push(key), { admitted: keys.length !== 3, remaining: 4, fullAt: clock.now(), retryAfterMs: keys.length === 3 ? 10 : 0 }),
  });
  const first = await post("/users/track", track);
  expect([first.status, first.headers.get("x-ratelimit-limit")]).toEqual([201, "100"]);
  expect(first.headers.get("ratelimit")).toBe('"users_track_hour";r=4;t=0, "users_track_second";r=4;t=0');
  expect(calls[0]).toMatchObject({ objectsMax: limits.trackObjectsCombinedMauMax, objectsPerArrayMax: 0 });
  const second = await post("/users/track", track);
  expect([second.status, second.headers.get("x-ratelimit-limit")]).toEqual([429, "5"]);
  const both = ["limit:{ws-1}:users_track_second", "limit:{ws-1}:users_track_hour"];
  expect(keys).toEqual([...both, ...both]);
});

test.each([
  ["application/json", 201],
  ["APPLICATION/JSON", 201],
  ["application/json;charset=utf-8", 201],
  ['application/json ; Charset="UTF-8"', 201],
  ["application/json; charset=utf-8; boundary=x", 201],
  ["\tapplication/json\t;", 201],
  ["application/json; charset=utf-16", 415],
  ["application/json; charset=latin1; charset=utf-8", 415],
  ["application/json; charset", 415],
  ["application/json, text/plain", 415],
  ["application/jsonp", 415],
  ["application/problem+json", 415],
  ["text/plain", 415],
  ["multipart/form-data; boundary=application/json", 415],
])("checkMediaType() answers %j with %i", async (type, status) => {
  const { post } = await start();
  expect((await post("/users/track", track, { "content-type": type })).status).toBe(status);
});

test("checkMediaType() refuses a body without a type and one in a coding that nobody knows", async () => {
  const { url, post } = await start();
  const headers = { authorization: `Bearer ${stubKey}` };
  const answer = await fetch(`${url}/users/track`, { method: "POST", body: new Uint8Array([123, 125]), headers });
  expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
    415,
    expect.stringContaining("application/json"),
  ]);
  const packed = await post("/users/track", track, { "content-encoding": "compress" });
  expect([packed.status, packed.body["message"]]).toEqual([415, expect.stringContaining("Content-Encoding")]);
});

test.each([["", 400], ["x".repeat(255), 201], ["x".repeat(256), 400], ["a\tb", 400], ["k 1", 201]])(
  "answerRequest() takes the Idempotency-Key %j: %i",
  async (key, status) => {
    const { post, calls } = await start();
    const answer = await post("/users/track", track, { "idempotency-key": key });
    expect(answer.status).toBe(status);
    if (status === 201) expect(calls[0]?.scope).toMatchObject({ idempotencyKey: key, route: "/users/track" });
    else expect(answer.body["message"]).toContain("Idempotency-Key");
  },
);

test("answerRequest() hands the scope on: key and route to writes, position to reads", async () => {
  const { post, calls, reads } = await start();
  const headers = { "x-request-id": "r-1", "x-heddle-position": "p-9", "idempotency-key": "k" };
  const written = await post("/users/track", track, headers);
  await post("/users/export/ids", { external_ids: ["a"] }, headers);
  const scope = { workspaceId: "ws-1", requestId: "r-1", actor: "key-1", traceparent: "" };
  const sentHash = new Uint8Array(createHash("sha256").update(JSON.stringify(track)).digest());
  expect(calls[0]?.scope).toEqual({ ...scope, route: "/users/track", idempotencyKey: "k", sentHash, readAfter: "" });
  expect(reads[0]?.scope).toEqual({ ...scope, route: "/users/export/ids", idempotencyKey: "", readAfter: "p-9" });
  expect(written.headers.get("x-heddle-position")).toBe("p-1");
});

const fault = { message: "Internal server error", errors: ["Internal server error"] };

test("answerRequest() logs a fault once and shows nothing of it", async () => {
  const { post, logged } = await start({ profile: { trackUsers: () => Promise.reject(new Error("secret text of the store")) } });
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const headers = { "x-request-id": "r-7", traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const answer = await post("/users/track", track, headers);
  expect([answer.status, answer.body]).toEqual([500, { ...fault, request_id: "r-7" }]);
  expect(logged).toMatchObject([{ event: "request_failed", fields: { requestId: "r-7", traceId, route: "/users/track" } }]);
});

test.each<[path: string, name: keyof StubOptions, call: string]>([
  ["/preferences/t", "content", "PreferencePage"],
  ["/unsubscribe/t", "messagingStatus", "UnsubscribeLink"],
])("answerRequest() shows people a fault of %s as a page, and nothing of it", async (path, name, call) => {
  const failing = () => Promise.reject(new Error("secret text of the store"));
  const { url, logged } = await start({ [name]: { [`open${call}`]: failing, [`submit${call}`]: failing, [`use${call}`]: failing } });
  const form = { method: "POST", body: "a=b", headers: { accept: "text/html", "content-type": "application/x-www-form-urlencoded" } };
  for (const init of [{ headers: form.headers }, form]) {
    const answer = await fetch(url + path, init);
    const text = await answer.text();
    expect([answer.status, answer.headers.get("content-type")]).toEqual([500, "text/html; charset=utf-8"]);
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
    expect(text).toContain('<p role="alert">Something went wrong on our side.');
    expect(text).not.toContain("secret");
  }
  expect(logged).toMatchObject([{ event: "request_failed" }, { event: "request_failed" }]);
});

test("answerRequest() shows programs a fault of an unsubscribe in JSON", async () => {
  const { post } = await start({ messagingStatus: { openUnsubscribeLink: () => Promise.reject(new Error("x")) } });
  const answer = await post("/unsubscribe/t", {}, { "x-request-id": "r-9" });
  expect([answer.status, answer.body]).toEqual([500, { message: "Internal server error", request_id: "r-9" }]);
});

test("answerRequest() answers and logs a part that may not call another as a fault", async () => {
  const refused = new Refusal("CALLER_NOT_ALLOWED", "Expected a caller that may use TrackUsers, got gateway");
  const { post, logged } = await start({ profile: { trackUsers: () => Promise.reject(refused) } });
  const answer = await post("/users/track", track, { "x-request-id": "r-8" });
  expect([answer.status, answer.body]).toEqual([500, { ...fault, request_id: "r-8" }]);
  expect(answer.headers.get("x-heddle-reason")).toBeNull();
  expect(logged).toMatchObject([{ event: "request_failed", fields: { requestId: "r-8" } }]);
});

test("answerRequest() keeps the limit headers on a refusal of the service", async () => {
  const { post } = await start({ profile: { trackUsers: () => Promise.reject(new Refusal("LOG_FULL")) } });
  const answer = await post("/users/track", track);
  expect([answer.status, answer.headers.get("retry-after"), answer.headers.get("x-ratelimit-limit")]).toEqual([503, "1", "3000"]);
});

test("answerRequest() answers unknown paths with 404, other methods with 405 and Allow, in JSON", async () => {
  const { get } = await start();
  expect((await get("/nowhere")).body).toEqual({ message: "No route has this path" });
  expect((await get("/")).body).toEqual({ message: "No route has this path; start at /docs" });
  expect((await get("/users/track/")).body["message"]).toContain("did you mean '/users/track'");
  const other = await get("/users/track");
  expect([other.status, other.headers.get("allow"), other.body["message"]]).toEqual([405, "POST", "This path takes POST"]);
});

test("answerRequest() answers probes without a key, HEAD without a body", async () => {
  const failing = { ready: false, reason: "applying lane 3 fails" };
  const { get, url } = await start({ health: () => failing });
  expect((await get("/livez", { authorization: "" })).body["message"]).toBe("success");
  const ready = await get("/readyz", { authorization: "" });
  expect([ready.status, ready.body["message"]]).toEqual([503, "applying lane 3 fails"]);
  const head = await fetch(`${url}/livez`, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
});
