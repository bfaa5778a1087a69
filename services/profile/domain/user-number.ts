/** The number of a user's creation within its workspace: it stands in the id, and says which rows live together. */
import { limits } from "../../../platform/limits.ts";
import type { UserId } from "./user-key.ts";

/** The last digits of an id are the hash of the workspace, and in it the number: an id without one ends in the hash alone. */
export function numberedId(workspaceId: string, id: UserId, number: number): UserId {
  return id.slice(0, -hashDigits) + hex((hashOf(workspaceId) ^ number) >>> 0, hashDigits);
}

/** The bucket that the user's rows lie in, for life; undefined: it has none, and its rows lie by themselves. */
export function bucketOfUser(workspaceId: string, id: UserId): number | undefined {
  if (!shape.test(id)) return undefined;
  const number = (Number.parseInt(id.slice(-hashDigits), 16) ^ hashOf(workspaceId)) >>> 0;
  return number === 0 ? undefined : Math.floor(number / limits.usersPerBucket);
}

export function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

/** FNV-1a, 32 bits, over UTF-16 code units; ids that were given out depend on it. */
export function hashOf(text: string): number {
  let hash = fnvOffset;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), fnvPrime);
  return hash >>> 0;
}

const shape = /^[0-9a-f]{24}$/;
const hashDigits = 8;
const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;
