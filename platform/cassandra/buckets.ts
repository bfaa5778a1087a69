/** Lists that would be one huge partition, cut into a fixed number of them. */
import { limits } from "../limits.ts";

/** Which of `cassandraBuckets` partitions an id lies in (FNV-1a); rows already written depend on it, so it never changes. */
export function bucketOf(id: string): number {
  let hash = fnvOffset;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), fnvPrime);
  return (hash >>> 0) % limits.cassandraBuckets;
}

export const allBuckets: readonly number[] = Array.from({ length: limits.cassandraBuckets }, (_, bucket) => bucket);

const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;
