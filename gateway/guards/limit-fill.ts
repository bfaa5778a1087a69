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

/** Every bucket that requests of this workspace are taken from. */
export async function fillOf(holder: KeyHolder, { limiter }: Pick<Spending, "limiter">): Promise<readonly LimitFill[]> {
  const fills = await Promise.all(
    limitNames("workspace").map(async (name) => {
      const quota = quotaOf(name, holder);
      const { buckets } = await limiter.draw({ buckets: keyed(holder.workspace.id, quota), cost: 0, count: 1 });
      return quota.parts.map((part, at): LimitFill => ({
        name: part.name,
        capacity: part.bucket.capacity,
        windowSeconds: part.bucket.windowMs / millis,
        remaining: wholeTokens(buckets[at]?.tokens ?? 0),
      }));
    }),
  );
  return fills.flat();
}

const millis = 1_000;
