/** What an interaction with a campaign or canvas does to a profile: the latest of each kind is kept. */
import { ownEntries } from "../../../../platform/own-entries.ts";
import type { EngagementSummary, Profile } from "./profile.ts";
import type { ProfileChange } from "./profile-record.ts";

export function applyEngagement(profile: Profile, change: EngagementChange): void {
  const key = `${change.channel}:${change.messageId}`;
  const summary = profile.engagements.get(key) ?? { name: change.name, latest: new Map<string, number>() };
  summary.name = change.name;
  keepNewest(summary.latest, change.interaction, change.at);
  ownEntries(profile, "engagements").set(key, summary);
}

/** Rule 6 of /users/merge: dates of campaigns and canvases take the most recent; the kept user's name of a message stays. */
export function mergeEngagements(target: Map<string, EngagementSummary>, source: ReadonlyMap<string, EngagementSummary>): void {
  for (const [key, added] of source) {
    const summary = target.get(key);
    if (summary === undefined) target.set(key, copyEngagement(added));
    else for (const [interaction, at] of added.latest) keepNewest(summary.latest, interaction, at);
  }
}

export function copyEngagement(summary: EngagementSummary): EngagementSummary {
  return { name: summary.name, latest: new Map(summary.latest) };
}

function keepNewest(latest: Map<string, number>, interaction: string, at: number): void {
  const old = latest.get(interaction);
  if (old === undefined || old < at) latest.set(interaction, at);
}

type EngagementChange = Extract<ProfileChange, { type: "engagement" }>;
