/** All-time summaries of events and purchases: first, last, count, and counts by day for "X times in Y days". */
import { limits } from "../../../../platform/limits.ts";
import { ownEntries } from "../../../../platform/own-entries.ts";
import type { Profile, Summary } from "./profile.ts";
import type { ProfileChange } from "./profile-record.ts";

export function applyEvent(profile: Profile, change: EventChange, now: number): void {
  count(ownEntries(profile, "events"), { name: change.name, time: change.time, times: 1 }, now);
}

/** A purchase of quantity n is n purchases. Money is summed in whole cents of its own currency. */
export function applyPurchase(profile: Profile, change: PurchaseChange, now: number): void {
  const { productId, currency, revenueCents, quantity, time } = change;
  count(ownEntries(profile, "purchases"), { name: productId, time, times: quantity }, now);
  ownEntries(profile, "revenue").set(currency, (profile.revenue.get(currency) ?? 0n) + BigInt(revenueCents));
  profile.purchaseCount += quantity;
}

/** Rule 5 and 6 of /users/merge: counts add, also day by day; first is the earliest, last the latest. */
export function mergeSummaries(
  target: Map<string, Summary>,
  source: ReadonlyMap<string, Summary>,
  { now, takes }: { readonly now: number; readonly takes: (name: string) => boolean },
): void {
  for (const [name, added] of source) {
    const summary = target.get(name);
    if (summary === undefined) {
      if (takes(name)) target.set(name, recent(copySummary(added), now));
      continue;
    }
    summary.first = Math.min(summary.first, added.first);
    summary.last = Math.max(summary.last, added.last);
    summary.count += added.count;
    for (const [day, times] of added.days) summary.days.set(day, (summary.days.get(day) ?? 0) + times);
    recent(summary, now);
  }
}

export function copySummary(summary: Summary): Summary {
  return { ...summary, days: new Map(summary.days) };
}

/** Unix milliseconds -> days since 1970 UTC. */
export function dayOf(time: number): number {
  return Math.floor(time / dayMs);
}

export const dayMs = 24 * 3600 * 1000;

function count(summaries: Map<string, Summary>, { name, time, times }: Occurrence, now: number): void {
  const summary = summaries.get(name);
  const day = dayOf(time);
  const isRecent = day >= oldestDay(now);
  if (summary === undefined) {
    summaries.set(name, { first: time, last: time, count: times, days: new Map(isRecent ? [[day, times]] : []) });
    return;
  }
  if (time < summary.first) summary.first = time;
  if (time > summary.last) summary.last = time;
  summary.count += times;
  if (isRecent) summary.days.set(day, (summary.days.get(day) ?? 0) + times);
  recent(summary, now);
}

/**
 * Forgets days more than `dayCountsKept` before today. Only the summary that a record touches is looked at, with the
 * record's own now: so the profile depends on the sequence of records alone, not on when it was loaded.
 */
function recent(summary: Summary, now: number): Summary {
  const oldest = oldestDay(now);
  for (const day of summary.days.keys()) if (day < oldest) summary.days.delete(day);
  return summary;
}

function oldestDay(now: number): number {
  return dayOf(now) - limits.dayCountsKept;
}

interface Occurrence {
  readonly name: string;
  readonly time: number;
  readonly times: number;
}

type EventChange = Extract<ProfileChange, { type: "event" }>;
type PurchaseChange = Extract<ProfileChange, { type: "purchase" }>;
