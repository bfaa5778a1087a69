/** GET /console/rejected and POST /console/rejected/admit: the users that /users/track rejects, and how one is admitted again. */
import type { RejectedUser } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { bodyFields } from "../decode/fields.ts";
import { userKeyOf } from "../decode/identifiers.ts";
import { readReply, success } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

export async function handleConsoleRejected(call: Call, { profile }: Pick<Deps, "profile">): Promise<Reply> {
  const { users, behind } = await profile.listRejectedUsers({ scope: call.scope }, call.reading);
  return readReply({ users: users.map(userOf) }, { behind });
}

export async function handleConsoleRejectedAdmit(call: Call, { profile }: Pick<Deps, "profile">): Promise<Reply> {
  const user = userKeyOf(bodyFields(call.body), ["external_id", "user_alias", "platform_id"]);
  return success({}, await profile.admitUser({ scope: call.scope, user }));
}

function userOf({ userId, externalId, aliases, counted, count, max }: RejectedUser): object {
  return {
    platform_id: userId,
    ...(externalId !== undefined && { external_id: externalId }),
    ...(aliases.length > 0 && { user_aliases: aliases.map(({ name, label }) => ({ alias_name: name, alias_label: label })) }),
    counted,
    count: Number(count),
    max: Number(max),
  };
}
