/** RPC SkipSetAside. */
import { create } from "@bufbuild/protobuf";
import {
  type SkipSetAsideRequest,
  type SkipSetAsideResponse,
  SkipSetAsideResponseSchema,
} from "../../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import type { ServiceParts } from "./parts.ts";

export async function handleSkipSetAside({ setAside }: ServiceParts, message: SkipSetAsideRequest): Promise<SkipSetAsideResponse> {
  const { workspaceId, sequence, part } = message;
  await setAside.skipSetAside({ workspaceId, sequence: Number(sequence), part });
  return create(SkipSetAsideResponseSchema);
}
