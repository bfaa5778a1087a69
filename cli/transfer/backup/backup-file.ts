/** The file of a backup: a database, and behind it a line that says what it is and what its bytes must be. */
import { createHash } from "node:crypto";
import { closeSync, fstatSync, fsyncSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { CommandError } from "../../shell/output.ts";

/** What the line at the end says, as JSON. */
export interface BackupNote {
  readonly format: 1;
  /** ISO 8601. */
  readonly madeAt: string;
  /** Of the database before it. */
  readonly bytes: number;
  /** 64 hex digits, of the same. */
  readonly sha256: string;
}

export interface BackupContent {
  /** How much of the file is the database. */
  readonly bytes: number;
  readonly sha256: string;
  /** Undefined in a file of earlier versions, which said nothing of itself. */
  readonly note: BackupNote | undefined;
}

/** Appends the note to a database that no process writes any more, and makes both durable. */
export function sealBackup(path: string, noted: Pick<BackupNote, "madeAt">): void {
  const handle = openSync(path, "r+");
  try {
    const bytes = fstatSync(handle).size;
    const note: BackupNote = { format: 1, ...noted, bytes, sha256: hashOf(handle, bytes) };
    const body = Buffer.from(JSON.stringify(note));
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32BE(body.length);
    writeAll(handle, Buffer.concat([body, length, mark]), bytes);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Reads the whole file. Throws a CommandError where it is cut short, damaged or none of ours; a database is not looked into. */
export function checkBackup(path: string): BackupContent {
  const handle = openSync(path, "r");
  try {
    const size = fstatSync(handle).size;
    const note = noteOf(handle, { path, size });
    const bytes = note?.bytes ?? size;
    if (note === undefined) refuseCut(handle, { path, size });
    const sha256 = hashOf(handle, bytes);
    if (note !== undefined && note.sha256 !== sha256) throw unsound(path, "its bytes are not those that were written");
    return { bytes, sha256, note };
  } finally {
    closeSync(handle);
  }
}

/** Copies the database out of the file into one that is there and empty, and makes it durable. */
export function copyDatabaseOf(path: string, bytes: number, to: string): void {
  const [from, target] = [openSync(path, "r"), openSync(to, "r+")];
  try {
    for (const [chunk, at] of chunksOf(from, bytes)) writeAll(target, chunk, at);
    fsyncSync(target);
  } finally {
    closeSync(from);
    closeSync(target);
  }
}

/** A disk that is nearly full takes a part of a write, and fails the next. */
function writeAll(handle: number, bytes: Buffer, at: number): void {
  for (let written = 0; written < bytes.length;) {
    written += writeSync(handle, bytes, written, bytes.length - written, at + written);
  }
}

export function unsound(path: string, why: string): CommandError {
  return new CommandError(`"${path}" is no sound copy of a Heddle: ${why}`);
}

/** Behind the note and its length, at the end of the file. */
const mark = Buffer.from("heddle-backup-1\n");
const lengthBytes = 4;
const noteBytesMax = 16 * 1024 ** 2;

/** Undefined where there is none at the end. */
function noteOf(handle: number, { path, size }: { readonly path: string; readonly size: number }): BackupNote | undefined {
  const tail = lengthBytes + mark.length;
  if (size < tail) return undefined;
  const end = bytesAt(handle, size - tail, tail);
  if (!end.subarray(lengthBytes).equals(mark)) return undefined;
  const length = end.readUInt32BE();
  const begin = size - tail - length;
  if (begin < 0 || length > noteBytesMax) throw unsound(path, "its last line is damaged");
  const note = parsed(bytesAt(handle, begin, length).toString());
  if (note === undefined) throw unsound(path, "its last line is damaged");
  if (note.format !== 1) throw new CommandError(`"${path}" was made by a newer build, which is needed to restore it`);
  if (note.bytes !== begin) throw unsound(path, `it has ${begin} bytes before its last line, and ${note.bytes} were written`);
  return note;
}

function parsed(text: string): BackupNote | undefined {
  try {
    return JSON.parse(text) as BackupNote;
  } catch {
    return undefined;
  }
}

/** A database says how long it is; one that was cut lost its note, if it had one. */
function refuseCut(handle: number, { path, size }: { readonly path: string; readonly size: number }): void {
  const head = bytesAt(handle, 0, Math.min(size, databaseHeadBytes));
  if (size < databaseHeadBytes || !head.subarray(0, databaseMagic.length).equals(databaseMagic)) throw unsound(path, "it is no database");
  const page = head.readUInt16BE(16);
  const expected = (page === 1 ? 65_536 : page) * head.readUInt32BE(28);
  if (size < expected) throw unsound(path, `it is cut short, ${size} bytes of at least ${expected} are left`);
  if (size > expected) throw unsound(path, "it is cut short within its last line");
}

/** https://www.sqlite.org/fileformat.html: page size at 16, pages at 28. */
const databaseMagic = Buffer.from("SQLite format 3\u0000");
const databaseHeadBytes = 100;

/** Fewer than asked only at the end: a file system may give less at once, above all one of a network. */
function bytesAt(handle: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let read = 0;
  for (let more = -1; more !== 0 && read < length; read += more) more = readSync(handle, bytes, read, length - read, position + read);
  return bytes.subarray(0, read);
}

function hashOf(handle: number, bytes: number): string {
  const hash = createHash("sha256");
  for (const [chunk] of chunksOf(handle, bytes)) hash.update(chunk);
  return hash.digest("hex");
}

const chunkBytes = 1024 * 1024;

function* chunksOf(handle: number, bytes: number): Generator<readonly [chunk: Buffer, at: number]> {
  for (let at = 0; at < bytes; at += chunkBytes) yield [bytesAt(handle, at, Math.min(chunkBytes, bytes - at)), at];
}

/** In words, for a person. */
export function sizeOf(path: string): string {
  return `${(statSync(path).size / 1024 ** 2).toFixed(1)} MiB`;
}
