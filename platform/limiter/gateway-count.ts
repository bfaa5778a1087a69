/** How many gateways share the limits: each says in Redis that it is there, and learns of the others by it. */
import type { Redis } from "ioredis";
import type { Clock } from "../clock.ts";
import { newId } from "../identifier.ts";
import { limits } from "../limits.ts";
import { repeatedly } from "../repeatedly.ts";
import { readScript } from "./script.ts";

export interface GatewayCount {
  /** As Redis last said, or as was expected where it has not said anything yet; this one among them. */
  readonly count: number;
  /** Says that it is there, from now on; resolves when that was tried. */
  begin(): Promise<void>;
  /** Takes itself out, where Redis hears it. */
  close(): Promise<void>;
}

/**
 * While Redis is away the last count stays, and so it does where Redis comes back empty, until all have spoken who speak: gateways that end then leave some
 * of the limit unused, and none is admitted twice.
 */
export function openGatewayCount({ clock, redis, installation, expected }: GatewayCountDeps): GatewayCount {
  const id = newId("gw_", clock);
  // As buckets are called: a user of Redis may be granted these keys alone
  const keys = [`limit:{${installation}}:gateways`];
  let count = expected;
  let end: (() => void) | undefined;
  let hasSpoken = false;
  let forgottenAt = -Infinity;

  async function say(silenceMs: number): Promise<void> {
    const [found, isNew] = await runCount(redis, keys, [id, silenceMs]);
    // Where this one was forgotten, others were
    if (hasSpoken && isNew === 1) forgottenAt = clock.monotonic();
    hasSpoken = true;
    const least = clock.monotonic() - forgottenAt < limits.gatewaySilenceMs ? count : 1;
    count = Math.max(least, Number(found));
  }
  async function beat(): Promise<void> {
    await say(limits.gatewaySilenceMs).catch(() => {});
  }
  return {
    get count() {
      return count;
    },
    async begin() {
      end = repeatedly(clock, limits.gatewayBeatMs, beat);
      await beat();
    },
    async close() {
      if (end === undefined) return;
      end();
      await say(0).catch(() => {});
    },
  };
}

const runCount = readScript("gateway-count.lua");

interface GatewayCountDeps {
  readonly clock: Clock;
  /** Answers or rejects within its own deadline. */
  readonly redis: Pick<Redis, "evalsha" | "eval">;
  readonly installation: string;
  readonly expected: number;
}
