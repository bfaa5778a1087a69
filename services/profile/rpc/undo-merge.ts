/** RPC UndoMerge: answered when the resolver has decided it. */
import { create } from "@bufbuild/protobuf";
import { markOfMessage } from "../../../platform/intake/idempotency.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { scopeOf } from "../../../platform/request-context.ts";
import {
  type UndoMergeRequest,
  UndoMergeRequestSchema,
  type UndoMergeResponse,
  UndoMergeResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { submitDecided, type WriteParts } from "../intake/submit.ts";
import { answered, repeatedWith } from "./request.ts";

export async function handleUndoMerge(parts: WriteParts, message: UndoMergeRequest): Promise<UndoMergeResponse> {
  const answer = create(UndoMergeResponseSchema);
  const { jobId, index } = message;
  const written = await submitDecided(parts, scopeOf(message), {
    body: { case: "undoMerge", value: { jobId, index } },
    mark: markOfMessage(UndoMergeRequestSchema, message, repeatedWith(UndoMergeResponseSchema, answer)),
  });
  const refused = written.outcome.items?.find((item) => !item.ok);
  if (refused !== undefined) throw new Refusal("STATE_CONFLICT", refused.reason);
  return answered(UndoMergeResponseSchema, answer, written);
}
