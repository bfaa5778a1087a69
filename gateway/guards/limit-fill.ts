/** How full the buckets of a workspace are, without taking anything. */
import { wholeTokens } from "../../platform/limiter/limiter.ts";
import type { KeyHolder } from "../access/access.ts";
import { type LimitName, limitNames, quotaOf } from "../access/limits-table.ts";
import { keyed, type Spending } from "./spend.ts";

export interface LimitFill {
  readonly name: string;
  /** What requests are counted under: a limit may have a bucket of a second and one of an hour. */
  readonly limit: LimitName;
  /** Requests when full, and per window. */
  readonly capacity: number;
  readonly windowSeconds: number;
  readonly remaining: number;
}

/** Every bucket that requests of this workspace are taken from; asks the limiter once for all of them. */
export async function fillOf(holder: KeyHolder, { limiter }: Pick<Spending, "limiter">): Promise<readonly LimitFill[]> {
  const names = limitNames("workspace");
  const quotas = names.map((name) => quotaOf(name, holder));
  const parts = names.flatMap((limit, at) => (quotas[at]?.parts ?? []).map((part) => ({ limit, ...part })));
  const { buckets } = await limiter.draw({ buckets: quotas.flatMap((quota) => keyed(holder.workspace.id, quota)), cost: 0, count: 1 });
  return parts.map(({ limit, name, bucket }, at) => ({
    name,
    limit,
    capacity: bucket.capacity,
    windowSeconds: bucket.windowMs / millis,
    remaining: wholeTokens(buckets[at]?.tokens ?? 0),
  }));
}

const millis = 1_000;
