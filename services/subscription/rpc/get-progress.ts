/** RPC GetProgress. */
import { create } from "@bufbuild/protobuf";
import { type GetProgressResponse, GetProgressResponseSchema } from "../../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import type { ServiceParts } from "./parts.ts";

export async function handleGetProgress({ work }: ServiceParts): Promise<GetProgressResponse> {
  const [lanes, { setAside }] = await Promise.all([work.lags(), work.backlog()]);
  return create(GetProgressResponseSchema, {
    lanes: lanes.map(({ lane, records, seconds }) => ({ lane, records: BigInt(records), seconds })),
    setAside,
  });
}
