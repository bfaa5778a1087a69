/** RPC UndoMerge. */
import { create } from "@bufbuild/protobuf";
import { limits } from "../../../platform/limits.ts";
import {
  type UndoMergeRequest,
  UndoMergeRequestSchema,
  type UndoMergeResponse,
  UndoMergeResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { undoMerge } from "../domain/undo-merge.ts";
import type { WriteParts } from "../domain/submit.ts";
import { answered, writeOf } from "./request.ts";

export async function handleUndoMerge(parts: WriteParts, message: UndoMergeRequest): Promise<UndoMergeResponse> {
  const answer = create(UndoMergeResponseSchema);
  const request = writeOf(
    { schema: UndoMergeRequestSchema, message },
    { schema: UndoMergeResponseSchema, message: answer, keepMs: limits.idempotencyKeepMs },
  );
  const written = await undoMerge(parts, request, { jobId: message.jobId, index: message.index });
  return answered(UndoMergeResponseSchema, answer, written);
}
