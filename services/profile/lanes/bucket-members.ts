/**
 * Which numbering of users all profile processes know: a process that does not know buckets would look for such users, and
 * write them, elsewhere; one that does not know lanes by number would send what happens to them out of order.
 */
import type { Members } from "../../../platform/lane/ownership.ts";
import type { Numbering } from "../../../platform/user-number.ts";

/** Ids of processes that know them begin so. Before, seals alone kept such a process out, and only as it started. */
export const bucketMember = "proc_buckets_";
/** Of those that know lanes by number as well. */
export const laneMember = `${bucketMember}lanes_`;

interface BucketMembers extends Members {
  /** As of the last beat: what every living process knows. */
  knowNumbering(): Numbering | undefined;
}

export function bucketMembers(members: Members): BucketMembers {
  let living: readonly string[] = [];
  return {
    async beat(id, ms) {
      living = await members.beat(id, ms);
      return living;
    },
    leave: (id) => members.leave(id),
    knowNumbering() {
      if (living.length === 0 || !living.every((id) => id.startsWith(bucketMember))) return undefined;
      return living.every((id) => id.startsWith(laneMember)) ? "lanes" : "buckets";
    },
  };
}
