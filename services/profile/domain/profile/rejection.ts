/**
 * Who is rejected: a user with more event names, products or sessions than one person can have, mostly a test account that many
 * devices share. `/users/track` takes no more of it until an operator admits it. A pure function of the profile, so the same in both
 * shapes and however records were cut into batches; what the user has stays as it is.
 */
import { limits } from "../../../../platform/limits.ts";
import type { Counts, Profile, Rejection } from "./profile.ts";
import type { UserKey } from "../record/user-key.ts";

/** The published text (api-facts 2.2). */
export const rejectedText = "provided external_id is blacklisted and disallowed";

/** Who is rejected at the moment, as a check of requests sees it. */
export interface RejectedUsers {
  /** Names of the rejected users of a workspace, by `nameOf`; undefined where there are none. */
  namesIn(workspaceId: string): ReadonlySet<string> | undefined;
  /** Resolves when everything that was applied before the call is seen, or cannot be. */
  look(): Promise<void>;
}

/** Behind every step that adds to a profile, or admits its user. For nearly every user it compares three numbers. */
export function noteRejection(profile: Profile): void {
  const rejection = hasMuch(profile) ? rejectionOf(profile) : undefined;
  if (rejection !== undefined) profile.rejected = rejection;
  else if (profile.rejected !== undefined) delete profile.rejected;
}

function rejectionOf(profile: Profile): Rejection | undefined {
  const counts = countsOf(profile);
  for (const counted of countedInOrder) {
    const max = Math.max(maxima[counted], limits.admittedGrowth * (profile.admitted?.[counted] ?? 0));
    if (counts[counted] > max) return { counted, count: counts[counted], max };
  }
  return undefined;
}

export function countsOf(profile: Profile): Counts {
  return { event_names: profile.events.size, product_ids: profile.purchases.size, sessions: sessionsOf(profile) };
}

/** A user who took in an admitted one may have as much as that. */
export function mergedAdmission(target: Counts | undefined, source: Counts | undefined): Counts | undefined {
  if (target === undefined || source === undefined) return target ?? source;
  return {
    event_names: Math.max(target.event_names, source.event_names),
    product_ids: Math.max(target.product_ids, source.product_ids),
    sessions: Math.max(target.sessions, source.sessions),
  };
}

/** The names by which a request is seen to be about the user. Who an address means is known only in the order of the log. */
export function rejectedKeys({ id, externalId, aliases }: Pick<Profile, "id" | "externalId" | "aliases">): UserKey[] {
  return [
    { by: "platformId", id },
    ...(externalId === null ? [] : [{ by: "externalId" as const, id: externalId }]),
    ...aliases.map((alias) => ({ by: "alias" as const, ...alias })),
  ];
}

function hasMuch(profile: Profile): boolean {
  return profile.events.size > maxima.event_names || profile.purchases.size > maxima.product_ids ||
    (profile.apps.size > 0 && sessionsOf(profile) > maxima.sessions);
}

function sessionsOf({ apps }: Profile): number {
  let sessions = 0;
  for (const app of apps.values()) sessions += app.sessions;
  return sessions;
}

const maxima: Counts = {
  event_names: limits.eventNamesPerUserMax,
  product_ids: limits.productIdsPerUserMax,
  sessions: limits.sessionsPerUserMax,
};
const countedInOrder = ["event_names", "product_ids", "sessions"] as const;
