/** Whose page it is: the People port by the profile service's ResolveUsers. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { UserKeySchema } from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import type { ProfileService } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { PageRequest, People, Person } from "../domain/page-ports.ts";
import { pageActor } from "./page-actor.ts";

export function profilePeople(profile: Pick<Client<typeof ProfileService>, "resolveUsers">): People {
  async function find(
    { workspaceId, requestId, traceparent, actor = pageActor }: PageRequest & { readonly actor?: string },
    key: NonNullable<MessageInitShape<typeof UserKeySchema>["key"]>,
  ): Promise<Person | undefined> {
    const { keys } = await profile.resolveUsers({ scope: { workspaceId, requestId, actor, traceparent }, users: [{ key }] });
    const user = keys[0]?.users[0];
    if (user?.externalId === undefined) return undefined;
    return { userId: user.userId, externalId: user.externalId, email: user.email ?? null };
  }
  return {
    byExternalId: (request, externalId) => find(request, { case: "externalId", value: externalId }),
    byUserId: (request, userId) => find(request, { case: "platformId", value: userId }),
  };
}
