/** Compressed bodies, which wait for their turn to be unfolded and are larger than what came. */
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { systemClock } from "../../platform/clock.ts";
import { limits } from "../../platform/limits.ts";
import { Exchange } from "./exchange.ts";
import { ClientGone } from "./http-message.ts";
import { RequestSlots } from "./request-slots.ts";

/** A request whose whole body is here, and whose turn comes when the test says so; others hold so many bytes of bodies. */
function compressed(bodyBytes: number) {
  const turn = Promise.withResolvers<void>();
  async function run<T>(work: () => Promise<T>): Promise<T> {
    await turn.promise;
    return await work();
  }
  const message = Object.assign(new PassThrough(), { complete: true });
  const response = new EventEmitter();
  const opening = {
    message: message as never,
    response: response as never,
    requestId: "r",
    use: { count: 0, newest: undefined, ending: false },
  };
  const traffic = { inFlight: [], slots: new RequestSlots(), bodyBytes, unfolding: { run }, draining: false };
  const exchange = new Exchange(opening, traffic as never, systemClock);
  message.end(gzipSync("text"));
  const read = (bytesMax: number) => exchange.readBody(new Map([["content-encoding", "gzip"]]) as never, bytesMax);
  return { turn, response, read };
}

test("a body is not unfolded for a client that hung up before its turn came", async () => {
  const { turn, response, read } = compressed(0);
  const body = read(limits.smallRequestBytesMax);
  response.emit("close");
  turn.resolve();
  await expect(body).rejects.toBeInstanceOf(ClientGone);
});

test("bodies that may unfold to large ones leave room for small ones, as large ones do", async () => {
  for (const [bytesMax, isRefused] of [[limits.smallRequestBytesMax, false], [limits.smallRequestBytesMax + 1, true]] as const) {
    const { turn, read } = compressed(limits.largeBodyBytesInFlightMax);
    const body = read(bytesMax);
    turn.resolve();
    if (isRefused) await expect(body).rejects.toMatchObject({ reason: "OVERLOADED" });
    else expect(Buffer.from(await body).toString()).toBe("text");
  }
});
