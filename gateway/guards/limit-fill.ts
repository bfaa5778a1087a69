/** How full the buckets of a workspace are, without taking anything. */
import { wholeTokens } from "../../platform/limiter/limiter.ts";
import type { KeyHolder } from "../access/access.ts";
import { limitNames, quotaOf } from "../limits-table.ts";
import { keyed, type Spending } from "./spend.ts";

export interface LimitFill {
  readonly name: string;
  /** Requests when full, and per window. */
  readonly capacity: number;
  readonly windowSeconds: number;
  readonly remaining: number;
}

/** Every bucket that requests of this workspace are taken from; asks the limiter once for all of them. */
export async function fillOf(holder: KeyHolder, { limiter }: Pick<Spending, "limiter">): Promise<readonly LimitFill[]> {
  const quotas = limitNames("workspace").map((name) => quotaOf(name, holder));
  const parts = quotas.flatMap((quota) => quota.parts);
  const { buckets } = await limiter.draw({ buckets: quotas.flatMap((quota) => keyed(holder.workspace.id, quota)), cost: 0, count: 1 });
  return parts.map(({ name, bucket }, at) => ({
    name,
    capacity: bucket.capacity,
    windowSeconds: bucket.windowMs / millis,
    remaining: wholeTokens(buckets[at]?.tokens ?? 0),
  }));
}

const millis = 1_000;
