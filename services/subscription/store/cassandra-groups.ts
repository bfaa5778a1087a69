/**
 * Subscription groups in the mesh: a workspace's groups are one row, written by the applier of its lane with the place of
 * the last declaration as its age. What builds before declared, in a table of its own, holds until the first declaration.
 */
import type { Session } from "../../../platform/cassandra/session.ts";
import { stampOf } from "../../consent/store/stamp.ts";
import type { Group } from "../domain/group.ts";
import type { OrderedGroup, OrderedGroups } from "../domain/group-order.ts";
import type { RecordId } from "../../../platform/age.ts";
import { groupsFromBeginning } from "./rows.ts";
import { putGroups, selectEarlierGroups, selectGroups } from "./statements.ts";

export interface GroupRows {
  /** The groups of a workspace and the last declaration that is in. */
  readGroups(workspaceId: string): Promise<OrderedGroups>;
  /** Doing it again is harmless, and so is doing it when a later one is in. */
  writeGroups(workspaceId: string, groups: OrderedGroups): Promise<void>;
  /** See SubscriptionTables. */
  bringGroups(workspaceId: string, groups: readonly OrderedGroup[], through: number): Promise<void>;
}

export function cassandraGroups(session: Session): GroupRows {
  async function bodyOf(cql: string, workspaceId: string): Promise<string | undefined> {
    const [row] = await session.execute({ cql, values: { workspace_id: workspaceId } });
    return row === undefined ? undefined : String(row["body"]);
  }
  async function readGroups(workspaceId: string): Promise<OrderedGroups> {
    const body = await bodyOf(selectGroups, workspaceId);
    if (body !== undefined) return JSON.parse(body) as OrderedGroups;
    const earlier = await bodyOf(selectEarlierGroups, workspaceId);
    return groupsFromBeginning(earlier === undefined ? [] : JSON.parse(earlier) as Group[]);
  }
  async function writeGroups(workspaceId: string, groups: OrderedGroups): Promise<void> {
    const values = { workspace_id: workspaceId, body: JSON.stringify(groups), stamp: stampOf({ mark: groups.mark }) };
    await session.execute({ cql: putGroups, values });
  }
  return {
    readGroups,
    writeGroups,
    async bringGroups(workspaceId, groups, through) {
      const before = await readGroups(workspaceId);
      const [sequence, part] = before.mark;
      const mark: RecordId = sequence >= through ? [sequence, part + 1] : [through, 0];
      const all = new Map([...before.groups, ...groups].map((group) => [group.id, group]));
      await writeGroups(workspaceId, { ...before, mark, groups: [...all.values()].sort((a, b) => (a.id < b.id ? -1 : 1)) });
    },
  };
}
