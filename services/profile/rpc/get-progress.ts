/** RPC GetProgress: how far this process knows what is accepted to be applied. */
import { create } from "@bufbuild/protobuf";
import {
  type GetProgressRequest,
  type GetProgressResponse,
  GetProgressResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { laneMessages } from "../../../platform/telemetry/lag-history.ts";
import type { WorkSource } from "../../../platform/telemetry/work-metrics.ts";

export async function handleGetProgress(
  { lags, history, backlog }: WorkSource,
  { withHistory }: Pick<GetProgressRequest, "withHistory">,
): Promise<GetProgressResponse> {
  const [lanes, { heldUsers, setAside }] = await Promise.all([lags(), backlog()]);
  return create(GetProgressResponseSchema, {
    lanes: laneMessages(lanes, withHistory ? history() : []),
    heldUsers,
    setAside,
  });
}
