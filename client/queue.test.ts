/** The queue of `new Heddle({ key })` against a server that limits, is slow, drops connections, says no, and is gone. */
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { batchLimits, type TrackBody } from "./gen/calls.ts";
import { Heddle, type HeddleOptions, type Loss, UnreachableError } from "./index.ts";
import { awayOnce, drop, events, half, json, type PlannedServer, startPlannedServer } from "./planned-server.fixture.ts";

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

function bodies(): TrackBody[] {
  return server.seen.map(({ body }) => JSON.parse(body) as TrackBody);
}

function eventOf(at: number): unknown {
  return events(at, at + 1).events?.[0];
}

/** Of the events of all requests that were answered with a success. */
function sentIds(): unknown[] {
  return bodies().flatMap((body) => body.events ?? []).map((event) => event.external_id);
}

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
  // More where this machine is slower than the attempt may be
  expect(server.seen.length).toBeGreaterThanOrEqual(3);
  expect([new Set(server.seen.map(({ headers }) => headers["idempotency-key"])).size, losses]).toEqual([1, []]);
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

test("of a batch the queue tells what was refused, each object once with its entries", async () => {
  const heddle = open();
  const bad = [{ type: "bad", input_array: "events", index: 1, field: "a" }, { type: "bad", input_array: "events", index: 1, field: "b" }];
  const worse = { type: "worse", input_array: "events", index: 0 };
  server.steps = [
    json(201, { errors: bad, message: "success" }),
    json(400, { message: "none", errors: [worse] }, { "x-heddle-reason": "NOTHING_VALID" }),
    json(400, { message: "none of a part", errors: [worse] }, { "x-heddle-reason": "NOTHING_VALID" }),
    json(403, { message: "may not" }, { "x-heddle-reason": "PERMISSION_MISSING" }),
    json(501, { message: "has no such part" }, { "x-heddle-reason": "NOT_IMPLEMENTED" }),
  ];
  for (const [from, to] of [[0, 2], [2, 3], [3, 5], [5, 7], [7, 8]] as const) {
    heddle.enqueue(events(from, to));
    await heddle.flush();
  }
  expect(losses.map(({ reason, objects }) => [reason, ...objects.map(({ object, entries }) => [object, entries])])).toEqual([
    ["refused", [eventOf(1), bad]],
    ["refused", [eventOf(2), [worse]]],
    ["refused", [eventOf(3), [worse]], [eventOf(4), []]],
    ["refused", [eventOf(5), []], [eventOf(6), []]],
    ["refused", [eventOf(7), []]],
  ]);
});

test.each([
  ["a page", (response: ServerResponse) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>Back soon")],
  ["nothing", (response: ServerResponse) => void response.writeHead(204).end()],
  ["JSON of something else", json(200, { errors: [] })],
  ["the 404 of a proxy", json(404, { message: "default backend" })],
  ["the 403 of a firewall", (response: ServerResponse) => void response.writeHead(403, { "content-type": "text/html" }).end("<p>No")],
])("objects to which %s is answered are told, with the request that has one effect", async (_, step) => {
  const heddle = open();
  server.steps = [step];
  heddle.enqueue(events(0, 2));
  await heddle.flush();
  expect(losses).toMatchObject([{
    reason: "unanswered",
    objects: [{ object: { external_id: "u-0" } }, { object: { external_id: "u-1" } }],
    request: { idempotencyKey: "key-0", bodyText: server.seen[0]?.body },
  }]);
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

test("a batch that was never sent is sent in smaller ones all the same", async () => {
  const heddle = open({ fetch: awayOnce() });
  server.steps = [json(400, { message: "too many" }, { "x-heddle-reason": "BATCH_TOO_LARGE" })];
  heddle.enqueue(events(0, 75));
  await heddle.flush();
  expect([bodies().map((body) => body.events?.length), losses]).toEqual([[75, 50, 25], []]);
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
