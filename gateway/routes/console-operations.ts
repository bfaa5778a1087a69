/** /console for operators: processes, what the doctor finds, and how far lanes were behind. */
import { limits } from "../../platform/limits.ts";
import type { LaneProgress } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { success, unlessRefused } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

/** GET /console/processes: which processes run, of which build and last seen when. */
export async function handleConsoleProcesses(_: Call, { console }: Pick<Deps, "console">): Promise<Reply> {
  const processes = await console.processes();
  return success({
    processes: processes.map(({ startedAt, heardAt, ...process }) => ({
      ...process,
      started_at: new Date(startedAt).toISOString(),
      heard_at: new Date(heardAt).toISOString(),
      late: console.now() - heardAt > limits.processLateMs,
    })),
  });
}

/** GET /console/doctor: what `heddle doctor` says, as far as this process can look. */
export async function handleConsoleDoctor(_: Call, { console }: Pick<Deps, "console">): Promise<Reply> {
  const { at, findings } = await console.examined();
  return success({ examined_at: new Date(at).toISOString(), findings });
}

/** GET /console/lag: the last hours, as the processes saw them that answer; a part that does not is named in `away`. */
export async function handleConsoleLag(
  { scope, reading }: Call,
  deps: Pick<Deps, "profile" | "subscription" | "messagingStatus">,
): Promise<Reply> {
  const asking = { requestId: scope.requestId, traceparent: scope.traceparent, withHistory: true };
  const asked = await Promise.all(services.map(([, part]) => unlessRefused(deps[part].getProgress(asking, reading))));
  return success({
    step_seconds: limits.lagSampleMs / 1_000,
    lanes: asked.flatMap((answer) => (answer?.lanes ?? []).map(laneOf)),
    away: services.filter((_, at) => asked[at] === undefined).map(([name]) => name),
  });
}

const services = [["profile", "profile"], ["subscription", "subscription"], ["messaging-status", "messagingStatus"]] as const;

function laneOf({ lane, samples }: LaneProgress): object {
  return {
    lane,
    samples: samples.map(({ at, records, seconds }) => [Number(at) / 1_000, Number(records), Math.round(seconds * 100) / 100]),
  };
}
