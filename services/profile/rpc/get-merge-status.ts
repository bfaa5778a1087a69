/** RPC GetMergeStatus. */
import { create } from "@bufbuild/protobuf";
import {
  type GetMergeStatusRequest,
  type GetMergeStatusResponse,
  GetMergeStatusResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ReadParts } from "../domain/catch-up.ts";
import { getMergeStatus } from "../domain/get-merge-status.ts";
import { readOf } from "./request.ts";

export async function handleGetMergeStatus(parts: ReadParts, message: GetMergeStatusRequest): Promise<GetMergeStatusResponse> {
  const outcomes = await getMergeStatus(parts, { ...readOf(message), jobId: message.jobId });
  return create(GetMergeStatusResponseSchema, {
    outcomes: outcomes.map(({ status, reason, sourceId, targetId, undoUntil }, index) => ({
      index,
      status,
      reason,
      sourceUserId: sourceId ?? "",
      targetUserId: targetId ?? "",
      undoUntil: BigInt(undoUntil),
    })),
  });
}
