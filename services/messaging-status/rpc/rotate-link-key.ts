/** RPC RotateLinkKey. */
import { create } from "@bufbuild/protobuf";
import {
  type RotateLinkKeyRequest,
  type RotateLinkKeyResponse,
  RotateLinkKeyResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";

export async function handleRotateLinkKey(parts: ServiceParts, _message: RotateLinkKeyRequest): Promise<RotateLinkKeyResponse> {
  return create(RotateLinkKeyResponseSchema, { keyId: String(await parts.links.rotate()) });
}
