/** RPC GetProgress: how far this process knows what is accepted to be applied. */
import { create } from "@bufbuild/protobuf";
import { type GetProgressResponse, GetProgressResponseSchema } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { WorkSource } from "../../../platform/telemetry/work-metrics.ts";

export async function handleGetProgress({ lags, backlog }: WorkSource): Promise<GetProgressResponse> {
  const [lanes, { heldUsers, setAside }] = await Promise.all([lags(), backlog()]);
  return create(GetProgressResponseSchema, {
    lanes: lanes.map(({ lane, records, seconds }) => ({ lane, records: BigInt(records), seconds })),
    heldUsers,
    setAside,
  });
}
