/** RPC PreviewMerge. */
import { create } from "@bufbuild/protobuf";
import { Refusal } from "../../../platform/refusal.ts";
import {
  type PreviewMergeRequest,
  type PreviewMergeResponse,
  PreviewMergeResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { previewMerge, type PreviewParts } from "../domain/preview-merge.ts";
import { renderProfile } from "../domain/render-profile.ts";
import { mergeUpdateFromMessage } from "../intake/body-message.ts";
import { toJsonBytes } from "./json-bytes.ts";
import { readOf } from "./request.ts";

export async function handlePreviewMerge(parts: PreviewParts, message: PreviewMergeRequest): Promise<PreviewMergeResponse> {
  const { update, currencyRates } = message;
  if (update === undefined) throw new Refusal("INPUT_INVALID", "Expected a merge update, got none");
  const { profile, reason } = await previewMerge(parts, { ...readOf(message), update: mergeUpdateFromMessage(update) });
  return create(PreviewMergeResponseSchema, {
    ...(profile !== undefined && { resultJson: toJsonBytes(renderProfile(profile, { currencyRates })) }),
    outcome: reason,
  });
}
