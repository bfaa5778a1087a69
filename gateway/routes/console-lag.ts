/** GET /console/lag: how far lanes were behind in the last hours, for operators who come after it. */
import { limits } from "../../platform/limits.ts";
import { Refusal } from "../../platform/refusal.ts";
import type { LaneProgress } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

type Asked = Pick<Parts, "profile" | "subscription" | "messagingStatus">;

/** As the processes saw it that answer; a part that does not is named in `away`. */
export async function handleConsoleLag({ scope, reading }: Call, parts: Asked): Promise<Reply> {
  const asking = { requestId: scope.requestId, traceparent: scope.traceparent, withHistory: true };
  const asked = await Promise.all(
    services.map(([, part]) => parts[part].getProgress(asking, reading).then(({ lanes }) => lanes, noLanes)),
  );
  return success({
    step_seconds: limits.lagSampleMs / 1_000,
    lanes: asked.flatMap((lanes) => (lanes ?? []).map(laneOf)),
    away: services.filter((_, at) => asked[at] === undefined).map(([name]) => name),
  });
}

const services = [["profile", "profile"], ["subscription", "subscription"], ["messaging-status", "messagingStatus"]] as const;

function noLanes(error: unknown): undefined {
  if (error instanceof Refusal) return undefined;
  throw error;
}

function laneOf({ lane, samples }: LaneProgress): object {
  return {
    lane,
    samples: samples.map(({ at, records, seconds }) => [Number(at) / 1_000, Number(records), Math.round(seconds * 100) / 100]),
  };
}
