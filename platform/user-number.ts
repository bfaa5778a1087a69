/** The number of a user's creation within its workspace: it stands in the id, and decides which rows live together. */
import { workspaceHash } from "./fnv1a.ts";
import { limits } from "./limits.ts";

/** Whose rows live together; and whether what happens to them is in one order as well, so that it is read and written together. */
export type Numbering = "buckets" | "lanes";

/** The `count`th user who gets a number. Numbers of one numbering and of the other are in ranges of their own, so the id alone shows which. */
export function numberOf(count: number, numbering: Numbering): number {
  return numbering === "lanes" ? (count + lanesFrom) >>> 0 : count;
}

/** The last digits of an id are the hash of the workspace, and in it the number: an id without one ends in the hash alone. */
export function numberedId(workspaceId: string, id: string, number: number): string {
  return id.slice(0, -hashDigits) + hex((workspaceHash(workspaceId) ^ number) >>> 0, hashDigits);
}

/** The bucket that the user's rows lie in, for life; undefined: it has none, and its rows lie by themselves. */
export function bucketOfUser(workspaceId: string, id: string): number | undefined {
  return bucketOf(workspaceId, id, limits.usersPerBucket);
}

/** As `bucketOfUser`, of the user's memberships and what they were. */
export function bucketOfMember(workspaceId: string, id: string): number | undefined {
  return bucketOf(workspaceId, id, limits.membersPerBucket);
}

function bucketOf(workspaceId: string, id: string, size: number): number | undefined {
  const number = numberIn(workspaceId, id);
  return number === 0 ? undefined : Math.floor(number / size);
}

/** What decides the user's lane, for life: its bucket, or the user alone. */
export function laneKeyOf(workspaceId: string, id: string): string {
  const number = numberIn(workspaceId, id);
  return number < lanesFrom ? id : `bucket ${Math.floor(number / limits.usersPerBucket)}`;
}

/** How the user was numbered; undefined: not at all. */
export function numberingOfUser(workspaceId: string, id: string): Numbering | undefined {
  const number = numberIn(workspaceId, id);
  if (number === 0) return undefined;
  return number < lanesFrom ? "buckets" : "lanes";
}

/** 0: it has none. */
function numberIn(workspaceId: string, id: string): number {
  if (!shape.test(id)) return 0;
  return (Number.parseInt(id.slice(-hashDigits), 16) ^ workspaceHash(workspaceId)) >>> 0;
}

export function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

const shape = /^[0-9a-f]{24}$/;
const hashDigits = 8;
/** Ids that were given out depend on it: numbers from here on decide the lane, too. */
const lanesFrom = 2 ** 31;
