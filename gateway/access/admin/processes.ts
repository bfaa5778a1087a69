/** Which processes of an installation run: each writes so now and then, in a small row that expires where it is not written again. */
import type { Clock } from "../../../platform/clock.ts";
import type { Documents } from "../../../platform/documents/documents.ts";
import { limits } from "../../../platform/limits.ts";
import type { Logger } from "../../../platform/logger.ts";
import type { OwnProcess } from "../../../platform/own-process.ts";

export interface RunningProcess extends OwnProcess {
  /** Unix milliseconds of its own clock. */
  readonly heardAt: number;
}

export interface Processes {
  /** By part and start. One that was killed is among them for `processKeepMs`. Refuses STORE_UNAVAILABLE. */
  list(): Promise<readonly RunningProcess[]>;
  /** From now on the process is in the list, until the returned function took it out; that never throws. */
  announce(own: OwnProcess): () => Promise<void>;
}

export interface ProcessesOptions {
  readonly documents: Documents;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly installation: string;
}

/** In a partition beside who may call, which no backup takes along. */
export function openProcesses({ documents, clock, logger, installation }: ProcessesOptions): Processes {
  const partition = `${installation} processes`;
  async function put(own: OwnProcess, keepMs: number, row: { readonly ended?: true } = {}): Promise<void> {
    const value = { own, ...row, heardAt: clock.now(), expiresAt: clock.now() + keepMs };
    await documents.changeIf(partition, { reads: [], plan: () => [{ key: { kind, id: own.id }, value }] });
  }
  return {
    async list() {
      const rows = (await documents.list(partition, kind)).map(({ value }) => value as ProcessRow);
      const there = rows.filter(({ ended, expiresAt }) => ended !== true && expiresAt > clock.now());
      return there.map(({ own, heardAt }) => ({ ...own, heardAt })).toSorted(byPart);
    },
    announce(own) {
      let stop: (() => void) | undefined;
      let closed = false;
      let isListed = true;
      async function write(): Promise<void> {
        try {
          await put(own, limits.processKeepMs);
          isListed = true;
        } catch (error) {
          if (isListed) logger.warn("process_not_listed", { cause: String(error) });
          isListed = false;
        }
        if (!closed) stop = clock.after(limits.processAnnounceMs, () => void (writing = write()));
      }
      let writing = write();
      return async () => {
        closed = true;
        stop?.();
        await writing;
        // What is put as it is cannot be dropped: a row that says so goes by itself
        await put(own, limits.processEndedKeepMs, { ended: true }).catch(() => {});
      };
    },
  };
}

interface ProcessRow {
  readonly own: OwnProcess;
  readonly heardAt: number;
  readonly expiresAt: number;
  /** In good order: it is shown no more. */
  readonly ended?: true;
}

function byPart(one: RunningProcess, other: RunningProcess): number {
  return one.part.localeCompare(other.part) || one.startedAt - other.startedAt;
}

const kind = "process";
