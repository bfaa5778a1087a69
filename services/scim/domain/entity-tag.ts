/** If-Match: does a list of entity tags name the version that is there? */
import { Refusal } from "../../../platform/refusal.ts";
import { etagOf, type User } from "./user.ts";

/** Tags are compared weakly, because ours are weak (RFC 7644 section 3.14). Empty: any version. Refuses VERSION_MISMATCH. */
export function checkVersion(user: User, ifMatch: string): void {
  if (ifMatch === "" || namesTag(ifMatch, etagOf(user))) return;
  throw new Refusal("VERSION_MISMATCH", `The user has changed since; its version is now ${etagOf(user)}`);
}

function namesTag(header: string, etag: string): boolean {
  const wanted = opaque(etag);
  return header.split(",").map((tag) => tag.trim()).some((tag) => tag === "*" || opaque(tag) === wanted);
}

function opaque(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}
