/** RPC RenameExternalIds: answered when the resolver has decided each rename. */
import { create } from "@bufbuild/protobuf";
import { markOfMessage } from "../../../platform/intake/idempotency.ts";
import { scopeOf } from "../../../platform/request-context.ts";
import {
  type RenameExternalIdsRequest,
  RenameExternalIdsRequestSchema,
  type RenameExternalIdsResponse,
  RenameExternalIdsResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { submitDecided, type WriteParts } from "../intake/submit.ts";
import { itemErrors, takenItems } from "./item-outcomes.ts";
import { positionToToken } from "../../../platform/intake/position.ts";
import { repeatedWith } from "./request.ts";

export async function handleRenameExternalIds(parts: WriteParts, message: RenameExternalIdsRequest): Promise<RenameExternalIdsResponse> {
  const { renames } = message;
  const { outcome, position, repeatOf } = await submitDecided(parts, scopeOf(message), {
    body: { case: "renameExternalIds", value: { renames } },
    mark: markOfMessage(
      RenameExternalIdsRequestSchema,
      message,
      repeatedWith(RenameExternalIdsResponseSchema, create(RenameExternalIdsResponseSchema)),
    ),
  });
  return create(RenameExternalIdsResponseSchema, {
    renamed: takenItems(outcome, renames),
    errors: itemErrors(outcome, "external_id_renames"),
    position: positionToToken(position),
    replayed: repeatOf !== undefined,
  });
}
