/** Whose page it is, and what of their profile it shows: the People port by the profile service's ResolveUsers and ExportUsers. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { limits } from "../../../platform/limits.ts";
import type { UserKeySchema } from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import type { ProfileService } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { pageActor, type PageRequest, type People, type Person } from "../domain/page-ports.ts";
import { noFields, personFields, standardFields } from "../domain/person-fields.ts";

type Asking = PageRequest & { readonly actor?: string; readonly readAfter?: string };

export function profilePeople(profile: Pick<Client<typeof ProfileService>, "exportUsers" | "resolveUsers">): People {
  async function find(request: Asking, key: NonNullable<MessageInitShape<typeof UserKeySchema>["key"]>): Promise<Person | undefined> {
    const { keys } = await profile.resolveUsers({ scope: scopeOf(request), users: [{ key }] });
    const user = keys[0]?.users[0];
    if (user === undefined) return undefined;
    return { userId: key.case === "platformId" ? key.value : user.userId, email: user.email ?? null };
  }
  return {
    byExternalId: (request, externalId) => find(request, { case: "externalId", value: externalId }),
    byUserId: (request, userId) => find(request, { case: "platformId", value: userId }),
    async fields(request, userId, wanted) {
      const { usersJson: [json] } = await profile.exportUsers({
        scope: scopeOf(request),
        users: [{ key: { case: "platformId", value: userId } }],
        fields: [
          ...[...wanted.standard].flatMap((name) => standardFields.get(name) ?? []),
          ...wanted.custom.size > 0 ? ["custom_attributes"] : [],
        ],
        customAttributes: [...wanted.custom],
      }, { timeoutMs: limits.pageFieldsWaitMs });
      return json === undefined ? noFields : personFields(JSON.parse(new TextDecoder().decode(json)), wanted);
    },
  };
}

function scopeOf({ workspaceId, requestId, traceparent, actor = pageActor, readAfter = "" }: Asking) {
  return { workspaceId, requestId, actor, traceparent, readAfter };
}
