/** RPC UpdateAliases: answered when the resolver has decided each rename. */
import { create } from "@bufbuild/protobuf";
import { limits } from "../../../platform/limits.ts";
import {
  ObjectErrorSchema,
  type UpdateAliasesRequest,
  UpdateAliasesRequestSchema,
  type UpdateAliasesResponse,
  UpdateAliasesResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { updateAliases } from "../domain/update-aliases.ts";
import type { WriteParts } from "../domain/submit.ts";
import { itemErrors } from "./item-outcomes.ts";
import { answered, writeOf } from "./request.ts";

export async function handleUpdateAliases(parts: WriteParts, message: UpdateAliasesRequest): Promise<UpdateAliasesResponse> {
  const answer = create(UpdateAliasesResponseSchema);
  const request = writeOf(
    { schema: UpdateAliasesRequestSchema, message },
    { schema: UpdateAliasesResponseSchema, message: answer, keepMs: limits.idempotencyKeepMs },
  );
  const renames = message.renames.map(({ label, oldName, newName }) => ({ label, oldName, newName }));
  const written = await updateAliases(parts, request, { type: "renameAliases", renames });
  const response = answered(UpdateAliasesResponseSchema, answer, written);
  response.errors = itemErrors(written.outcome, "alias_updates").map((error) => create(ObjectErrorSchema, error));
  return response;
}
