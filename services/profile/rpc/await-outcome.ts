/** RPC AwaitOutcome: what became of a request that another service appended. */
import { Buffer } from "node:buffer";
import { create } from "@bufbuild/protobuf";
import { Refusal } from "../../../platform/refusal.ts";
import {
  type AwaitOutcomeRequest,
  type AwaitOutcomeResponse,
  AwaitOutcomeResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { decidedRepeat, type WriteParts } from "../intake/submit.ts";
import { positionFromToken } from "../../../platform/intake/position.ts";

export async function handleAwaitOutcome(parts: WriteParts, message: AwaitOutcomeRequest): Promise<AwaitOutcomeResponse> {
  const position = positionFromToken(message.position);
  if (position === undefined) throw new Refusal("POSITION_INVALID");
  const { repeatOf } = await decidedRepeat(parts, position);
  return create(AwaitOutcomeResponseSchema, { repeat: repeatOf !== undefined, answer: Buffer.from(repeatOf ?? "", "base64") });
}
