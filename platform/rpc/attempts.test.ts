/** Attempts when addresses come and go, as in a rolling restart: what certainly was not sent goes on to an address that answers. */
import { create, type DescMethodUnary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ProfileService, TrackUsersRequestSchema } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { silentLogger } from "../logger.ts";
import { roundRobin } from "./addresses.ts";
import { callWithRepeats, type UnaryCall } from "./attempts.ts";
import type { Connection } from "./connection.ts";
import { notSent } from "./refusal-wire.ts";
import { shareCalls } from "./shared-calls.ts";

const method: DescMethodUnary = ProfileService.method.trackUsers;
const message = create(TrackUsersRequestSchema);

/** Two addresses, the first of which is called first: `old` drains, `fresh` answers and was not there before. */
function parts() {
  const clock = fakeClock();
  const called: string[] = [];
  const onOld: (() => void)[] = [];
  const old = stub("old", () => {
    called.push("old");
    onOld.shift()?.();
    throw notSent(new Error("It goes"));
  });
  const held = Promise.withResolvers<void>();
  const fresh = stub("fresh", async () => {
    called.push("fresh");
    if (called.length === 1) await held.promise;
    return message;
  });
  const addresses = roundRobin(() => [old, fresh], clock);
  const logger = silentLogger;
  return { clock, logger, called, onOld, release: held.resolve, old, fresh, addresses, caller: "gateway", deadlineMs: 60_000 };
}

function stub(url: string, answer: () => unknown): Connection {
  return { url, transport: { unary: async () => ({ message: await answer() }) }, close() {} } as unknown as Connection;
}

/** Time passes until the call has an outcome. */
async function settled(given: ReturnType<typeof parts>, answer: Promise<unknown>): Promise<unknown> {
  const state = { over: false };
  const outcome = answer.catch((error: unknown) => error).finally(() => (state.over = true));
  while (!state.over) {
    await new Promise(setImmediate);
    given.clock.advance(1);
  }
  return await outcome;
}

const bindings: readonly [string, (given: ReturnType<typeof parts>) => UnaryCall][] = [
  ["alone", (given) => (_, input, options) => callWithRepeats(given, method, { message: input, given: options })],
  ["shared", (given) => shareCalls({ ...given, method })],
];

describe.each(bindings)("a call %s", (_, bind) => {
  test("goes on where the address that refused it has rested and the other one rests", async () => {
    const given = parts();
    given.onOld.push(() => {
      // Another call learnt it long before, and one could not reach the other process just now
      given.addresses.failed(given.old);
      given.clock.advance(limits.rpcAddressRestMsMin + 1);
      given.addresses.failed(given.fresh);
    });
    expect(await settled(given, bind(given)(method, message, {}))).toBe(message);
    expect(given.called.at(-1)).toBe("fresh");
  });

  test("goes to an address that it has not tried, where all rest", async () => {
    const given = parts();
    given.addresses.failed(given.old);
    given.addresses.failed(given.fresh);
    // Other calls take the turn of the other address each time
    given.onOld.push(...Array.from({ length: limits.rpcAttemptsMax }, () => () => void given.addresses.pick(new Set())));
    expect(await settled(given, bind(given)(method, message, {}))).toBe(message);
    expect(given.called).toEqual(["old", "fresh"]);
  });
});

test("a shared call waits for the address that it has not tried while that one is busy", async () => {
  const given = parts();
  const call = shareCalls({ ...given, method });
  // The next turn is that of the fresh one
  given.addresses.pick(new Set());
  const first = call(method, message, {});
  await settled(given, new Promise(setImmediate));
  given.addresses.failed(given.old);
  given.addresses.failed(given.fresh);
  expect(await settled(given, call(method, message, {}))).toBe(message);
  expect(given.called).toEqual(["fresh", "old", "fresh"]);
  given.release();
  expect(await first).toBe(message);
});
