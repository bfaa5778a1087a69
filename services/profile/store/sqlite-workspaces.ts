/** Workspaces: their short numbers, with which the key of every row of identities and profiles begins, and what was counted of each last. */
import type { Database } from "../../../platform/sqlite/database.ts";

export interface WorkspaceNumbers {
  /** The number of a workspace; undefined while nothing was ever written for it. */
  of(workspaceId: string): number | undefined;
  /** Gives numbers, durably, to those that have none yet. */
  give(workspaceIds: readonly string[]): Promise<void>;
}

export function openWorkspaceNumbers(database: Database): WorkspaceNumbers {
  const numbers = new Map<string, number>();
  function of(workspaceId: string): number | undefined {
    const known = numbers.get(workspaceId);
    if (known !== undefined) return known;
    const row = database.prepare("SELECT number FROM profile_workspaces WHERE workspace_id = ?").get(workspaceId);
    if (row === undefined) return undefined;
    const number = Number(row["number"]);
    numbers.set(workspaceId, number);
    return number;
  }
  return {
    of,
    async give(workspaceIds) {
      const without = workspaceIds.filter((id) => of(id) === undefined);
      if (without.length === 0) return;
      await database.write(() => {
        const insert = database.prepare("INSERT INTO profile_workspaces (workspace_id) VALUES (?) ON CONFLICT DO NOTHING");
        for (const id of without) insert.run(id);
      });
    },
  };
}

/** The text of the row of the newest minute (`newestKey`). Steps write it of all their workspaces, whose rows lie side by side here. */
export function newestCounts(database: Database, workspace: number): string | undefined {
  const row = database.prepare("SELECT newest_counts FROM profile_workspaces WHERE number = ?").get(workspace);
  return row?.["newest_counts"] as string | null ?? undefined;
}

/** Of the text or null, and the workspace. */
export const putNewestCounts = "UPDATE profile_workspaces SET newest_counts = ? WHERE number = ?";
