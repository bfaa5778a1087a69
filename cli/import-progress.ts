/** The memory of an import: how far it came, written beside the file so that an interrupted one can go on. */
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";

import type { ObjectArray, Place } from "./import-entry.ts";
import { CommandError } from "./output.ts";

/** What is written; all of it is needed to come to the same requests again. */
export interface Progress {
  readonly version: 1;
  /** Of the file and the way it is read. */
  readonly identity: string;
  /** The address that it was sent to. */
  readonly server: string;
  readonly batchSize: number;
  readonly concurrency: number;
  /** For each shard the place of the last settled object; null before the first. */
  readonly done: (Place | null)[];
  readonly taken: Record<ObjectArray, number>;
  errors: number;
  /** Length of the error report; what is behind it is repeated. */
  errorBytes: number;
}

const sampleBytes = 1024 * 1024;

/** What names the content of a file: its size and both its ends, and how it is read. 32 hex digits. */
export function fileIdentity(file: string, reading: unknown): string {
  const handle = openSync(file, "r");
  try {
    const { size } = fstatSync(handle);
    const hash = createHash("sha256").update(JSON.stringify([size, reading]));
    for (const position of [0, Math.max(0, size - sampleBytes)]) {
      const bytes = Buffer.alloc(Math.min(sampleBytes, size));
      hash.update(bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, position)));
    }
    return hash.digest("hex").slice(0, 32);
  } finally {
    closeSync(handle);
  }
}

/** The progress of an import of the file, or a new one. Refuses a progress of another file or another mapping. */
export function openProgress(
  path: string,
  wanted: Pick<Progress, "identity" | "server" | "batchSize" | "concurrency">,
): { progress: Progress; resumed: boolean } {
  if (!existsSync(path)) {
    const done = Array.from({ length: wanted.concurrency }, () => null);
    return {
      progress: { version: 1, ...wanted, done, taken: { attributes: 0, events: 0, purchases: 0 }, errors: 0, errorBytes: 0 },
      resumed: false,
    };
  }
  const found = parseProgress(readFileSync(path, "utf8"));
  if (!found || found.identity !== wanted.identity) {
    throw new CommandError(
      `"${path}" belongs to an import of another file, mapping or run: finish that one, or delete "${path}" to start over`,
    );
  }
  if (found.server !== wanted.server) {
    throw new CommandError(
      `"${path}" belongs to an import to ${found.server}, and this one is to ${wanted.server}: finish that one, or delete "${path}" to start over`,
    );
  }
  return { progress: found, resumed: true };
}

function parseProgress(text: string): Progress | undefined {
  try {
    const value = JSON.parse(text) as Progress;
    return value.version === 1 && Array.isArray(value.done) && value.done.length === value.concurrency ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the file in one step: whoever is killed here leaves the old one or the new one. */
export function saveProgress(path: string, progress: Progress): void {
  writeFileSync(`${path}.new`, JSON.stringify(progress));
  renameSync(`${path}.new`, path);
}

export function forgetProgress(path: string): void {
  rmSync(path, { force: true });
}

/** Takes away what was reported after the last save: those batches are sent, and reported, again. */
export function cutReport(path: string, bytes: number): void {
  if (bytes === 0) rmSync(path, { force: true });
  else if (existsSync(path)) truncateSync(path, bytes);
}
