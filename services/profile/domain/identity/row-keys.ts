/** Keys of identity rows that stores keep in a place of their own: they may import this file, which imports types alone. */
import type { IdentityKey } from "./identity.ts";
import type { UserId } from "../record/user-key.ts";

/** The user whose row the key names; undefined: the key is one of a name, an address or a request. */
export function userIdOf(key: IdentityKey): UserId | undefined {
  return key.startsWith("u:") ? key.slice(2) : undefined;
}

/**
 * The newest minute, alone: one slot, in minutes since 1970 UTC. A step writes this small row and not the hour, which takes it in when a
 * later minute begins.
 */
export const newestKey: IdentityKey = "n:newest";
