/** DATA: the published limits of requests, one row per name, and which of them hold for a caller. */
import type { Bucket } from "../../platform/limiter/limiter.ts";
import type { Company, KeyHolder, Plan, Workspace } from "./access.ts";

/** One row of the specification's Limits table. The rows of the route table that name it share its bucket. */
export interface PublishedLimit {
  readonly bucket: Bucket;
  /** Whose bucket it is; a workspace's unless given. */
  readonly scope?: "company";
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
  // "PUT 10 requests per minute per workspace, GET 1,000"; create, list and URL as api-facts 6 has them
  preference_center_create: { bucket: { capacity: 10, windowMs: minuteMs } },
  preference_center_update: { bucket: { capacity: 10, windowMs: minuteMs } },
  preference_center_get: { bucket: { capacity: 1_000, windowMs: minuteMs } },
  // An extension. Each checks and fills in up to three pages, which may take a second of CPU; the console asks twice a second at most
  preference_center_preview: { bucket: { capacity: 120, windowMs: minuteMs } },
  preference_center_list: { bucket: { capacity: 1_000, windowMs: minuteMs } },
  preference_center_url: { bucket: { capacity: 1_000, windowMs: minuteMs } },
  // "translation endpoints (campaign and canvas, view and list)": one bucket; source and PUT (api-facts 7) are taken from it too
  translations: { bucket: { capacity: 250_000, windowMs: dayMs } },
  // The page of the console asks every two seconds
  console: { bucket: { capacity: 600, windowMs: minuteMs } },
  // What no route answers, of callers that are known: none may try paths for ever
  unknown_routes: { bucket: byDefault },
  // Of the company, over all SCIM endpoints (api-facts 8)
  scim: { bucket: { capacity: 5_000, windowMs: dayMs }, scope: "company" },
} as const satisfies Record<string, PublishedLimit>;

/** What is counted where no key names the caller; each gateway counts by itself. */
export const addressLimits = {
  // Answers of 401 and 403 to one address, or one /64 of IPv6: those that follow are 429. A request with a good key is not checked
  refused_requests: { capacity: 600, windowMs: minuteMs },
  // Uses of all pages of links by one address: mail providers unsubscribe for very many people from a few
  public_requests: { capacity: 6_000, windowMs: minuteMs },
  // Uses of one link: it is one person's
  link_uses: { capacity: 120, windowMs: minuteMs },
} as const satisfies Record<string, Bucket>;

export type LimitName = keyof typeof limitsTable;

/** The buckets a request is taken from, the shortest window first, and the RateLimit-Policy header that names them. */
export interface Quota {
  readonly parts: readonly { readonly name: string; readonly bucket: Bucket }[];
  readonly policy: string;
}

/** What holds for this workspace; the same object as long as the terms are the same. */
export function quotaOf(limit: LimitName, { workspace, company }: Pick<KeyHolder, "workspace" | "company">): Quota {
  return remembered(workspace, { limit, company }, () => {
    const row: PublishedLimit = limitsTable[limit];
    if (row.ofPlan && workspace.plan.kind === "monthly_active_users") return planQuota(limit, workspace.plan);
    const earlier = row.earlier !== undefined && company.onboardedAt < row.earlier.onboardedBefore;
    return publishedQuota(limit, (earlier ? row.earlier?.bucket : undefined) ?? row.bucket, workspace.limits?.[limit]);
  });
}

/** What holds for this company, of a limit whose scope is the company. */
export function companyQuotaOf(limit: LimitName, company: Company): Quota {
  return remembered(company, { limit, company }, () => publishedQuota(limit, limitsTable[limit].bucket, company.limits?.[limit]));
}

/** Names of the limits that can be declared for a workspace, or for a company. */
export function limitNames(scope: "workspace" | "company"): LimitName[] {
  return rows.flatMap(([name, row]) => ((row.scope ?? "workspace") === scope ? [name] : []));
}

const rows = Object.entries(limitsTable) as [LimitName, PublishedLimit][];

interface Remembered {
  readonly company: Company;
  readonly quotas: Map<LimitName, Quota>;
}

/** What is declared of an owner is in an object that is replaced when it changes. */
const quotasOf = new WeakMap<Workspace | Company, Remembered>();

function remembered(owner: Workspace | Company, { limit, company }: { limit: LimitName; company: Company }, make: () => Quota): Quota {
  const known = quotasOf.get(owner);
  const own = known?.company === company ? known : { company, quotas: new Map<LimitName, Quota>() };
  if (own !== known) quotasOf.set(owner, own);
  const found = own.quotas.get(limit) ?? make();
  own.quotas.set(limit, found);
  return found;
}

/** `declared`: how many requests in the limit's own window, where that was declared. */
function publishedQuota(name: LimitName, bucket: Bucket, declared: number | undefined): Quota {
  return quota([{ name, bucket: { ...bucket, capacity: declared ?? bucket.capacity } }]);
}

function planQuota(limit: LimitName, plan: Plan & { kind: "monthly_active_users" }): Quota {
  return quota([
    { name: `${limit}_second`, bucket: { capacity: plan.requestsPerSecondBurst, windowMs: secondMs } },
    { name: `${limit}_hour`, bucket: { capacity: plan.requestsPerHour, windowMs: hourMs } },
  ]);
}

function quota(parts: Quota["parts"]): Quota {
  const policy = parts.map(({ name, bucket }) => `"${name}";q=${bucket.capacity};w=${bucket.windowMs / secondMs}`).join(", ");
  return { parts, policy };
}
