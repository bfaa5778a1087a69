/** How values stand in Cassandra: ages, profiles as blobs, ends of rows, buckets. */
import type { RecordId } from "../../../platform/age.ts";
import { deflateSync, inflateSync } from "node:zlib";
import { limits } from "../../../platform/limits.ts";
import type { FrozenMerge } from "../domain/ports.ts";
import type { Profile } from "../domain/profile/profile.ts";
import { profileFromRow, profileToRow } from "./rows.ts";

/**
 * A mark as the age of what its record causes. 16 bits for the part leave 47 for the sequence: 128 lives of a log that
 * begins anew 2^40 higher. The resolver numbers what goes to profiles apart from consent, and a request has some thousand
 * elements at most. Parts beyond share an age: those of a record that a build before began, and of one that ends more than
 * some 60,000 merges of one user.
 */
export function stampOf([sequence, part]: RecordId): bigint {
  return BigInt(sequence) * partsPerSequence + BigInt(Math.min(part, Number(partsPerSequence) - 1));
}

const partsPerSequence = 65_536n;

/** Where the origins of a step stand: a partition of Cassandra for so many places of the log. */
export function originBucket(through: number): number {
  return Math.floor(through / originsPerBucket);
}

const originsPerBucket = 10_000;

/** The age of what ends for ever: higher than any mark or step. */
export const forEver = 2n ** 62n;

/** The text of the row, and its bytes: as they are, or deflated where there are many. */
export function profileToBlob(profile: Profile): { readonly blob: Uint8Array; readonly text: string } {
  const text = profileToRow(profile);
  const plain = new TextEncoder().encode(text);
  const blob = plain.length > limits.profileRowPlainBytesMax ? deflateSync(plain, { level: 1 }) : plain;
  if (blob.length > limits.profileRowBytesMax) {
    throw new Error(`Expected a profile of at most ${limits.profileRowBytesMax} bytes, user "${profile.id}" has ${blob.length}`);
  }
  return { blob, text };
}

/** Of a user's row; undefined where the user is gone: no body, or an empty one, which an old copy cannot undo as it can a forgotten deletion. */
export function textOfBody(body: unknown): string | undefined {
  return body === null || (body as Uint8Array).length === 0 ? undefined : textOfBlob(body);
}

export function profileFromBlob(value: unknown): Profile {
  return profileFromRow(textOfBlob(value));
}

/** JSON begins with a brace, deflated bytes never do. */
function textOfBlob(value: unknown): string {
  const blob = value as Uint8Array;
  return new TextDecoder().decode(blob[0] === openBrace ? blob : inflateSync(blob));
}

const openBrace = 0x7b;

/** Whole seconds from `now` until a row may end by itself. */
export function secondsUntil(end: number, now: number): number {
  return Math.max(1, Math.ceil((end - now) / 1000) + limits.cassandraGraceSeconds);
}

export function frozenToValues(merge: FrozenMerge): { source: Uint8Array; target_before: Uint8Array; undo_until: bigint } {
  return {
    source: profileToBlob(merge.source).blob,
    target_before: profileToBlob(merge.targetBefore).blob,
    undo_until: BigInt(merge.undoUntil),
  };
}
