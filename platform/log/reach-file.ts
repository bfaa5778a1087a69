/**
 * How far a log in a file of a data folder may have given out sequences, kept beside that file: a file that was put back from
 * an older copy cannot say it itself.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncFolder } from "../sync-folder.ts";

export interface Reach {
  /** The log that it is of; another one's file lies there where the log says another. */
  readonly logId: string;
  /** Its epoch. */
  readonly number: number;
  /** Sequences above were certainly not given out. */
  readonly ceiling: number;
  /** Sequences up to here were certainly given out, and durable. */
  readonly noted: number;
}

export interface ReachFile {
  /** Undefined where there is none, or none that can be read. */
  load(): Reach | undefined;
  /** Durably, before a sequence above the last ceiling is given out. */
  reserve(reach: Reach): void;
  /** Without waiting for the disk: what is lost of it in a power cut is known less exactly after that. */
  note(reach: Reach): void;
}

/** Two files, as only one of them is waited for. */
export function openReachFile(folder: string): ReachFile {
  const reserved = join(folder, "heddle.reach");
  const noted = join(folder, "heddle.reach-noted");
  return {
    load() {
      const reach = read(reserved);
      if (reach === undefined) return undefined;
      const last = read(noted);
      const isSame = last?.logId === reach.logId && last.number === reach.number;
      return isSame ? { ...reach, noted: Math.max(reach.noted, last.noted) } : reach;
    },
    reserve(reach) {
      replace(reserved, JSON.stringify(reach));
    },
    note(reach) {
      writeFileSync(`${noted}.part`, JSON.stringify(reach), { mode: ownerOnly });
      renameSync(`${noted}.part`, noted);
    },
  };
}

/** One that is damaged says nothing, as one that is not there. */
function read(path: string): Reach | undefined {
  try {
    const { logId, number, ceiling, noted } = JSON.parse(readFileSync(path, "utf8")) as Partial<Reach>;
    const isWhole = typeof logId === "string" && [number, ceiling, noted].every((each) => Number.isSafeInteger(each));
    return isWhole ? { logId, number: Number(number), ceiling: Number(ceiling), noted: Number(noted) } : undefined;
  } catch {
    return undefined;
  }
}

function replace(path: string, text: string): void {
  const handle = openSync(`${path}.part`, "w", ownerOnly);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(`${path}.part`, path);
  syncFolder(dirname(path));
}

const ownerOnly = 0o600;
