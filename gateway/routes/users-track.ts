/** /users/track: the body passes through as bytes; the service reads it. */
import { limits } from "../../platform/limits.ts";
import type { TrackUsersResponse } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { errorsAtPlaces } from "../decode/elements.ts";
import { knownGroupsOf } from "../decode/known-groups.ts";
import { receiptHeaders, usersBody } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

/** POST /users/track: 201 also with partial errors. Plans by monthly active users take 50 objects in all, others 75 in each array. */
export async function handleUsersTrack(call: Call, deps: Pick<Deps, "profile" | "subscription">): Promise<Reply> {
  const combined = call.spent.permit.caller.holder.workspace.plan.kind === "monthly_active_users";
  const bounds = combined ? { objectsMax: limits.trackObjectsCombinedMauMax } : { objectsPerArrayMax: limits.trackObjectsPerArrayMax };
  return await trackWith(call, deps, bounds);
}

const noBounds = { objectsPerArrayMax: 0, objectsMax: 0, objectsPerUserMax: 0, bulk: false };

async function trackWith(
  call: Call,
  { profile, subscription }: Pick<Deps, "profile" | "subscription">,
  bounds: Partial<typeof noBounds>,
): Promise<Reply> {
  const groups = await knownGroupsOf(call, { subscription });
  return trackReply(await profile.trackUsers({ scope: call.scope, bodyJson: call.body, ...groups, ...noBounds, ...bounds }));
}

/** Counts of the arrays that were sent, `message`, and `errors` where an object was not taken. Built by hand: the hot path. */
export function trackReply(response: TrackUsersResponse): Reply {
  let body = "{";
  if (response.attributesProcessed !== undefined) body += `"attributes_processed":${response.attributesProcessed},`;
  if (response.eventsProcessed !== undefined) body += `"events_processed":${response.eventsProcessed},`;
  if (response.purchasesProcessed !== undefined) body += `"purchases_processed":${response.purchasesProcessed},`;
  body += '"message":"success"';
  if (response.errors.length > 0) body += `,"errors":${JSON.stringify(errorsAtPlaces(response.errors))}`;
  return { body: `${body}}`, headers: receiptHeaders(response) };
}

/** POST /users/track/bulk (api-facts 2.9): with lower priority, up to 1,000 objects in all and 100 for one user. */
export async function handleUsersTrackBulk(call: Call, deps: Pick<Deps, "profile" | "subscription">): Promise<Reply> {
  return await trackWith(call, deps, { objectsMax: limits.bulkObjectsMax, objectsPerUserMax: limits.bulkObjectsPerUserMax, bulk: true });
}

/** POST /users/track/sync (api-facts 2.9): one object, answered with the user as it is then; `users` is empty where update-only found none. */
export async function handleUsersTrackSync(call: Call, { profile, subscription }: Pick<Deps, "profile" | "subscription">): Promise<Reply> {
  const response = await profile.trackUsersSync({
    scope: call.scope,
    bodyJson: call.body,
    ...await knownGroupsOf(call, { subscription }),
  });
  const errors = errorsAtPlaces(response.errors);
  return { body: usersBody(response.usersJson, errors.length > 0 ? { errors } : {}), headers: receiptHeaders(response) };
}
