/** The applier's pure step: one record onto one profile, exactly once. */
import { isAfter } from "../../../../platform/age.ts";
import { applyAttributes } from "./apply-attributes.ts";
import { applyEngagement } from "./apply-engagement.ts";
import { applySession } from "./apply-session.ts";
import { applyEvent, applyPurchase } from "./apply-summary.ts";
import { copyEntries, noEntries, noItems, ownEntries } from "../../../../platform/own-entries.ts";
import type { Profile } from "./profile.ts";
import type { ProfileChange, ProfileRecord } from "./profile-record.ts";
import { limits } from "../../../../platform/limits.ts";
import { hasRoomForCertain, needsRoom, noted, noteWeight, weightAdded, weightNamed, weightOf } from "./profile-room.ts";
import { countsOf, noteRejection } from "./rejection.ts";
import { copySources, noSources } from "./sources.ts";

/**
 * The profile after the record; null where there is none (it was deleted, or never created). Changes the given profile in
 * place: the caller owns it. A record at or below the profile's mark is in already and changes nothing. Only `create`
 * makes a profile, so a late record of a deleted user brings nothing back.
 * `handoff`, `await` and `undo` need both sides of a merge: see apply-merge.ts. Given here they throw.
 */
export function applyRecord(profile: Profile | undefined, record: ProfileRecord): Profile | null {
  const { change, mark, now } = record;
  if (profile === undefined) return change.type === "create" ? newProfile(record) : null;
  if (!isAfter(mark, profile.mark)) return profile;
  if (change.type === "delete") return null;
  if (hasRoomForCertain(profile)) {
    applyChange(profile, record);
    noteWeight(profile, undefined);
  } else if (needsRoom(change)) applyWithinRoom(profile, record);
  else applyChange(profile, record);
  noteRejection(profile);
  profile.mark = mark;
  profile.updatedAt = now;
  return profile;
}

/** Where the profile may become too large. */
function applyWithinRoom(profile: Profile, record: ProfileRecord): void {
  const { change, mark: [sequence] } = record;
  const before = weightOf(profile);
  // On a copy of what attributes change, which is taken if there is room for it
  const draft = change.type === "attributes" ? copyOfAttributes(profile) : profile;
  if (change.type === "attributes") applyAttributes(draft, change, sequence);
  const added = change.type === "attributes" ? weightNamed(draft, change) - weightNamed(profile, change) : weightAdded(profile, change);
  if (added > 0 && before + added > limits.profileBytesMax) {
    profile.dropped = noted(profile.dropped, sequence);
    return;
  }
  if (draft === profile) applyChange(profile, record);
  else Object.assign(profile, draft);
  noteWeight(profile, before + added);
}

function copyOfAttributes(profile: Profile): Profile {
  return { ...profile, fields: copyEntries(profile.fields), custom: copyEntries(profile.custom), sources: copySources(profile.sources) };
}

function applyChange(profile: Profile, { change, mark: [sequence], now }: ProfileRecord): void {
  switch (change.type) {
    case "create":
      return;
    case "identity":
      return applyIdentity(profile, change, sequence);
    case "attributes":
      return applyAttributes(profile, change, sequence);
    case "event":
      return applyEvent(profile, change, now);
    case "purchase":
      return applyPurchase(profile, change, now);
    case "session":
      return applySession(profile, change, sequence);
    case "engagement":
      return applyEngagement(profile, change);
    case "admit":
      profile.admitted = countsOf(profile);
      return;
    default:
      throw new Error(`Expected a change of one profile, got "${change.type}"`);
  }
}

function applyIdentity(profile: Profile, change: IdentityChange, sequence: number): void {
  const names = ownEntries(profile.sources, "names");
  if (change.externalId !== undefined && change.externalId !== profile.externalId) {
    profile.externalId = change.externalId;
    names.set("external_id", sequence);
  }
  if (change.aliases !== undefined) {
    profile.aliases = change.aliases;
    names.set("user_aliases", sequence);
  }
  if (change.email !== undefined && change.email !== profile.email) {
    profile.email = change.email;
    names.set("email", sequence);
  }
  if (change.phone !== undefined && change.phone !== profile.phone) {
    profile.phone = change.phone;
    names.set("phone", sequence);
  }
}

function newProfile({ userId, mark, now }: ProfileRecord): Profile {
  return {
    id: userId,
    mark,
    createdAt: now,
    updatedAt: now,
    externalId: null,
    aliases: noItems,
    email: null,
    phone: null,
    fields: noEntries(),
    custom: noEntries(),
    events: noEntries(),
    purchases: noEntries(),
    revenue: noEntries(),
    purchaseCount: 0,
    apps: noEntries(),
    devices: noEntries(),
    engagements: noEntries(),
    sources: noSources(),
    merges: noItems,
  };
}

type IdentityChange = Extract<ProfileChange, { type: "identity" }>;
