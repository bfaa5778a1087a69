/** The note of a pause of writes, beside who may call. */
import type { Documents } from "../../../platform/documents/documents.ts";

/** Ends by itself: the process that paused may have died. */
export interface PauseNote {
  /** Unix milliseconds. */
  readonly until: number;
}

export const pauseKey = { kind: "pause", id: "writes" };

/** When the pause that was asked for last ends, in Unix milliseconds; 0 where none was. */
export async function pausedUntil(documents: Pick<Documents, "get">, installation: string): Promise<number> {
  return (await documents.get(installation, pauseKey) as PauseNote | undefined)?.until ?? 0;
}
