/** A row of what waits for a human, as both stores name its columns. */
import type { DeadLetter } from "../../../platform/lane/lane.ts";

export function deadLetterFromRow(row: Readonly<Record<string, unknown>>): DeadLetter {
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
