/** Shared calls: what travels together, and that each call keeps its own order, deadline, refusal and fault. */
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterEach, expect, test } from "vitest";
import { TrackUsersRequestSchema } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { type Outcome, SharedCallService } from "../../proto/gen/heddle/rpc/v1/shared_call_service_pb.ts";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import { callPart, type Implementation, keepingLogger, servePart } from "./part.fixture.ts";
import { RemoteFault } from "./refusal-wire.ts";
import type { RpcServer } from "./server.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const method = "heddle.profile.v1.ProfileService/TrackUsers";

async function serve(implementation: Implementation, options: Parameters<typeof servePart>[1] = {}): Promise<RpcServer> {
  const server = await servePart(implementation, options);
  closing.push(() => server.close(0));
  return server;
}

function call(addresses: readonly string[], options: Parameters<typeof callPart>[1] = {}) {
  const { client, close } = callPart(addresses, { shared: ["trackUsers"], ...options });
  closing.push(close);
  return client;
}

test("shareCalls() calls that come together go together, as many as a message may hold", async () => {
  const sizes = new Map<unknown, number>();
  const { url } = await serve({ trackUsers: (_, { values }) => (sizes.set(values, (sizes.get(values) ?? 0) + 1), {}) });
  const client = call([url]);
  await Promise.all(Array.from({ length: 300 }, () => client.trackUsers({})));
  expect([...sizes.values()]).toEqual([limits.rpcCallsPerBatchMax, limits.rpcCallsPerBatchMax, 300 - 2 * limits.rpcCallsPerBatchMax]);
});

test("shareCalls() one message at a time is on its way to an address, and what waits goes in the next, in order", async () => {
  const messages: unknown[] = [];
  const begun: string[] = [];
  const first = Promise.withResolvers<Record<string, never>>();
  const { url } = await serve({
    trackUsers({ scope }, { values }) {
      begun.push(scope?.requestId ?? "");
      messages.push(values);
      return begun.length === 1 ? first.promise : {};
    },
  });
  const client = call([url], { clock: fakeClock() });
  const calls: Promise<unknown>[] = [];
  for (let at = 0; at < 10; at += 1) {
    calls.push(client.trackUsers({ scope: { requestId: String(at) } }));
    await new Promise(setImmediate);
  }
  await until(() => begun.length === 1);
  first.resolve({});
  await Promise.all(calls);
  expect(begun.join("")).toBe("0123456789");
  expect(new Set(messages).size).toBe(2);
});

test("shareCalls() a message that takes long holds back no other", async () => {
  const first = Promise.withResolvers<Record<string, never>>();
  const clock = fakeClock();
  let begun = 0;
  const { url } = await serve({ trackUsers: () => (begun += 1) === 1 ? first.promise : {} });
  const client = call([url], { clock });
  const slow = client.trackUsers({});
  await until(() => begun === 1);
  const next = client.trackUsers({});
  await new Promise(setImmediate);
  clock.advance(limits.rpcSlotMsMax);
  await next;
  first.resolve({});
  await slow;
});

test("shareCalls() a message holds no more bytes than it may", async () => {
  const bodyJson = new Uint8Array(limits.rpcBatchBytesMax / 4).fill(32);
  const messages = new Set<unknown>();
  const { url } = await serve({ trackUsers: (_, { values }) => (messages.add(values), {}) });
  const client = call([url]);
  await Promise.all(Array.from({ length: 12 }, () => client.trackUsers({ bodyJson })));
  expect(messages.size).toBe(4);
});

test("shareCalls() each call has its own refusal, fault and answer", async () => {
  const logger = keepingLogger();
  const { url } = await serve({
    trackUsers({ scope }) {
      if (scope?.requestId === "1") throw new Refusal("NOTHING_VALID", "none", { errors: [1], retryAfterSeconds: 2 });
      if (scope?.requestId === "2") throw new Error("secret");
      return { position: scope?.requestId ?? "" };
    },
  }, { logger });
  const client = call([url]);
  const [answer, refusal, fault] = await Promise.allSettled(
    ["0", "1", "2"].map((requestId) => client.trackUsers({ scope: { requestId } })),
  );
  expect(answer).toMatchObject({ value: { position: "0" } });
  expect(refusal).toMatchObject({ reason: { reason: "NOTHING_VALID", message: "none", details: { errors: [1], retryAfterSeconds: 2 } } });
  const { reason } = fault as PromiseRejectedResult;
  expect(reason).toBeInstanceOf(RemoteFault);
  expect(String(reason)).not.toContain("secret");
  expect(logger.lines).toMatchObject([["error", "rpc_fault", { message: "secret" }, { faultId: (reason as RemoteFault).faultId, method }]]);
});

test("shareCalls() each call has its own deadline, request id and trace", async () => {
  const seen: unknown[] = [];
  const { url } = await serve({
    trackUsers(_, { requestHeader, timeoutMs }) {
      const left = timeoutMs() ?? 0;
      seen.push([
        requestHeader.get("x-request-id"),
        requestHeader.get("traceparent"),
        requestHeader.get("heddle-caller"),
        left > 900 && left < 1_000,
      ]);
      return {};
    },
  });
  const client = call([url]);
  const headers = { "x-request-id": "r1", traceparent: "00-a-b-01" };
  await Promise.all([client.trackUsers({}, { headers, timeoutMs: 1_000 }), client.trackUsers({}, { timeoutMs: 3_000 })]);
  expect(seen).toEqual([["r1", "00-a-b-01", "gateway", true], [null, null, "gateway", false]]);
});

