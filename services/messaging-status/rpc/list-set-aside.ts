/** RPC ListSetAside. */
import { create } from "@bufbuild/protobuf";
import { limits } from "../../../platform/limits.ts";
import {
  type ListSetAsideRequest,
  type ListSetAsideResponse,
  ListSetAsideResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";

export async function handleListSetAside({ setAside }: ServiceParts, { limit }: ListSetAsideRequest): Promise<ListSetAsideResponse> {
  const max = Math.min(limit || limits.setAsidePageMax, limits.setAsidePageMax);
  const records = (await setAside.listSetAside(max)).map(({ reason, record: { workspaceId, sequence, part, key, body } }) => ({
    workspaceId,
    sequence: BigInt(sequence),
    part,
    key,
    reason,
    body,
  }));
  return create(ListSetAsideResponseSchema, { records });
}
