/** If-Match: does a list of entity tags name the version that is there? */
import { namesTag } from "../../../platform/entity-tag.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { User } from "./user.ts";

/**
 * By the user's own version: where the names that it is shown with are others, the user is as it was. Empty: any version. Refuses
 * VERSION_MISMATCH.
 */
export function checkVersion({ revision }: User, ifMatch: string): void {
  const version = `W/"${revision}"`;
  if (ifMatch === "" || namesTag(ifMatch.replaceAll(/-[\da-f]+"/g, '"'), version)) return;
  throw new Refusal("VERSION_MISMATCH", "The user has changed since: read it again");
}
