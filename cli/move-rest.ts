/** When a mesh is at rest: everything that was accepted is applied, and nobody writes. */
import { setTimeout } from "node:timers/promises";

import { systemClock } from "../platform/clock.ts";
import { type LogsAtRest, lookAtLogs } from "../platform/lane/at-rest.ts";
import { limits } from "../platform/limits.ts";
import { silentLogger } from "../platform/logger.ts";
import { readPeer, readStreams } from "../platform/mesh-config.ts";
import { connectClient } from "../platform/rpc/client.ts";
import { LogService } from "../proto/gen/heddle/log/v1/log_service_pb.ts";
import { CommandError } from "./output.ts";
import { readSettings } from "./settings.ts";

/** Two looks at the same end, with everything applied in both and in the rows of names too. */
export async function untilApplied(env: NodeJS.ProcessEnv): Promise<LogsAtRest> {
  const streams = readSettings(env, readStreams);
  const parts = { clock: systemClock, logger: silentLogger };
  const endsAt = systemClock.monotonic() + limits.backupWaitMs;
  let last = await lookAtLogs(streams, parts);
  for (;;) {
    const now = await lookAtLogs(streams, parts);
    const isAtRest = now.mark === last.mark && now.behind.length + last.behind.length === 0;
    if (isAtRest && await areNamesWritten(env)) return now;
    if (systemClock.monotonic() > endsAt) {
      const what = now.behind.length > 0 ? `Not applied: ${now.behind.slice(0, 5).join(", ")}` : "Something is being written";
      throw new CommandError(`${what}. Let the parts run and stop the gateways, then back up again`);
    }
    last = now;
    await setTimeout(lookAgainMs);
  }
}

const lookAgainMs = 500;

/** The profile service alone knows: it writes the rows of a step after the step. */
async function areNamesWritten(env: NodeJS.ProcessEnv): Promise<boolean> {
  const peer = readSettings(env, (reader) => readPeer(reader, "profile"));
  const { client, close } = connectClient(LogService, { ...peer, caller: "operator", deadlineMs: limits.drainMsMax, clock: systemClock });
  try {
    const { lags } = await client.getStatus({});
    return lags.every(({ records }) => records === 0n);
  } finally {
    close();
  }
}
