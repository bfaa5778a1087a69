/** RPC UpdateAliases: answered when the resolver has decided each rename. */
import { create } from "@bufbuild/protobuf";
import { markOfMessage } from "../../../platform/intake/idempotency.ts";
import { scopeOf } from "../../../platform/request-context.ts";
import {
  ObjectErrorSchema,
  type UpdateAliasesRequest,
  UpdateAliasesRequestSchema,
  type UpdateAliasesResponse,
  UpdateAliasesResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { submitDecided, type WriteParts } from "../intake/submit.ts";
import { itemErrors } from "./item-outcomes.ts";
import { answered, repeatedWith } from "./request.ts";

export async function handleUpdateAliases(parts: WriteParts, message: UpdateAliasesRequest): Promise<UpdateAliasesResponse> {
  const answer = create(UpdateAliasesResponseSchema);
  const written = await submitDecided(parts, scopeOf(message), {
    body: { case: "renameAliases", value: { renames: message.renames } },
    mark: markOfMessage(UpdateAliasesRequestSchema, message, repeatedWith(UpdateAliasesResponseSchema, answer)),
  });
  const response = answered(UpdateAliasesResponseSchema, answer, written);
  response.errors = itemErrors(written.outcome, "alias_updates").map((error) => create(ObjectErrorSchema, error));
  return response;
}
