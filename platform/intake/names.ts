/**
 * Names of users in messages. The gateway checks those of HTTP requests; those that another program sends are checked here alone, and
 * what is in the log has to be a name: a longer one is the key of no row of a store, and everything behind its record would wait.
 */
import { Buffer } from "node:buffer";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import { hasAtMostChars, isStorable } from "../text.ts";

export function isExternalId(id: string): boolean {
  return id !== "" && isStorable(id) && Buffer.byteLength(id) <= limits.externalIdBytesMax;
}

/** A label or a name of an alias. */
export function isAliasPart(part: string): boolean {
  return part !== "" && isStorable(part) && hasAtMostChars(part, limits.aliasPartCharsMax);
}

/** In either case; ids are kept in lower case. */
export function isPlatformId(id: string): boolean {
  return /^[\da-f]{24}$/i.test(id);
}

/** Refuses INPUT_INVALID for one that is no external id. */
export function externalIdsToWrite(ids: readonly string[]): string[] {
  return ids.map((id, at) => externalIdToWrite(id, `an external id at place ${at}`));
}

/** As externalIdsToWrite. */
export function externalIdToWrite(id: string, what: string): string {
  if (isExternalId(id)) return id;
  throw new Refusal("INPUT_INVALID", `Expected ${what}, of 1 to ${limits.externalIdBytesMax} bytes without U+0000`);
}

/** As externalIdsToWrite, for ids of ours: as they are kept. */
export function platformIdsToWrite(ids: readonly string[]): string[] {
  const wrong = ids.findIndex((id) => !isPlatformId(id));
  if (wrong === -1) return ids.map((id) => id.toLowerCase());
  throw new Refusal("INPUT_INVALID", `Expected a platform id of 24 hex digits at place ${wrong}, got something else`);
}

/** As externalIdsToWrite, for a label or a name of an alias. */
export function aliasPartToWrite(part: string, what: string): string {
  if (isAliasPart(part)) return part;
  throw new Refusal("INPUT_INVALID", `Expected ${what}, of 1 to ${limits.aliasPartCharsMax} characters without U+0000`);
}
