/** Access kept in SQLite: a set in memory that answers every request, and the tables it is read from. */
import type { Clock } from "../../platform/clock.ts";
import { limits } from "../../platform/limits.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import { migrate } from "../../platform/sqlite/migrate.ts";
import type { Access } from "./access.ts";
import type { AccessAdmin } from "./admin.ts";
import { findHolder, holdRows } from "./held.ts";
import { readRows, writeRow } from "./row-store.ts";
import { accessSchema } from "./rows.ts";

export type { AccessAdmin } from "./admin.ts";

/**
 * Opens the tables, making them where they are missing, and holds all of them in memory. What another process
 * writes is seen within `accessRefreshMs`; while the store is away the last known set serves.
 */
export async function openAccess(options: { readonly database: Database; readonly clock: Clock }): Promise<Access & AccessAdmin> {
  const { database, clock } = options;
  await migrate(database, "access", accessSchema);
  let version = storeVersion(database);
  let held = holdRows(readRows(database));
  let stopRefresh: (() => void) | undefined;
  let closed = false;

  function readAgain(): void {
    // The version is read first: a write between the two makes the next refresh read again, and nothing is missed.
    version = storeVersion(database);
    held = holdRows(readRows(database));
  }

  function refreshIfChanged(): void {
    if (storeVersion(database) !== version) readAgain();
  }

  function refreshLater(): void {
    stopRefresh = clock.after(limits.accessRefreshMs, () => {
      if (closed) return;
      try {
        refreshIfChanged();
      } catch {
        // The store is away: the last known set serves, and the next turn asks again.
      }
      refreshLater();
    });
  }

  refreshLater();
  return {
    findApiKey: (secret) => findHolder(held.keys, secret, clock.now()),
    findScimToken: (secret) => findHolder(held.tokens, secret, clock.now()),
    workspace: (id) => held.workspaces.get(id),
    allowsOrigin: (origin) => held.origins.has(origin),
    async refresh() {
      refreshIfChanged();
    },
    close() {
      closed = true;
      stopRefresh?.();
    },
    rows: () => held.rows,
    declared: (workspaceId, kind) => held.rows.declared.filter((row) => row.workspaceId === workspaceId && row.kind === kind),
    async transact(plan) {
      const result = await database.write(() => {
        const planned = plan(readRows(database), clock.now());
        for (const write of planned.writes) writeRow(database, write);
        return planned.result;
      });
      readAgain();
      return result;
    },
  };
}

/** A number that changes when another connection has written. */
function storeVersion(database: Database): unknown {
  return database.prepare("PRAGMA data_version").get()?.["data_version"];
}
