/** RPC CreateAliases: answered when the resolver has decided each alias. */
import { create } from "@bufbuild/protobuf";
import { limits } from "../../../platform/limits.ts";
import {
  type CreateAliasesRequest,
  CreateAliasesRequestSchema,
  type CreateAliasesResponse,
  CreateAliasesResponseSchema,
  ObjectErrorSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { createAliases } from "../domain/create-aliases.ts";
import type { WriteParts } from "../domain/submit.ts";
import { newAliasFromMessage } from "../intake/body-message.ts";
import { itemErrors } from "./item-outcomes.ts";
import { answered, writeOf } from "./request.ts";

export async function handleCreateAliases(parts: WriteParts, message: CreateAliasesRequest): Promise<CreateAliasesResponse> {
  const answer = create(CreateAliasesResponseSchema, { aliasesProcessed: message.aliases.length });
  const request = writeOf(
    { schema: CreateAliasesRequestSchema, message },
    { schema: CreateAliasesResponseSchema, message: answer, keepMs: limits.idempotencyKeepMs },
  );
  const aliases = message.aliases.map(newAliasFromMessage);
  const written = await createAliases(parts, request, { type: "createAliases", aliases });
  const response = answered(CreateAliasesResponseSchema, answer, written);
  response.errors = itemErrors(written.outcome, "user_aliases").map((error) => create(ObjectErrorSchema, error));
  response.aliasesProcessed -= response.errors.length;
  return response;
}
