/** RPC UpdateAliases. */
import { create } from "@bufbuild/protobuf";
import { limits } from "../../../platform/limits.ts";
import {
  type UpdateAliasesRequest,
  UpdateAliasesRequestSchema,
  type UpdateAliasesResponse,
  UpdateAliasesResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { updateAliases } from "../domain/update-aliases.ts";
import type { WriteParts } from "../domain/submit.ts";
import { answered, writeOf } from "./request.ts";

export async function handleUpdateAliases(parts: WriteParts, message: UpdateAliasesRequest): Promise<UpdateAliasesResponse> {
  const answer = create(UpdateAliasesResponseSchema);
  const request = writeOf(
    { schema: UpdateAliasesRequestSchema, message },
    { schema: UpdateAliasesResponseSchema, message: answer, keepMs: limits.idempotencyKeepMs },
  );
  const renames = message.renames.map(({ label, oldName, newName }) => ({ label, oldName, newName }));
  const written = await updateAliases(parts, request, { type: "renameAliases", renames });
  return answered(UpdateAliasesResponseSchema, answer, written);
}
