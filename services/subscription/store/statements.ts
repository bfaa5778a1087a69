/** Every CQL statement of the subscription store; all but scans go to one partition, or to a few named ones. */
import { type StateColumns, stateTables } from "../../consent/store/state-row-location.ts";

export const usersAlone = stateTables(
  { rows: "memberships_by_user", ledger: "ledger_by_subject", column: "user_id" },
  ["workspace_id"],
);
/** Users of a bucket, by the number in their ids; version 4 of the tables, in keyspaces that were made with it. */
export const usersTogether = stateTables(
  { rows: "memberships_by_bucket", ledger: "ledger_by_bucket", column: "user_id" },
  ["workspace_id", "bucket"],
);
export const memberColumns: StateColumns = { column: "user_id", alone: usersAlone, together: usersTogether };

export const selectGroups = "SELECT body FROM ordered_groups_by_workspace WHERE workspace_id = :workspace_id";
export const putGroups =
  "INSERT INTO ordered_groups_by_workspace (workspace_id, body) VALUES (:workspace_id, :body) USING TIMESTAMP :stamp";
/** Written by builds in which groups had no place in the order. */
export const selectEarlierGroups = "SELECT body FROM groups_by_workspace WHERE workspace_id = :workspace_id";

export const putOpenMerge =
  "INSERT INTO open_merges_by_bucket (bucket, undo_until, workspace_id, user_id) VALUES (:bucket, :undo_until, :workspace_id, :user_id) USING TIMESTAMP :stamp";
export const selectOpenMerges =
  "SELECT undo_until, workspace_id, user_id FROM open_merges_by_bucket WHERE bucket = :bucket AND undo_until < :until";
export const deleteOpenMerge =
  "DELETE FROM open_merges_by_bucket USING TIMESTAMP :stamp WHERE bucket = :bucket AND undo_until = :undo_until AND workspace_id = :workspace_id AND user_id = :user_id";
