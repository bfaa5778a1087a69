/** When a mesh is at rest: everything that was accepted is applied, and no process writes. */
import { setTimeout } from "node:timers/promises";

import { systemClock } from "../../../platform/clock.ts";
import { type LogsAtRest, lookAtLogs } from "../../../platform/epoch/at-rest.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { readPeer, readStreams } from "../../../platform/mesh-config.ts";
import { LogService } from "../../../proto/gen/heddle/log/v1/log_service_pb.ts";
import { withCalled } from "../../target/called-part.ts";
import { CommandError, printError } from "../../shell/output.ts";
import { type RestPatience, restPatience } from "./rest-patience.ts";
import { readSettings } from "../../target/settings.ts";

/** Two looks at the same end, with everything applied in both and in the rows of names too. */
export async function untilApplied(env: NodeJS.ProcessEnv): Promise<LogsAtRest> {
  let last: LogsAtRest | undefined;
  return await watchLogs(env, async (now) => {
    const isAtRest = now.mark === last?.mark && now.behind.length + last.behind.length === 0;
    last = now;
    return isAtRest && await areNamesWritten(env);
  });
}

/** What is accepted now is applied, whatever comes meanwhile: so that a pause of writes, which has to wait for the rest, is short. */
export async function untilBacklogApplied(env: NodeJS.ProcessEnv): Promise<void> {
  await watchLogs(env, (_, { isFirstLookApplied }) => Promise.resolve(isFirstLookApplied));
}

/** Looks again and again, and says what is waited for. */
async function watchLogs(
  env: NodeJS.ProcessEnv,
  isEnough: (now: LogsAtRest, patience: RestPatience) => Promise<boolean>,
): Promise<LogsAtRest> {
  const streams = readSettings(env, readStreams);
  const deps = { clock: systemClock, logger: silentLogger };
  let now = await lookAtLogs(streams, deps);
  const patience = restPatience(now, systemClock.monotonic());
  for (let printedAt = systemClock.monotonic();;) {
    if (await isEnough(now, patience)) return now;
    await setTimeout(lookAgainMs);
    now = await lookAtLogs(streams, deps);
    const at = systemClock.monotonic();
    if (patience.isOver(now, at)) throw new CommandError(`${whatLacks(now)}. Let the parts run and stop the gateways, then back up again`);
    if (at - printedAt < printEveryMs) continue;
    printedAt = at;
    printError(`${whatLacks(now)}. Waiting`);
  }
}

function whatLacks({ behind }: LogsAtRest): string {
  if (behind.length === 0) return "Something is being written";
  const others = behind.length > shownMax ? ` and ${behind.length - shownMax} more` : "";
  return `Not applied: ${behind.slice(0, shownMax).join(", ")}${others}`;
}

const shownMax = 5;
const printEveryMs = 10_000;

const lookAgainMs = 500;

/** The profile service alone knows: it writes the rows of a step after the step. */
async function areNamesWritten(env: NodeJS.ProcessEnv): Promise<boolean> {
  const peer = readSettings(env, (reader) => readPeer(reader, "profile"));
  const { lags } = await withCalled(LogService, { ...peer, caller: "operator" }, (client) => client.getStatus({}));
  return lags.every(({ records }) => records === 0n);
}
