/** Work while no gateway takes writes: the pause is renewed until the work is done, and ends by itself where this process dies. */
import { setTimeout } from "node:timers/promises";
import { openMeshAccess, readMeshAccess } from "../gateway/mesh-access.ts";
import { systemClock } from "../platform/clock.ts";
import { limits } from "../platform/limits.ts";
import { silentLogger } from "../platform/logger.ts";
import { CommandError } from "./output.ts";
import { readSettings } from "./settings.ts";

/** Throws where the pause ran out during the work, as something may have been written then. */
export async function withPausedWrites<T>(env: NodeJS.ProcessEnv, work: () => Promise<T>): Promise<T> {
  const clock = systemClock;
  const { writes, close } = await openMeshAccess(readSettings(env, readMeshAccess), { clock, logger: silentLogger });
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
  try {
    await pause();
    renewing = renew();
    // Gateways look for it several times a second, and end what they began before
    await setTimeout(limits.writePauseHeardMs);
    const result = await work();
    if (ranOut || clock.monotonic() > lastsUntil) {
      throw new CommandError("Writes were not paused all the time, as Cassandra did not answer: back up again");
    }
    return result;
  } finally {
    ended.abort();
    await renewing;
    await writes.pause(0).catch(() => {});
    await close();
  }
}
