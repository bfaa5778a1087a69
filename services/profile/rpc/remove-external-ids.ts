/** RPC RemoveExternalIds: answered when the resolver has decided each removal. */
import { create } from "@bufbuild/protobuf";
import { limits } from "../../../platform/limits.ts";
import {
  type RemoveExternalIdsRequest,
  RemoveExternalIdsRequestSchema,
  type RemoveExternalIdsResponse,
  RemoveExternalIdsResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { removeExternalIds } from "../domain/remove-external-ids.ts";
import type { WriteParts } from "../domain/submit.ts";
import { itemErrors, takenItems } from "./item-outcomes.ts";
import { positionToToken } from "./position-token.ts";
import { writeOf } from "./request.ts";

export async function handleRemoveExternalIds(
  parts: WriteParts,
  message: RemoveExternalIdsRequest,
): Promise<RemoveExternalIdsResponse> {
  const request = writeOf(
    { schema: RemoveExternalIdsRequestSchema, message },
    { schema: RemoveExternalIdsResponseSchema, message: create(RemoveExternalIdsResponseSchema), keepMs: limits.idempotencyKeepMs },
  );
  const { externalIds } = message;
  const { outcome, position, repeatOf } = await removeExternalIds(parts, request, { type: "removeExternalIds", externalIds });
  return create(RemoveExternalIdsResponseSchema, {
    removedIds: takenItems(outcome, externalIds),
    errors: itemErrors(outcome, "external_ids"),
    position: positionToToken(position),
    replayed: repeatOf !== undefined,
  });
}
