/** RPC RemoveExternalIds: answered when the resolver has decided each removal. */
import { create } from "@bufbuild/protobuf";
import { markOfMessage } from "../../../platform/intake/idempotency.ts";
import { scopeOf } from "../../../platform/request-context.ts";
import {
  type RemoveExternalIdsRequest,
  RemoveExternalIdsRequestSchema,
  type RemoveExternalIdsResponse,
  RemoveExternalIdsResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { submitDecided, type WriteParts } from "../intake/submit.ts";
import { itemErrors, takenItems } from "./item-outcomes.ts";
import { positionToToken } from "../../../platform/intake/position.ts";
import { repeatedWith } from "./request.ts";

export async function handleRemoveExternalIds(parts: WriteParts, message: RemoveExternalIdsRequest): Promise<RemoveExternalIdsResponse> {
  const { externalIds } = message;
  const { outcome, position, repeatOf } = await submitDecided(parts, scopeOf(message), {
    body: { case: "removeExternalIds", value: { externalIds } },
    mark: markOfMessage(
      RemoveExternalIdsRequestSchema,
      message,
      repeatedWith(RemoveExternalIdsResponseSchema, create(RemoveExternalIdsResponseSchema)),
    ),
  });
  return create(RemoveExternalIdsResponseSchema, {
    removedIds: takenItems(outcome, externalIds),
    errors: itemErrors(outcome, "external_ids"),
    position: positionToToken(position),
    replayed: repeatOf !== undefined,
  });
}
