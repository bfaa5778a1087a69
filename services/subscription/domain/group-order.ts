/** Subscription groups in the order of their workspace: what a declaration makes of them, and which of them took changes at a place. */
import { isAfter, type RecordId } from "../../../platform/age.ts";
import { limits } from "../../../platform/limits.ts";
import { type Reason, Refusal } from "../../../platform/refusal.ts";
import { archivedGroup, createdGroup, declaredGroups, type Group } from "./group.ts";

/** What is asked of the groups of a workspace. */
export type GroupChange =
  | { readonly type: "declare"; readonly groups: readonly Omit<Group, "archived">[]; readonly prune: boolean }
  | { readonly type: "create"; readonly group: Omit<Group, "archived"> }
  | { readonly type: "archive"; readonly id: string };

export interface OrderedGroup extends Group {
  /**
   * Places in the log behind which it took changes, and behind which it took none, in turn; of each the sequence alone, as
   * no record that sets a state shares one with a declaration. Empty: never any.
   */
  readonly turns: readonly number[];
}

/** The groups of a workspace as its lane leaves them. */
export interface OrderedGroups {
  /** Of the last change that is in. */
  readonly mark: RecordId;
  /** By id, archived ones too. */
  readonly groups: readonly OrderedGroup[];
  /** Changes that were refused at their place, the newest last. */
  readonly refused: readonly RefusedChange[];
}

interface RefusedChange {
  readonly mark: RecordId;
  readonly reason: Reason;
  readonly message: string;
}

export const noGroups: OrderedGroups = { mark: [0, -1], groups: [], refused: [] };

/** New and changed groups only. Refuses as `declaredGroups`, `createdGroup` and `archivedGroup` do. */
export function changedGroups(groups: readonly Group[], change: GroupChange): readonly Group[] {
  switch (change.type) {
    case "declare":
      return declaredGroups(groups, change.groups, change);
    case "create":
      return [createdGroup(groups, { ...change.group, archived: false })];
    case "archive": {
      const found = archivedGroup(groups, change.id);
      return groups.some(({ id, archived }) => id === found.id && archived) ? [] : [found];
    }
  }
}

/** The groups behind a change at `mark`; undefined where it is in already. A change that is refused is remembered as such. */
export function changedInOrder(before: OrderedGroups, change: GroupChange, mark: RecordId): OrderedGroups | undefined {
  if (!isAfter(mark, before.mark)) return undefined;
  try {
    return { ...before, mark, groups: changedBehind(before.groups, change, mark[0]) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const refused = [...before.refused, { mark, reason: error.reason, message: error.message }];
    return { ...before, mark, refused: refused.slice(-limits.groupRefusalsKeptMax) };
  }
}

/** All groups as they are for what comes behind the sequence. Refuses as `changedGroups` does. */
export function changedBehind(before: readonly OrderedGroup[], change: GroupChange, sequence: number): OrderedGroup[] {
  const known = new Map(before.map((group) => [group.id, group]));
  for (const { id, name, channel, archived } of changedGroups(before, change)) {
    known.set(id, { id, name, channel, archived, turns: turned(known.get(id)?.turns ?? [], archived, sequence) });
  }
  return [...known.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Whether the group takes a change that was asked for at the sequence. */
export function takesChangesAt({ turns }: Pick<OrderedGroup, "turns">, sequence: number): boolean {
  return turns.filter((turn) => turn < sequence).length % 2 === 1;
}

function turned(turns: readonly number[], archived: boolean, sequence: number): readonly number[] {
  if (archived === (turns.length % 2 === 0)) return turns;
  // Nothing lies between two declarations at one place
  if (turns.at(-1) === sequence) return turns.slice(0, -1);
  const all = [...turns, sequence];
  // The oldest time without changes is forgotten first: an unsubscribe more counts, and none is lost
  return all.length > limits.groupTurnsKeptMax ? [...all.slice(0, 1), ...all.slice(3)] : all;
}
