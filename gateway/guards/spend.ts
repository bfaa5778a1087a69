/** Permit and limit to Spent: one request taken from the workspace's buckets, and the headers that tell what is left. */
import type { Clock } from "../../platform/clock.ts";
import type { Limiter, Taken } from "../../platform/limiter/limiter.ts";
import { Refusal } from "../../platform/refusal.ts";
import type { KeyHolder } from "../access/access.ts";
import { type LimitName, type Quota, quotaOf } from "../limits-table.ts";
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

/** Takes one token from each bucket of the limit, the shortest window first; stops at the first that is empty. */
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
  let shown: Shown | undefined;
  for (const part of quota.parts) {
    const taken = await spending.limiter.take(bucketKey(owner, part.name), part.bucket, 1);
    shown = { quota, part, taken };
    if (!taken.admitted) return overspent(shown, spending.clock);
  }
  if (shown === undefined) throw new Error("Expected a quota with a bucket");
  return { headers: limitHeaders(shown, spending.clock) };
}

/** The headers of a request that is refused before it is counted, for a caller who is known. */
export async function peek(holder: KeyHolder, limit: LimitName, spending: Spending): Promise<readonly string[]> {
  return await peekQuota(holder.workspace.id, quotaOf(limit, holder), spending);
}

/** As peek(), of the buckets of `owner`. */
export async function peekQuota(owner: string, quota: Quota, spending: Spending): Promise<readonly string[]> {
  const part = quota.parts.at(-1);
  if (part === undefined) return unknownLimitHeaders;
  const taken = await spending.limiter.take(bucketKey(owner, part.name), part.bucket, 0);
  return limitHeaders({ quota, part, taken }, spending.clock);
}

/** Sent with a 401, where no bucket is known (api-facts 1.2). */
export const unknownLimitHeaders: readonly string[] = ["X-RateLimit-Limit", "", "X-RateLimit-Remaining", "", "X-RateLimit-Reset", ""];

interface Shown {
  readonly quota: Quota;
  readonly part: Quota["parts"][number];
  readonly taken: Taken;
}

const millis = 1_000;

/** The braces keep an owner's buckets on one node of a cluster. */
function bucketKey(owner: string, name: string): string {
  return `limit:{${owner}}:${name}`;
}

/** X-RateLimit-Reset is the epoch second at which the bucket is full again; the other pair is draft-ietf-httpapi-ratelimit-headers. */
function limitHeaders({ quota, part, taken }: Shown, clock: Clock): string[] {
  const remaining = String(taken.remaining);
  const fullInSeconds = Math.max(0, Math.ceil((taken.fullAt - clock.now()) / millis));
  return [
    "X-RateLimit-Limit",
    String(part.bucket.capacity),
    "X-RateLimit-Remaining",
    remaining,
    "X-RateLimit-Reset",
    String(Math.ceil(taken.fullAt / millis)),
    "RateLimit-Policy",
    quota.policy,
    "RateLimit",
    `"${part.name}";r=${remaining};t=${fullInSeconds}`,
  ];
}

function overspent(shown: Shown, clock: Clock): Omit<Overspent, "proof"> {
  const retryAfterSeconds = Math.max(1, Math.ceil(shown.taken.retryAfterMs / millis));
  return {
    refusal: new Refusal("RATE_LIMITED", undefined, { retryAfterSeconds }),
    headers: [...limitHeaders(shown, clock), "X-Ratelimit-Retry-After", String(retryAfterSeconds)],
  };
}