test("shareCalls() a call that gave up waiting is not sent", async () => {
  const seen: string[] = [];
  const first = Promise.withResolvers<Record<string, never>>();
  const { url } = await serve({
    trackUsers({ scope }) {
      seen.push(scope?.requestId ?? "");
      return scope?.requestId === "first" ? first.promise : {};
    },
  });
  const client = call([url]);
  const controller = new AbortController();
  const begun = client.trackUsers({ scope: { requestId: "first" } });
  const dropped = client.trackUsers({ scope: { requestId: "dropped" } }, { signal: controller.signal });
  controller.abort();
  await expect(dropped).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
  first.resolve({});
  await begun;
  await client.trackUsers({ scope: { requestId: "last" } });
  expect(seen).toEqual(["first", "last"]);
});

test("shareCalls() refuses OVERLOADED what would wait in a line that is full", async () => {
  const { url } = await serve({ trackUsers: () => ({}) });
  const client = call([url]);
  const answers = await Promise.allSettled(Array.from({ length: limits.rpcCallsWaitingMax + 5 }, () => client.trackUsers({})));
  const refused = answers.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(5);
  expect(refused[0]).toMatchObject({ reason: { reason: "OVERLOADED", details: { retryAfterSeconds: 1 } } });
  await client.trackUsers({});
});

test("shareCalls() refuses OVERLOADED what would wait with too many bytes", async () => {
  const { url } = await serve({ trackUsers: () => ({}) });
  const client = call([url], { deadlineMs: 30_000 });
  const bodyJson = new Uint8Array(4 * 1024 * 1024);
  const count = limits.rpcBytesWaitingMax / bodyJson.length;
  const answers = await Promise.allSettled(Array.from({ length: count }, () => client.trackUsers({ bodyJson })));
  expect(answers.filter(({ status }) => status === "rejected")).toHaveLength(1);
});

test("shareCalls() 2,000 calls over two addresses, each answered once and by itself", async () => {
  const seen = new Map<string, number>();
  const implementation: Implementation = {
    async trackUsers({ scope }) {
      const id = scope?.requestId ?? "";
      seen.set(id, (seen.get(id) ?? 0) + 1);
      await new Promise(setImmediate);
      return { position: id };
    },
  };
  const client = call([(await serve(implementation)).url, (await serve(implementation)).url]);
  const ids = Array.from({ length: 2_000 }, (_, at) => String(at));
  const answers = await Promise.all(ids.map((requestId) => client.trackUsers({ scope: { requestId } })));
  expect(answers.map(({ position }) => position)).toEqual(ids);
  expect([...seen.values()].every((times) => times === 1)).toBe(true);
});

function rawCaller(url: string, caller = "gateway") {
  const client = createClient(SharedCallService, createConnectTransport({ baseUrl: url, httpVersion: "2" }));
  return async (request: { method: string; calls: { request: Uint8Array; timeoutMs?: number }[] }) => {
    const outcomes: Outcome[] = [];
    for await (const some of client.callMany(request, { headers: { "heddle-caller": caller } })) outcomes.push(...some.outcomes);
    return outcomes;
  };
}

const emptyRequest = toBinary(TrackUsersRequestSchema, create(TrackUsersRequestSchema));

for (
  const [name, request, caller, code] of [
    ["a caller that may not use the method", { method, calls: [{ request: emptyRequest }] }, "content", "permission_denied"],
    ["a method that is not there", { method: "heddle.profile.v1.ProfileService/No", calls: [] }, "gateway", "unimplemented"],
    ["itself", { method: "heddle.rpc.v1.SharedCallService/CallMany", calls: [] }, "gateway", "unimplemented"],
    ["a name of Object", { method: "constructor", calls: [] }, "gateway", "unimplemented"],
    ["too many calls", { method, calls: Array.from({ length: 129 }, () => ({ request: emptyRequest })) }, "gateway", "invalid_argument"],
  ] as const
) {
  test(`CallMany refuses ${name}`, async () => {
    let calls = 0;
    const { url } = await serve({ trackUsers: () => (calls += 1, {}) });
    await expect(rawCaller(url, caller)(request as never)).rejects.toThrow(`[${code}]`);
    expect(calls).toBe(0);
  });
}

test("CallMany a message that cannot be read, or whose time is over, spoils no other", async () => {
  let calls = 0;
  const { url } = await serve({ trackUsers: () => (calls += 1, {}) });
  const outcomes = await rawCaller(url)({
    method,
    calls: [{ request: new Uint8Array([255, 255]) }, { request: emptyRequest }, { request: emptyRequest, timeoutMs: 1 }],
  });
  const sorted = outcomes.toSorted((left, right) => left.index - right.index).map(({ outcome }) => outcome);
  expect(sorted).toMatchObject([
    { case: "refused", value: { detail: { reason: "INPUT_INVALID" } } },
    { case: "response" },
    { case: "refused", value: { detail: { reason: "DEADLINE_EXCEEDED" } } },
  ]);
  expect(calls).toBe(1);
});

test("CallMany no calls have no outcomes", async () => {
  const { url } = await serve({});
  await expect(rawCaller(url)({ method, calls: [] })).rejects.toThrow("[unimplemented]");
  const other = await serve({ trackUsers: () => ({}) });
  expect(await rawCaller(other.url)({ method, calls: [] })).toEqual([]);
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}
