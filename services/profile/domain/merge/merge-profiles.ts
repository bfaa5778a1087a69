/** What the kept profile becomes when it takes another in: the rules of POST /users/merge, field by field. */
import { copyEngagement, mergeEngagements } from "../profile/apply-engagement.ts";
import { keepEarliest, keepLatest, mergedApp } from "../profile/apply-session.ts";
import { copySummary, mergeSummaries } from "../profile/apply-summary.ts";
import { copyEntries, ownEntries } from "../../../../platform/own-entries.ts";
import type { DeviceSummary, Profile } from "../profile/profile.ts";
import { noted, noteWeight, roomFor } from "../profile/profile-room.ts";
import { mergedAdmission, noteRejection } from "../profile/rejection.ts";
import { copySources, noteField, noteSource } from "../profile/sources.ts";
import type { FieldValue, StandardField } from "../record/track-object.ts";

/**
 * Takes `source` into `target`, in place, and returns it; `source` is only read and nothing of it is shared that could
 * change later. `at` is the resolver's now of the merge, Unix milliseconds. Cost follows the size of the source's summaries.
 *
 * Names (externalId, aliases, email, phone) and the mark are not touched: the resolver decides names, for it alone sees
 * who else has them, and sends them as `identity` records.
 *
 * Where the specification leaves room:
 * - Rule 7 (session data merges only when the app exists on both) against rule 4 (app summaries are filled when missing):
 *   sums and dates are combined for an app that both have; an app of the source alone comes over whole.
 * - Fields that rule 4 does not list are filled when missing too. Refusals never weaken: `unsubscribed` from push and
 *   switched-off tracking on either side stay, whatever the other has.
 * - The result was created when the older of the two was, and updated at the merge.
 */
export function mergeProfiles(target: Profile, source: Profile, at: number): Profile {
  const room = roomFor(source, target);
  for (const [field, value] of source.fields) {
    const before = target.fields.get(field);
    mergeField(ownEntries(target, "fields"), field, value);
    noteField(target, field, { before, source: source.sources.fields.get(field) });
  }
  for (const [name, value] of source.custom) {
    if (target.custom.has(name) || !room.takesAttribute(target, name, value)) continue;
    ownEntries(target, "custom").set(name, value);
    noteSource(ownEntries(target.sources, "custom"), name, source.sources.custom.get(name));
  }
  mergeSummaries(ownEntries(target, "events"), source.events, { now: at, takes: (name) => room.takesSummary(name) });
  mergeSummaries(ownEntries(target, "purchases"), source.purchases, { now: at, takes: (name) => room.takesSummary(name) });
  for (const [currency, cents] of source.revenue) {
    ownEntries(target, "revenue").set(currency, (target.revenue.get(currency) ?? 0n) + cents);
  }
  target.purchaseCount += source.purchaseCount;
  for (const [appId, app] of source.apps) {
    const own = target.apps.get(appId);
    ownEntries(target, "apps").set(appId, own === undefined ? { ...app } : mergedApp(own, app));
  }
  for (const [deviceId, device] of source.devices) mergeDevice(ownEntries(target, "devices"), deviceId, device);
  mergeEngagements(ownEntries(target, "engagements"), source.engagements);
  const { refused } = room;
  noteWeight(target, undefined);
  if (refused > 0) target.dropped = noted(target.dropped, source.mark[0], refused);
  const admitted = mergedAdmission(target.admitted, source.admitted);
  if (admitted !== undefined) target.admitted = admitted;
  noteRejection(target);
  target.createdAt = Math.min(target.createdAt, source.createdAt);
  target.updatedAt = at;
  return target;
}

/** A copy that shares nothing that appliers change. Field and attribute values are replaced, never changed, so they are shared. */
export function copyProfile(profile: Profile): Profile {
  return {
    ...profile,
    fields: copyEntries(profile.fields),
    custom: copyEntries(profile.custom),
    events: copyEntries(profile.events, copySummary),
    purchases: copyEntries(profile.purchases, copySummary),
    revenue: copyEntries(profile.revenue),
    apps: copyEntries(profile.apps, (app) => ({ ...app })),
    devices: copyEntries(profile.devices, (device) => ({ ...device })),
    engagements: copyEntries(profile.engagements, copyEngagement),
    sources: copySources(profile.sources),
  };
}

function mergeField(fields: Map<StandardField, FieldValue>, field: StandardField, value: FieldValue): void {
  switch (field) {
    case "date_of_first_session":
      return keepEarliest(fields, field, value);
    case "date_of_last_session":
    case "marked_email_as_spam_at":
      return keepLatest(fields, field, value);
    case "push_subscribe":
      return keepRefusal(fields, field, { value, refusal: "unsubscribed" });
    case "email_open_tracking_disabled":
    case "email_click_tracking_disabled":
      return keepRefusal(fields, field, { value, refusal: true });
    default:
      if (!fields.has(field)) fields.set(field, value);
  }
}

function keepRefusal(
  fields: Map<StandardField, FieldValue>,
  field: StandardField,
  added: { value: FieldValue; refusal: FieldValue },
): void {
  if (added.value === added.refusal || !fields.has(field)) fields.set(field, added.value);
}

/** Device information is filled when missing; when it was seen is a `Last_X_at`. */
function mergeDevice(devices: Map<string, DeviceSummary>, deviceId: string, added: DeviceSummary): void {
  const own = devices.get(deviceId);
  devices.set(deviceId, { ...(own ?? added), lastSeen: Math.max(own?.lastSeen ?? added.lastSeen, added.lastSeen) });
}
