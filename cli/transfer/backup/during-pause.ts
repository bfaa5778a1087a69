/** Work while no gateway takes writes: the pause is renewed until the work is done, and ends with it and where a signal ends this process; of one that is killed it ends by itself. */
import { setTimeout } from "node:timers/promises";
import type { WritePause } from "../../../gateway/access/store/write-pause.ts";
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import { withUndo } from "../../shell/interrupts.ts";
import { CommandError } from "../../shell/output.ts";

/** Throws where the pause ran out during the work, as something may have been written then. */
export async function duringPause<T>({ writes, clock }: { writes: WritePause; clock: Clock }, work: () => Promise<T>): Promise<T> {
  const ended = new AbortController();
  let lastsUntil = clock.monotonic() + limits.writePauseMs;
  let ranOut = false;

  async function pause(): Promise<void> {
    const asked = clock.monotonic();
    await writes.pause(clock.now() + limits.writePauseMs);
    if (clock.monotonic() > lastsUntil) ranOut = true;
    lastsUntil = asked + limits.writePauseMs;
  }
  async function renew(): Promise<void> {
    while (!ended.signal.aborted) {
      await setTimeout(limits.writePauseRenewMs, undefined, { signal: ended.signal }).catch(() => {});
      if (!ended.signal.aborted) await pause().catch(() => {});
    }
  }
  let renewing = Promise.resolve();
  /** Behind a pause that is under way, which would come after it. */
  async function goOn(): Promise<void> {
    ended.abort();
    await renewing;
    await writes.pause(0).catch(() => {});
  }
  let ending: Promise<void> | undefined;
  function end(): Promise<void> {
    return ending ??= goOn();
  }
  return await withUndo(end, async () => {
    try {
      const paused = pause();
      renewing = paused.then(renew, () => {});
      await paused;
      // Gateways look for it several times a second, and end what they began before
      await setTimeout(limits.writePauseHeardMs, undefined, { signal: ended.signal });
      const result = await work();
      if (ranOut || clock.monotonic() > lastsUntil) {
        throw new CommandError("Writes were not paused all the time, as Cassandra did not answer: back up again");
      }
      return result;
    } finally {
      await end();
    }
  });
}
