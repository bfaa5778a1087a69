/** Whether all profile processes know the buckets of users: one that does not would look for such users, and write them, elsewhere. */
import type { Members } from "../../../platform/lane/ownership.ts";

/** Ids of processes that know them begin so. Before, seals alone kept such a process out, and only as it started. */
export const bucketMember = "proc_buckets_";

interface BucketMembers extends Members {
  /** As of the last beat: every process that lives. */
  knowBuckets(): boolean;
}

export function bucketMembers(members: Members): BucketMembers {
  let living: readonly string[] = [];
  return {
    async beat(id, ms) {
      living = await members.beat(id, ms);
      return living;
    },
    leave: (id) => members.leave(id),
    knowBuckets: () => living.length > 0 && living.every((id) => id.startsWith(bucketMember)),
  };
}
