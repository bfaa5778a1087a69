/** DATA: the published limits of requests, one row per name, and which of them hold for a caller. */
import type { Bucket } from "../platform/limiter/limiter.ts";
import type { KeyHolder, Plan } from "./access/access.ts";

/** One row of the specification's Limits table. */
export interface PublishedLimit {
  readonly bucket: Bucket;
  /** Companies onboarded before the day (`YYYY-MM-DD`) keep the older limit. */
  readonly earlier?: { readonly onboardedBefore: string; readonly bucket: Bucket };
  /** Monthly-active-user plans bring their own hourly limit and burst. */
  readonly ofPlan?: true;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** "The default limit" of the specification. */
const byDefault: Bucket = { capacity: 250_000, windowMs: hourMs };

export const limitsTable = {
  // 3,000 requests per three seconds, from October 28, 2024
  users_track: { bucket: { capacity: 3_000, windowMs: 3 * secondMs }, ofPlan: true },
  // api-facts 2.9
  users_track_sync: { bucket: { capacity: 500, windowMs: minuteMs } },
  users_track_bulk: { bucket: { capacity: 50, windowMs: secondMs } },
  // /users/merge, alias/new, alias/update, identify and delete share one bucket; before, the default was theirs (api-facts 5)
  users_identity: {
    bucket: { capacity: 20_000, windowMs: minuteMs },
    earlier: { onboardedBefore: "2021-09-16", bucket: byDefault },
  },
  // api-facts 3; the day is the one from which newer rules of this endpoint hold
  users_export_ids: {
    bucket: { capacity: 250, windowMs: minuteMs },
    earlier: { onboardedBefore: "2024-08-22", bucket: { capacity: 2_500, windowMs: minuteMs } },
  },
  users_external_ids: { bucket: { capacity: 1_000, windowMs: minuteMs } },
  users_merge_read: { bucket: byDefault },
  // Both versions share one bucket
  subscription_status_set: { bucket: { capacity: 5_000, windowMs: minuteMs } },
  subscription_status_get: { bucket: byDefault },
  subscription_user_status: { bucket: byDefault },
  // "250,000 requests per hour each (the default limit)"
  email_status: { bucket: byDefault },
  email_blocklist: { bucket: byDefault },
  email_unsubscribes: { bucket: byDefault },
  email_hard_bounces: { bucket: byDefault },
  email_bounce_remove: { bucket: byDefault },
  email_spam_remove: { bucket: byDefault },
  sms_invalid_phone_numbers: { bucket: byDefault },
  sms_invalid_phone_numbers_remove: { bucket: byDefault },
  // "translation endpoints (campaign and canvas, view and list)": one bucket; source and PUT (api-facts 7) are taken from it too
  translations: { bucket: { capacity: 250_000, windowMs: dayMs } },
  // Of the company, over all SCIM endpoints (api-facts 8)
  scim: { bucket: { capacity: 5_000, windowMs: dayMs } },
} as const satisfies Record<string, PublishedLimit>;

export type LimitName = keyof typeof limitsTable;

/** The buckets a request is taken from, the shortest window first, and the RateLimit-Policy header that names them. */
export interface Quota {
  readonly parts: readonly { readonly name: string; readonly bucket: Bucket }[];
  readonly policy: string;
}

/** What holds for this caller; the same object as long as the terms are the same. */
export function quotaOf(limit: LimitName, holder: KeyHolder): Quota {
  const row: PublishedLimit = limitsTable[limit];
  const { plan } = holder.workspace;
  if (row.ofPlan && plan.kind === "monthly_active_users") return planQuota(limit, plan);
  const earlier = row.earlier !== undefined && holder.company.onboardedAt < row.earlier.onboardedBefore;
  const known = (earlier ? earlierQuotas : quotas).get(limit);
  if (known === undefined) throw new Error(`No limit has the name "${limit}"`);
  return known;
}

/** What holds for everybody. */
export function quotaNamed(limit: LimitName): Quota {
  const known = quotas.get(limit);
  if (known === undefined) throw new Error(`No limit has the name "${limit}"`);
  return known;
}

const rows = Object.entries(limitsTable) as [LimitName, PublishedLimit][];
const quotas = new Map(rows.map(([name, row]) => [name, quota([{ name, bucket: row.bucket }])]));
const earlierQuotas = new Map(rows.map(([name, row]) => [name, quota([{ name, bucket: row.earlier?.bucket ?? row.bucket }])]));
const planQuotas = new WeakMap<Plan, Map<LimitName, Quota>>();

function planQuota(limit: LimitName, plan: Plan & { kind: "monthly_active_users" }): Quota {
  const known = planQuotas.get(plan)?.get(limit);
  if (known) return known;
  const made = quota([
    { name: `${limit}_second`, bucket: { capacity: plan.requestsPerSecondBurst, windowMs: secondMs } },
    { name: `${limit}_hour`, bucket: { capacity: plan.requestsPerHour, windowMs: hourMs } },
  ]);
  planQuotas.set(plan, (planQuotas.get(plan) ?? new Map<LimitName, Quota>()).set(limit, made));
  return made;
}

function quota(parts: Quota["parts"]): Quota {
  const policy = parts.map(({ name, bucket }) => `"${name}";q=${bucket.capacity};w=${bucket.windowMs / secondMs}`).join(", ");
  return { parts, policy };
}
