/** Who is meant: the Users port by the profile service's ResolveUsers. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { UserKeySchema } from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import type { ProfileService, Scope } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { UserKey, Users } from "../domain/ports.ts";

export function profileUsers(profile: Pick<Client<typeof ProfileService>, "resolveUsers">, scope: Scope): Users {
  return {
    async find(keys) {
      const answer = await profile.resolveUsers({ scope, users: keys.map(toMessage) });
      const found = answer.keys.map(({ users }) =>
        users.map(({ userId, externalId = null, email = null, phone = null }) => ({ userId, externalId, email, phone }))
      );
      return { found, behind: answer.behind, end: answer.end };
    },
  };
}

function toMessage(key: UserKey): MessageInitShape<typeof UserKeySchema> {
  switch (key.by) {
    case "externalId":
      return { key: { case: "externalId", value: key.id } };
    case "email":
      return { key: { case: "email", value: key.address } };
    case "phone":
      return { key: { case: "phone", value: key.number } };
  }
}
