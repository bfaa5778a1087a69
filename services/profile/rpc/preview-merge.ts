/** RPC PreviewMerge. */
import { create } from "@bufbuild/protobuf";
import { Refusal } from "../../../platform/refusal.ts";
import {
  type PreviewMergeRequest,
  type PreviewMergeResponse,
  PreviewMergeResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { type EmailStatuses, statusesOf, statusOf } from "../domain/email-statuses.ts";
import { previewMerge, type PreviewPorts } from "../domain/preview-merge.ts";
import { renderProfile } from "../domain/render-profile.ts";
import { mergeUpdateFromMessage } from "../intake/body-message.ts";
import { toJsonBytes } from "./json-bytes.ts";
import { readOf } from "./request.ts";

export async function handlePreviewMerge(
  parts: PreviewPorts & { readonly emailStatuses: EmailStatuses },
  message: PreviewMergeRequest,
): Promise<PreviewMergeResponse> {
  const { update, currencyRates } = message;
  if (update === undefined) throw new Refusal("INPUT_INVALID", "Expected a merge update, got none");
  const request = readOf(message);
  const { profile, waiting, emailStatus, reason } = await previewMerge(parts, { ...request, update: mergeUpdateFromMessage(update) });
  if (profile === undefined) return create(PreviewMergeResponseSchema, { outcome: reason });
  const status = emailStatus === undefined
    ? statusOf(await statusesOf(parts, [profile], { ...request, waiting }), profile)
    : { emailSubscribe: emailStatus };
  return create(PreviewMergeResponseSchema, {
    resultJson: toJsonBytes(renderProfile(profile, { currencyRates, ...status })),
    outcome: reason,
  });
}
