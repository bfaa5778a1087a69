/** Lists over many users and workspaces in the embedded store: who is blocked, dead letters. */
import { limits } from "../../../platform/limits.ts";
import { pagesBehind } from "../../../platform/pages-behind.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import type { BlockedEntry, ProfileStore } from "../domain/ports.ts";
import { originsFromRow } from "./origin-rows.ts";
import { rejectedFromRow } from "./rejected-rows.ts";

export function sqliteLists(
  database: Database,
): Pick<ProfileStore, "listBlocked" | "allBlocked" | "pageBlocked" | "listSetAside" | "loadDeadLetter" | "listRejected" | "loadOrigins"> {
  return {
    listBlocked(max) {
      const rows = database.prepare("SELECT workspace_id, user_id, reason FROM profile_held LIMIT ?").all(max);
      return Promise.resolve(rows.map(blockedUser));
    },
    allBlocked() {
      const sql = `SELECT workspace_id, user_id, reason FROM profile_held WHERE (workspace_id, user_id) > (?, ?)
        ORDER BY workspace_id, user_id LIMIT ?`;
      return pagesBehind<BlockedEntry>((last) => {
        const rows = database.prepare(sql).all(last?.workspaceId ?? "", last?.userId ?? "", limits.heldRedriveMax);
        return Promise.resolve(rows.map(blockedUser));
      });
    },
    pageBlocked(workspaceId, after, max) {
      const sql = "SELECT workspace_id, user_id, reason FROM profile_held WHERE workspace_id = ? AND user_id > ? ORDER BY user_id LIMIT ?";
      return Promise.resolve(database.prepare(sql).all(workspaceId, after, max).map(blockedUser));
    },
    listRejected(max) {
      const rows = database.prepare("SELECT workspace_id, user_id, body FROM profile_rejected LIMIT ?").all(max);
      return Promise.resolve(rows.map((row) => rejectedFromRow(String(row["workspace_id"]), String(row["user_id"]), row["body"])));
    },
    loadOrigins(workspaceId, partition, sequences) {
      const wanted = new Set(sequences);
      const sql = "SELECT body FROM profile_origins WHERE log_partition = ? AND through >= ? ORDER BY through LIMIT 1";
      const statement = database.prepare(sql);
      const texts = new Set([...wanted].map((sequence) => statement.get(partition, sequence)?.["body"]));
      const found = [...texts].flatMap((text) => typeof text === "string" ? originsFromRow(text, workspaceId, wanted) : []);
      return Promise.resolve(new Map(found.map((origin) => [origin.sequence, origin])));
    },
    ...deadLetters(database),
  };
}

function deadLetters(database: Database): Pick<ProfileStore, "listSetAside" | "loadDeadLetter"> {
  return {
    listSetAside(max, { partition, sequence } = { partition: -1, sequence: 0 }) {
      const sql = `SELECT log_partition, sequence, reason FROM profile_set_aside WHERE (log_partition, sequence) > (?, ?)
        ORDER BY log_partition, sequence LIMIT ?`;
      return Promise.resolve(
        database.prepare(sql).all(partition, sequence, max).map((row) => ({
          partition: Number(row["log_partition"]),
          sequence: Number(row["sequence"]),
          reason: String(row["reason"]),
        })),
      );
    },
    loadDeadLetter({ partition, sequence }) {
      const sql = "SELECT reason, body FROM profile_set_aside WHERE log_partition = ? AND sequence = ?";
      const row = database.prepare(sql).get(partition, sequence);
      if (row === undefined) return Promise.resolve(undefined);
      const body = row["body"] instanceof Uint8Array ? row["body"] : new Uint8Array();
      return Promise.resolve({ partition, sequence, reason: String(row["reason"]), body });
    },
  };
}

function blockedUser(row: Readonly<Record<string, unknown>>): BlockedEntry {
  return { workspaceId: String(row["workspace_id"]), userId: String(row["user_id"]), reason: String(row["reason"]) };
}
