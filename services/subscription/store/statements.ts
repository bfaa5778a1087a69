/** Every CQL statement of the subscription store but those of the ledger; all go to one partition, or to a few named ones. */

export const selectUsers = "SELECT user_id, body FROM memberships_by_user WHERE workspace_id = :workspace_id AND user_id IN :user_ids";
export const putUser =
  "INSERT INTO memberships_by_user (workspace_id, user_id, body) VALUES (:workspace_id, :user_id, :body) USING TIMESTAMP :stamp";

export const selectGroups = "SELECT body FROM ordered_groups_by_workspace WHERE workspace_id = :workspace_id";
export const putGroups =
  "INSERT INTO ordered_groups_by_workspace (workspace_id, body) VALUES (:workspace_id, :body) USING TIMESTAMP :stamp";
/** Written by builds in which groups had no place in the order. */
export const selectEarlierGroups = "SELECT body FROM groups_by_workspace WHERE workspace_id = :workspace_id";

export const putOpenMerge =
  "INSERT INTO open_merges_by_bucket (bucket, undo_until, workspace_id, user_id) VALUES (:bucket, :undo_until, :workspace_id, :user_id) USING TIMESTAMP :stamp";
export const selectOpenMerges =
  "SELECT undo_until, workspace_id, user_id FROM open_merges_by_bucket WHERE bucket = :bucket AND undo_until < :until LIMIT :max";
export const deleteOpenMerge =
  "DELETE FROM open_merges_by_bucket USING TIMESTAMP :stamp WHERE bucket = :bucket AND undo_until = :undo_until AND workspace_id = :workspace_id AND user_id = :user_id";
