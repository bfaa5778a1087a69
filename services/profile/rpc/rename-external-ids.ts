/** RPC RenameExternalIds: answered when the resolver has decided each rename. */
import { create } from "@bufbuild/protobuf";
import { limits } from "../../../platform/limits.ts";
import {
  type RenameExternalIdsRequest,
  RenameExternalIdsRequestSchema,
  type RenameExternalIdsResponse,
  RenameExternalIdsResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { renameExternalIds } from "../domain/rename-external-ids.ts";
import type { WriteParts } from "../domain/submit.ts";
import { renameFromMessage } from "../intake/body-message.ts";
import { itemErrors, takenItems } from "./item-outcomes.ts";
import { positionToToken } from "./position-token.ts";
import { writeOf } from "./request.ts";

export async function handleRenameExternalIds(
  parts: WriteParts,
  message: RenameExternalIdsRequest,
): Promise<RenameExternalIdsResponse> {
  const request = writeOf(
    { schema: RenameExternalIdsRequestSchema, message },
    { schema: RenameExternalIdsResponseSchema, message: create(RenameExternalIdsResponseSchema), keepMs: limits.idempotencyKeepMs },
  );
  const renames = message.renames.map(renameFromMessage);
  const { outcome, position, repeatOf } = await renameExternalIds(parts, request, { type: "renameExternalIds", renames });
  return create(RenameExternalIdsResponseSchema, {
    renamed: takenItems(outcome, message.renames),
    errors: itemErrors(outcome, "external_id_renames"),
    position: positionToToken(position),
    replayed: repeatOf !== undefined,
  });
}
