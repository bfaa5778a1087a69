/** Subscription groups: what is declared of them, and which addresses they take. */
import { findById } from "../../../platform/identifier.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";

export const channels = ["email", "sms", "whatsapp", "rcs", "line"] as const;
export type Channel = (typeof channels)[number];

export interface Group {
  readonly id: string;
  readonly name: string;
  readonly channel: Channel;
  /** Ignores changes; its memberships stay readable. */
  readonly archived: boolean;
}

/** The text that clients know (api-facts section 4). */
const unknownGroup = "Invalid subscription group ID";

/** By its id; a UUID that no group has exactly is found in any case. Refuses INPUT_INVALID for an id that no group of the workspace has. */
export function groupOf(groups: readonly Group[], id: string): Group {
  const found = findById(groups, id);
  if (found === undefined) throw new Refusal("INPUT_INVALID", unknownGroup);
  return found;
}

/** Email groups go with emails, all others with phones; external ids go with both. Refuses INPUT_INVALID. */
export function checkAddresses(group: Group, by: { readonly emails: boolean; readonly phones: boolean }): void {
  if (by.emails && group.channel !== "email") {
    throw new Refusal(
      "INPUT_INVALID",
      `Subscription group '${group.id}' is for ${group.channel}: name users by external id or phone, not by email`,
    );
  }
  if (by.phones && group.channel === "email") {
    throw new Refusal("INPUT_INVALID", `Subscription group '${group.id}' is for email: name users by external id or email, not by phone`);
  }
}

/** What the groups become: new and changed rows only. Refuses STATE_CONFLICT where there would be too many. */
export function declaredGroups(
  groups: readonly Group[],
  declared: readonly Omit<Group, "archived">[],
  options: { readonly prune: boolean },
): Group[] {
  const wanted = new Map(declared.map((group) => [group.id, { ...group, archived: false }]));
  const pruned = options.prune ? groups.filter(({ id, archived }) => !wanted.has(id) && !archived) : [];
  const next = [...wanted.values(), ...pruned.map((group) => ({ ...group, archived: true }))];
  const written = new Set(next.map(({ id }) => id));
  checkCount([...groups.filter(({ id }) => !written.has(id)), ...next]);
  return next.filter((group) => !groups.some((known) => isSame(known, group)));
}

/** Refuses ALREADY_EXISTS for an id or a name in use, STATE_CONFLICT where there are as many as there may be. */
export function createdGroup(groups: readonly Group[], group: Group): Group {
  const taken = groups.find(({ id, name, archived }) => id === group.id || (name === group.name && !archived));
  if (taken !== undefined) {
    throw new Refusal("ALREADY_EXISTS", `A subscription group with this ${taken.id === group.id ? "id" : "name"} exists already`);
  }
  checkCount([...groups, group]);
  return group;
}

/** Refuses NOT_FOUND. */
export function archivedGroup(groups: readonly Group[], id: string): Group {
  const found = groups.find((group) => group.id === id);
  if (found === undefined) throw new Refusal("NOT_FOUND", `There is no subscription group '${id}'`);
  return { ...found, archived: true };
}

function isSame(a: Group, b: Group): boolean {
  return a.id === b.id && a.name === b.name && a.channel === b.channel && a.archived === b.archived;
}

function checkCount(groups: readonly Group[]): void {
  const max = limits.subscriptionGroupsPerWorkspaceMax;
  if (groups.filter(({ archived }) => !archived).length <= max) return;
  throw new Refusal("STATE_CONFLICT", `A workspace has at most ${max} subscription groups that are not archived`);
}
