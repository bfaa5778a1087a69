/** Every statement of the tables of preference centers: constants, so that each is prepared once. */

const one = "WHERE workspace_id = :workspace_id AND kind = :kind AND id = :id";
const kind = "WHERE workspace_id = :workspace_id AND kind = :kind";

export const selectRevision = "SELECT DISTINCT workspace_id, revision FROM centers_by_workspace WHERE workspace_id = :workspace_id";
export const selectRow = `SELECT id, body FROM centers_by_workspace ${one}`;
export const selectKind = `SELECT id, body FROM centers_by_workspace ${kind}`;
/** After `above` and before `below`, in the order of their ids. */
export const selectBetween = `SELECT id, body FROM centers_by_workspace ${kind} AND id > :above AND id < :below LIMIT :rows`;
export const selectContent = "SELECT body FROM center_contents WHERE workspace_id = :workspace_id AND content_id = :content_id";

/** The condition of every change. */
export const updateRevision = "UPDATE centers_by_workspace SET revision = :revision WHERE workspace_id = :workspace_id IF revision = :was";
export const putRow = "INSERT INTO centers_by_workspace (workspace_id, kind, id, body) VALUES (:workspace_id, :kind, :id, :body)";
export const putPassingRow =
  "INSERT INTO centers_by_workspace (workspace_id, kind, id, body) VALUES (:workspace_id, :kind, :id, :body) USING TTL :ttl";
export const putContent =
  "INSERT INTO center_contents (workspace_id, content_id, body) VALUES (:workspace_id, :content_id, :body) USING TIMESTAMP :stamp";
