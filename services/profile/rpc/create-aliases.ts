/** RPC CreateAliases: answered when the resolver has decided each alias. */
import { create } from "@bufbuild/protobuf";
import { markOfMessage } from "../../../platform/intake/idempotency.ts";
import { scopeOf } from "../../../platform/request-context.ts";
import {
  type CreateAliasesRequest,
  CreateAliasesRequestSchema,
  type CreateAliasesResponse,
  CreateAliasesResponseSchema,
  ObjectErrorSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { submitDecided, type WriteParts } from "../intake/submit.ts";
import { itemErrors } from "./item-outcomes.ts";
import { answered, repeatedWith } from "./request.ts";

export async function handleCreateAliases(parts: WriteParts, message: CreateAliasesRequest): Promise<CreateAliasesResponse> {
  const answer = create(CreateAliasesResponseSchema, { aliasesProcessed: message.aliases.length });
  const written = await submitDecided(parts, scopeOf(message), {
    body: { case: "createAliases", value: { aliases: message.aliases } },
    mark: markOfMessage(CreateAliasesRequestSchema, message, repeatedWith(CreateAliasesResponseSchema, answer)),
  });
  const response = answered(CreateAliasesResponseSchema, answer, written);
  response.errors = itemErrors(written.outcome, "user_aliases").map((error) => create(ObjectErrorSchema, error));
  response.aliasesProcessed -= response.errors.length;
  return response;
}
