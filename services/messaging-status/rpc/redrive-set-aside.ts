/** RPC RedriveSetAside. */
import { create } from "@bufbuild/protobuf";
import {
  type RedriveSetAsideResponse,
  RedriveSetAsideResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";

export async function handleRedriveSetAside({ setAside }: ServiceParts): Promise<RedriveSetAsideResponse> {
  return create(RedriveSetAsideResponseSchema, { records: await setAside.redriveSetAside() });
}
