/** Users of tests, some of whom lie together and some by themselves: their ids say it by their last character. */
import { limits } from "../../../platform/limits.ts";
import { numberedId } from "../../../platform/user-number.ts";

export function inSomeBuckets(_: string, id: string): number | undefined {
  return [undefined, 0, 1][(id.codePointAt(id.length - 1) ?? 0) % 3];
}

/** Ids as the resolver makes them, of users who were made one after the other from the number on. */
export function numberedUsers(workspaceId: string, count: number, from: number = limits.membersPerBucket): string[] {
  return Array.from({ length: count }, (_, at) => {
    const made = at.toString(16).padStart(16, "0");
    return numberedId(workspaceId, `${made}00000000`, from + at);
  });
}
