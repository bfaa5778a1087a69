/** Permit and limit to Spent: one request taken from the workspace's buckets, and the headers that report what is left. */
import type { Clock } from "../../platform/clock.ts";
import { type KeyedBucket, type Level, type Limiter, wholeTokens } from "../../platform/limiter/limiter.ts";
import { Refusal } from "../../platform/refusal.ts";
import type { KeyHolder } from "../access/access.ts";
import { type LimitName, type Quota, quotaOf } from "../access/limits-table.ts";
import type { Permit } from "./authorize.ts";

/** Proof that the request was counted and admitted. */
export interface Spent {
  readonly proof: "spent";
  readonly permit: Permit;
  readonly headers: readonly string[];
}

/** A bucket is empty: the refusal and the headers that go with it. */
export interface Overspent {
  readonly proof: "overspent";
  readonly refusal: Refusal;
  readonly headers: readonly string[];
}

export interface Spending {
  readonly limiter: Limiter;
  readonly clock: Clock;
}

/** Takes one from each bucket of the limit, or nothing from any, and asks the limiter once. */
export async function spend(permit: Permit, limit: LimitName, spending: Spending): Promise<Spent | Overspent> {
  const { holder } = permit.caller;
  const { refusal, headers } = await spendQuota(holder.workspace.id, quotaOf(limit, holder), spending);
  return refusal ? { proof: "overspent", refusal, headers } : { proof: "spent", permit, headers };
}

/** As spend(), from the buckets of `owner`: a workspace, or a company. */
export async function spendQuota(
  owner: string,
  quota: Quota,
  spending: Spending,
): Promise<{ readonly refusal?: Refusal; readonly headers: readonly string[] }> {
  const drawn = await spending.limiter.draw({ buckets: keyed(owner, quota), cost: 1, count: 1 });
  if (drawn.granted > 0) return { headers: limitHeaders({ quota, levels: drawn.buckets }, spending.clock) };
  return overspent(quota, drawn.buckets, spending.clock);
}

/** The headers of a request that is refused before it is counted, for a caller who is known. */
export async function peek(holder: KeyHolder, limit: LimitName, spending: Spending): Promise<readonly string[]> {
  return await peekQuota(holder.workspace.id, quotaOf(limit, holder), spending);
}

/** As peek(), of the buckets of `owner`. */
export async function peekQuota(owner: string, quota: Quota, spending: Spending): Promise<readonly string[]> {
  const { buckets } = await spending.limiter.draw({ buckets: keyed(owner, quota), cost: 0, count: 1 });
  return limitHeaders({ quota, levels: buckets }, spending.clock);
}

/** Sent where no bucket is known, as with a 401 (api-facts 1.2): clients look for the three on every answer of the API. */
export const unknownLimitHeaders: readonly string[] = ["X-RateLimit-Limit", "", "X-RateLimit-Remaining", "", "X-RateLimit-Reset", ""];

const millis = 1_000;

/** The braces keep an owner's buckets on one node of a cluster. Made once, as a quota is made once for each owner. */
export function keyed(owner: string, quota: Quota): readonly KeyedBucket[] {
  const known = keyedOf.get(quota);
  if (known?.owner === owner) return known.buckets;
  const buckets = quota.parts.map(({ name, bucket }) => ({ key: `limit:{${owner}}:${name}`, bucket }));
  keyedOf.set(quota, { owner, buckets });
  return buckets;
}

const keyedOf = new WeakMap<Quota, { readonly owner: string; readonly buckets: readonly KeyedBucket[] }>();

/**
 * The three headers are about one bucket: `shown`, the last where none is given. X-RateLimit-Reset is the epoch second at
 * which it is full again. RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers) report all,
 * the one that is shown first.
 */
function limitHeaders(of: { quota: Quota; levels: readonly Level[] }, clock: Clock, shown = of.levels.length - 1): string[] {
  const { quota, levels } = of;
  const level = levels[shown];
  const part = quota.parts[shown];
  if (level === undefined || part === undefined) throw new Error("Expected a quota with a bucket");
  return [
    "X-RateLimit-Limit",
    String(part.bucket.capacity),
    "X-RateLimit-Remaining",
    String(wholeTokens(level.tokens)),
    "X-RateLimit-Reset",
    String(Math.ceil(level.fullAt / millis)),
    "RateLimit-Policy",
    quota.policy,
    "RateLimit",
    levels.length === 1 ? leftOf(part.name, level, clock) : [shown, ...levels.keys()].filter((at, index) => index === 0 || at !== shown)
      .map((at) => leftOf(quota.parts[at]?.name, levels[at] as Level, clock)).join(", "),
  ];
}

/** One member of the RateLimit header. */
function leftOf(name: string | undefined, { tokens, fullAt }: Level, clock: Clock): string {
  const fullInSeconds = Math.max(0, Math.ceil((fullAt - clock.now()) / millis));
  return `"${name}";r=${wholeTokens(tokens)};t=${fullInSeconds}`;
}

/** The bucket that is shown is the one that keeps the caller waiting longest. */
function overspent(quota: Quota, levels: readonly Level[], clock: Clock): Omit<Overspent, "proof"> {
  const retryAfterMs = Math.max(...levels.map((level) => level.retryAfterMs));
  const shown = levels.findIndex((level) => level.retryAfterMs === retryAfterMs);
  const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / millis));
  return {
    refusal: new Refusal("RATE_LIMITED", undefined, { retryAfterSeconds }),
    headers: [...limitHeaders({ quota, levels }, clock, shown), "X-Ratelimit-Retry-After", String(retryAfterSeconds)],
  };
}
