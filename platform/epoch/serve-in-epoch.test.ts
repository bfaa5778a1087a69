/** What a part says while log and rows do not fit: why it refuses now, not only why it once began to. */
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { silentLogger } from "../logger.ts";
import { Refusal } from "../refusal.ts";
import { serveInEpoch } from "./serve-in-epoch.ts";

test("a part that was mended and cannot open for another reason says that one too, once, until it serves", async () => {
  const clock = fakeClock();
  const unfit = 'The stream "x_intake" is unfit: it was made for 4 partitions, expected 1';
  const outcomes: (Error | "serves")[] = [
    new Refusal("EPOCH_MISMATCH", 'the stream "x_intake" is gone'),
    new Error(unfit),
    new Error(unfit),
    "serves",
  ];
  let opened = 0;
  const part = await serveInEpoch({
    services: [],
    callers: new Map(),
    rpc: { port: 0, host: "127.0.0.1" },
    clock,
    logger: silentLogger,
    async open({ beforeListen }) {
      const outcome = outcomes[opened++];
      if (outcome instanceof Error) throw outcome;
      await beforeListen();
      return { url: "http://127.0.0.1:1", health: () => ({ ready: true }), close: () => Promise.resolve() };
    },
  });
  expect(part.health()).toEqual({ ready: false, reason: 'the stream "x_intake" is gone' });
  for (const attempts of [2, 3]) {
    clock.advance(limits.epochRetryMs);
    await expect.poll(() => opened).toBe(attempts);
    await expect.poll(() => part.health().reason).toContain(unfit);
    expect(part.health().reason?.split(unfit)).toHaveLength(2);
    expect(part.health().reason).toContain('"x_intake" is gone');
  }
  await expect.poll(() => {
    clock.advance(limits.epochRetryMs);
    return part.health();
  }).toEqual({ ready: true });
  await part.close();
});
