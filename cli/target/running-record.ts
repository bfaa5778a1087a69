/** Which process serves a data folder, and where: written beside the database while it listens, for commands on the same machine. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface RunningRecord {
  readonly pid: number;
  readonly url: string;
  /** ISO 8601. */
  readonly startedAt: string;
}

export interface RunningFile {
  write(record: RunningRecord): void;
  /** True only of a server that has the folder's lock: one that was killed leaves its record behind. */
  read(): RunningRecord | undefined;
  remove(): void;
}

/** A record that cannot be written or read is no fault of the server: commands then know less. */
export function runningFile(folder: string): RunningFile {
  const path = join(folder, "heddle.running");
  return {
    write(record) {
      attempt(() => {
        writeFileSync(`${path}.part`, JSON.stringify(record), { mode: 0o600 });
        renameSync(`${path}.part`, path);
      });
    },
    read() {
      const { pid, url, startedAt } = attempt(() => JSON.parse(readFileSync(path, "utf8")) as Partial<RunningRecord>) ?? {};
      if (!Number.isSafeInteger(pid) || typeof url !== "string" || !URL.canParse(url) || typeof startedAt !== "string") return undefined;
      return { pid: Number(pid), url, startedAt };
    },
    remove() {
      attempt(() => rmSync(path, { force: true }));
    },
  };
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
