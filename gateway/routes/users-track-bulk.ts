/** POST /users/track/bulk: as /users/track with more objects and lower priority (api-facts 2.9). */
import { limits } from "../../platform/limits.ts";
import { knownGroupsOf } from "../decode/known-groups.ts";
import type { Call, Parts, Reply } from "../route.ts";
import { trackReply } from "./users-track.ts";

/** Up to 1,000 objects in all and 100 for one user. */
export async function handleUsersTrackBulk(call: Call, { profile, subscription }: Pick<Parts, "profile" | "subscription">): Promise<Reply> {
  return trackReply(
    await profile.trackUsers({
      scope: call.scope,
      bodyJson: call.body,
      ...await knownGroupsOf(call, { subscription }),
      objectsPerArrayMax: 0,
      objectsMax: limits.bulkObjectsMax,
      objectsPerUserMax: limits.bulkObjectsPerUserMax,
      bulk: true,
    }),
  );
}
