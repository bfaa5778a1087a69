/** Lists that would be one huge partition, cut into a fixed number of them. */
import { fnv1a } from "../fnv1a.ts";
import { limits } from "../limits.ts";

/** Which of `cassandraBuckets` partitions an id lies in (FNV-1a); rows already written depend on it, so it never changes. */
export function bucketOf(id: string): number {
  return fnv1a(id) % limits.cassandraBuckets;
}

export const allBuckets: readonly number[] = Array.from({ length: limits.cassandraBuckets }, (_, bucket) => bucket);
