/** The embedded store of the subscription service: memberships, groups and the ledger as tables of the shared SQLite file. */
import { ledgerTables } from "../../../platform/ledger/sqlite.ts";
import { openSqliteLogTails } from "../../../platform/log/sqlite.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import { type OnEntries, openSqliteConsent, type SqliteConsent } from "../../consent/store/sqlite.ts";
import type { Channel } from "../domain/group.ts";
import type { OrderedGroup } from "../domain/group-order.ts";
import type { UserMemberships } from "../domain/memberships.ts";
import type { Sweeping } from "../domain/ports.ts";
import type { GroupRows } from "./cassandra-groups.ts";
import { membershipsFromRow, membershipsToRow } from "./rows.ts";
import type { SubscriptionTables } from "./tables.ts";

export type EmbeddedTables = SubscriptionTables & SqliteConsent<UserMemberships> & GroupRows & EmbeddedGroups;

interface EmbeddedGroups {
  /**
   * Plans on the groups as they stand, and on where the workspace's order ends, whichever process appends to it: in the same
   * write, so that all that is answered comes before the change, and all that is asked later behind it. Throws what `plan` throws.
   */
  changeGroups(workspaceId: string, plan: (groups: readonly OrderedGroup[], end: number) => readonly OrderedGroup[]): Promise<void>;
}

const ledger = ledgerTables("subscription");

/** Written in one transaction: a step whole or not at all. `onEntries` runs inside it. */
export async function openSqliteSubscriptionStore(database: Database, onEntries: OnEntries = () => {}): Promise<EmbeddedTables> {
  const logTail = await openSqliteLogTails(database);
  const tables = await openSqliteConsent(database, {
    service: "subscription",
    of: "memberships",
    schema,
    ledger,
    deadLetterTable: "subscription_set_aside",
    onEntries,
    select: selectUser,
    page: "SELECT user_id AS key, body FROM subscription_memberships WHERE workspace_id = ? AND user_id > ? ORDER BY user_id LIMIT ?",
    // A user who was merged into another
    nothing: (userId): UserMemberships => ({ userId, mark: [0, -1], groups: new Map(), merges: [], absorbed: [] }),
    fromRow: membershipsFromRow,
    put: (workspaceId, user) => writeUser(database, workspaceId, user),
  });
  return {
    ...tables,
    store: {
      load: tables.load,
      sweep: (over, sweeping) => sweep(database, over, sweeping),
      groups: (workspaceId) => Promise.resolve(readGroups(database, workspaceId)),
    },
    changeGroups: (workspaceId, plan) =>
      database.write(() => writeGroups(database, workspaceId, plan(readGroups(database, workspaceId), logTail(workspaceId)))),
    readGroups: (workspaceId) => Promise.resolve({ mark: [0, -1], groups: readGroups(database, workspaceId), refused: [] }),
    writeGroups: (workspaceId, { groups }) => database.write(() => writeGroups(database, workspaceId, groups)),
    bringGroups: (workspaceId, groups, _through) => database.write(() => writeGroups(database, workspaceId, groups)),
  };
}

async function sweep(
  database: Database,
  { now, max }: { readonly now: number; readonly max: number },
  { isFree, change }: Sweeping,
): Promise<number> {
  const free: [workspaceId: string, userId: string][] = [];
  let last: [undoUntil: number, ...user: (typeof free)[number]] = [0, "", ""];
  for (;;) {
    const page = database.prepare(selectOver).all(now, ...last, max);
    for (const row of page) {
      const [workspaceId, userId] = [String(row["workspace_id"]), String(row["user_id"])];
      last = [Number(row["undo_until"]), workspaceId, userId];
      if (free.length < max && await isFree(workspaceId, userId)) free.push([workspaceId, userId]);
    }
    if (page.length < max || free.length === max) break;
  }
  const failures: unknown[] = [];
  await database.write(() => {
    const changed: [workspaceId: string, user: UserMemberships][] = [];
    for (const [workspaceId, userId] of free) {
      const row = database.prepare(selectUser).get(workspaceId, userId);
      if (row === undefined) continue;
      try {
        const user = membershipsFromRow(String(row["body"]));
        change(user);
        changed.push([workspaceId, user]);
      } catch (error) {
        failures.push(error);
      }
    }
    for (const [workspaceId, user] of changed) writeUser(database, workspaceId, user);
  });
  if (failures.length > 0) throw failures[0];
  return free.length;
}

function writeGroups(database: Database, workspaceId: string, groups: readonly OrderedGroup[]): void {
  const statement = database.prepare(putGroup);
  for (const { id, name, channel, archived, turns } of groups) {
    statement.run(workspaceId, id, name, channel, archived ? 1 : 0, JSON.stringify(turns));
  }
}

function readGroups(database: Database, workspaceId: string): OrderedGroup[] {
  const sql = "SELECT id, name, channel, archived, turns FROM subscription_groups WHERE workspace_id = ? ORDER BY id";
  return database.prepare(sql).all(workspaceId).map((row) => ({
    id: String(row["id"]),
    name: String(row["name"]),
    channel: String(row["channel"]) as Channel,
    archived: row["archived"] === 1,
    turns: JSON.parse(String(row["turns"])) as number[],
  }));
}

function writeUser(database: Database, workspaceId: string, user: UserMemberships): void {
  const windows = user.merges.map(({ undoUntil }) => undoUntil);
  database.prepare(putUser).run(workspaceId, user.userId, membershipsToRow(user), windows.length === 0 ? null : Math.min(...windows));
}

const putUser = `INSERT INTO subscription_memberships (workspace_id, user_id, body, undo_until) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET body = excluded.body, undo_until = excluded.undo_until`;
const selectOver = `SELECT undo_until, workspace_id, user_id FROM subscription_memberships
  WHERE undo_until < ? AND (undo_until, workspace_id, user_id) > (?, ?, ?) ORDER BY undo_until, workspace_id, user_id LIMIT ?`;
const selectUser = "SELECT body FROM subscription_memberships WHERE workspace_id = ? AND user_id = ?";
const putGroup = `INSERT INTO subscription_groups (workspace_id, id, name, channel, archived, turns) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET name = excluded.name, channel = excluded.channel, archived = excluded.archived, turns = excluded.turns`;

/** Owner `subscription`; a version is never changed once released. */
const schema: readonly string[] = [
  `
  CREATE TABLE subscription_memberships (
    workspace_id TEXT NOT NULL, user_id TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
  ) WITHOUT ROWID;
  CREATE TABLE subscription_groups (
    workspace_id TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, channel TEXT NOT NULL, archived INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, id)
  ) WITHOUT ROWID;
  CREATE TABLE subscription_set_aside (
    workspace_id TEXT NOT NULL, sequence INTEGER NOT NULL, part INTEGER NOT NULL, reason TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (workspace_id, sequence, part)
  ) WITHOUT ROWID;
  ${ledger.schema}
  `,
  `
  ALTER TABLE subscription_memberships ADD COLUMN undo_until INTEGER;
  CREATE INDEX subscription_open_merges ON subscription_memberships (undo_until) WHERE undo_until IS NOT NULL;
  `,
  "ALTER TABLE subscription_set_aside ADD COLUMN lane_key TEXT NOT NULL DEFAULT '';",
  ledger.inOrder,
  // What was declared before groups had a place in the order holds from its beginning
  `
  ALTER TABLE subscription_groups ADD COLUMN turns TEXT NOT NULL DEFAULT '[0]';
  UPDATE subscription_groups SET turns = '[]' WHERE archived = 1;
  `,
];
