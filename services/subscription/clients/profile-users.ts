/** Who is meant: the FindUsers port by the profile service's ResolveUsers. */
import type { Client } from "@connectrpc/connect";
import type { UserKey } from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import type { ProfileService, Scope } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { FindUsers } from "../domain/ports.ts";

export function profileUsers(
  profile: Pick<Client<typeof ProfileService>, "resolveUsers">,
  scope: Scope,
  keys: readonly Pick<UserKey, "key">[],
): FindUsers {
  return async () => {
    const answer = await profile.resolveUsers({ scope, users: [...keys] });
    const found = answer.keys.map(({ users }) =>
      users.map(({ userId, externalId = null, email = null, phone = null }) => ({ userId, externalId, email, phone }))
    );
    return { found, behind: answer.behind, end: answer.end };
  };
}
