/** Log entries of requests that changed nothing: collected for a moment and written together, behind the answers. */
import type { Clock } from "../../platform/clock.ts";
import { limits } from "../../platform/limits.ts";
import type { Logger } from "../../platform/logger.ts";
import type { LogEntry } from "./domain/ports.ts";

export interface Notes {
  /** Never fails; what cannot be written is told to the process's own log. */
  add(entry: LogEntry): void;
  /** Writes what waits. */
  close(): Promise<void>;
}

export function openNotes(parts: { clock: Clock; logger: Logger; write: (entries: readonly LogEntry[]) => Promise<void> }): Notes {
  const { clock, logger, write } = parts;
  let waiting: LogEntry[] = [];
  let writing: Promise<void> = Promise.resolve();
  let cancel: (() => void) | undefined;

  function flush(): void {
    cancel = undefined;
    const entries = waiting;
    waiting = [];
    writing = writing.then(() => write(entries)).catch((error: unknown) => {
      logger.error("scim_log_not_written", error, { entries: entries.length });
    });
  }

  return {
    add(entry) {
      if (waiting.length >= limits.scimLogWaitingMax) return;
      waiting.push(entry);
      cancel ??= clock.after(limits.scimLogFlushMs, flush);
    },
    async close() {
      cancel?.();
      if (waiting.length > 0) flush();
      await writing;
    },
  };
}
