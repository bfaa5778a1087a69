/** A row of what waits for a human, as both stores name its columns. */
import type { SetAside } from "../../../platform/lane/lane.ts";

export function setAsideFromRow(row: Readonly<Record<string, unknown>>): SetAside {
  return {
    reason: String(row["reason"]),
    record: {
      workspaceId: String(row["workspace_id"]),
      sequence: Number(row["sequence"]),
      part: Number(row["part"]),
      key: String(row["lane_key"]),
      body: row["body"] instanceof Uint8Array ? new Uint8Array(row["body"]) : new Uint8Array(),
    },
  };
}
