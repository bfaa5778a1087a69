/** POST /users/track: the body passes through as bytes; the service reads it. */
import { limits } from "../../platform/limits.ts";
import type { TrackUsersResponse } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { errorsAtPlaces } from "../decode/elements.ts";
import { knownGroupsOf } from "../decode/known-groups.ts";
import { receiptHeaders } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

/** 201 also with partial errors. Plans by monthly active users take 50 objects in all, others 75 in each array. */
export async function handleUsersTrack(call: Call, { profile, subscription }: Pick<Parts, "profile" | "subscription">): Promise<Reply> {
  const { plan } = call.spent.permit.caller.holder.workspace;
  const combined = plan.kind === "monthly_active_users";
  return trackReply(
    await profile.trackUsers({
      scope: call.scope,
      bodyJson: call.body,
      ...await knownGroupsOf(call, { subscription }),
      objectsPerArrayMax: combined ? 0 : limits.trackObjectsPerArrayMax,
      objectsMax: combined ? limits.trackObjectsCombinedMauMax : 0,
      objectsPerUserMax: 0,
      bulk: false,
    }),
  );
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
