/** POST /users/track/sync: one object, answered with the user after it was applied (api-facts 2.9). */
import { errorsAtPlaces } from "../decode/elements.ts";
import { knownGroupsOf } from "../decode/known-groups.ts";
import { receiptHeaders, usersBody } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

/** `users` is empty where update-only found no user. */
export async function handleUsersTrackSync(call: Call, { profile, subscription }: Pick<Parts, "profile" | "subscription">): Promise<Reply> {
  const response = await profile.trackUsersSync({
    scope: call.scope,
    bodyJson: call.body,
    ...await knownGroupsOf(call, { subscription }),
  });
  const errors = errorsAtPlaces(response.errors);
  return { body: usersBody(response.usersJson, errors.length > 0 ? { errors } : {}), headers: receiptHeaders(response) };
}
