/** The table of users: what the resolver and the appliers know of one lies in one row, at a place that follows from its id. */
import type { Database } from "../../../platform/sqlite/database.ts";
import type { UserId } from "../domain/record/user-key.ts";

/** `identity`: the resolver's row of the user; `body`: the profile. */
export type UserColumn = "identity" | "body";

/** Reads the row of users of a workspace; undefined where there is none. */
export function userReader(database: Database, what: UserColumn, workspace: number): (id: UserId) => Record<string, unknown> | undefined {
  const atPlace = database.prepare(readAtPlace[what]);
  const byId = isAnyElsewhere(database) ? database.prepare(readById[what]) : undefined;
  return (id) => atPlace.get(placeOf(id), id, workspace) ?? byId?.get(workspace, id);
}

/**
 * The place that a user's row takes unless another user has it: a look-up by place is one search instead of two, and
 * rows of users who were made together lie together. Ids are as the resolver makes them (12 hex digits of the place in
 * the log, 4 of the place in the record); 0, where no user is, for all others and for those too large for SQLite. Those of later
 * epochs of the log are too large for a number of JavaScript.
 */
export function placeOf(id: UserId): number | bigint {
  if (id.length !== idDigits) return 0;
  const high = Number(`0x${id.slice(0, madeEnd / 2)}`);
  const low = Number(`0x${id.slice(madeEnd / 2, madeEnd)}`);
  if (high < safeHighsEnd) return high * 2 ** 32 + low || 0;
  // NaN, of an id that is no hex, is not below it either
  if (!(high < highsEnd && low >= 0)) return 0;
  // Reading a bigint from its digits takes twice as long, and a later epoch would pay for it at each look at a user
  halves.setUint32(0, high);
  halves.setUint32(4, low);
  return halves.getBigInt64(0);
}

const madeEnd = 16;
const idDigits = 24;
/** Below it a place is a number that JavaScript counts exactly, */
const safeHighsEnd = 2 ** (53 - 32);
/** and below this one SQLite has it. */
const highsEnd = 2 ** (63 - 32);
const halves = new DataView(new ArrayBuffer(8));

/** Users whose place was taken lie at negative ones, and those that earlier builds made in a later epoch. Nearly always there are none: asking once spares looking there. */
function isAnyElsewhere(database: Database): boolean {
  return database.prepare("SELECT 1 FROM profile_profiles WHERE place < 0 LIMIT 1").get() !== undefined;
}

/** The mark stands beside the body where that does not hold it: of a user who is gone, and of one whose last record changed nothing. */
const readAtPlace = {
  identity: "SELECT identity FROM profile_profiles WHERE place = ? AND user_id = ? AND workspace = ?",
  body: "SELECT body, mark_sequence, mark_part FROM profile_profiles WHERE place = ? AND user_id = ? AND workspace = ?",
};

const readById = {
  identity: "SELECT identity FROM profile_profiles WHERE workspace = ? AND user_id = ?",
  body: "SELECT body, mark_sequence, mark_part FROM profile_profiles WHERE workspace = ? AND user_id = ?",
};

/** Writes to a user's row: place, workspace, id, text, and the mark beside it. A statement that changes nothing is followed by its `orElse`. */
export const putUser = { identity: putStatements("identity"), body: putStatements("body"), marked: putMarked() };

/** Workspace, id. `deleteEmptyUser` follows. */
export const emptyIdentity = "UPDATE profile_profiles SET identity = NULL WHERE workspace = ? AND user_id = ?";

export const deleteEmptyUser =
  "DELETE FROM profile_profiles WHERE workspace = ? AND user_id = ? AND identity IS NULL AND body IS NULL AND mark_sequence IS NULL";

function putStatements(column: UserColumn): { readonly sql: string; readonly orElse: string } {
  return {
    sql: `UPDATE profile_profiles SET ${column} = ?4 WHERE place = ?1 AND workspace = ?2 AND user_id = ?3`,
    orElse: `INSERT INTO profile_profiles (place, workspace, user_id, ${column}) VALUES (
      CASE WHEN ?1 > 0 AND NOT EXISTS (SELECT 1 FROM profile_profiles WHERE place = ?1) THEN ?1
        ELSE (SELECT min(0, coalesce(min(place), 0)) - 1 FROM profile_profiles) END, ?2, ?3, ?4)
      ON CONFLICT (workspace, user_id) DO UPDATE SET ${column} = excluded.${column}`,
  };
}

function putMarked(): { readonly sql: string; readonly orElse: string } {
  return {
    sql: "UPDATE profile_profiles SET body = ?4, mark_sequence = ?5, mark_part = ?6 WHERE place = ?1 AND workspace = ?2 AND user_id = ?3",
    orElse: `INSERT INTO profile_profiles (place, workspace, user_id, body, mark_sequence, mark_part) VALUES (
      CASE WHEN ?1 > 0 AND NOT EXISTS (SELECT 1 FROM profile_profiles WHERE place = ?1) THEN ?1
        ELSE (SELECT min(0, coalesce(min(place), 0)) - 1 FROM profile_profiles) END, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (workspace, user_id) DO UPDATE
        SET body = excluded.body, mark_sequence = excluded.mark_sequence, mark_part = excluded.mark_part`,
  };
}
