/** The file of a backup on a disk that takes writes and gives reads in pieces, as one that is nearly full and one of a network do. */
import { hash } from "node:crypto";
import fs, { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { checkBackup, copyDatabaseOf, sealBackup } from "./backup-file.ts";

const pieceBytes = 50;

type Piece = [handle: number, bytes: NodeJS.ArrayBufferView, offset: number, length: number, at: number];

/** As the system may: it says how much it took, or gave. */
function inPieces(call: "readSync" | "writeSync"): void {
  const whole = fs[call] as (...args: Piece) => number;
  function piece(...[handle, bytes, offset, length, at]: Piece): number {
    return whole(handle, bytes, offset, Math.min(length, pieceBytes), at);
  }
  const spy = vi.spyOn(fs, call as "readSync").mockImplementation(piece as typeof fs.readSync);
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

test("what is read in pieces is whole: the note of a backup, and the database out of it", () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-pieces-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [file, copy] = [join(folder, "backup.db"), join(folder, "heddle.db")];
  const database = Buffer.from("of the database ".repeat(20));
  writeFileSync(file, database);
  writeFileSync(copy, "");
  inPieces("readSync");
  sealBackup(file, { madeAt: "2026-03-01T12:00:00Z" });
  const { bytes, sha256 } = checkBackup(file);
  expect([bytes, sha256]).toEqual([database.length, hash("sha256", database, "hex")]);
  copyDatabaseOf(file, bytes, copy);
  expect(readFileSync(copy)).toEqual(database);
});

test("what was written in pieces is whole: the note of a backup, and the database out of it", () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-pieces-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [file, copy] = [join(folder, "backup.db"), join(folder, "heddle.db")];
  const database = Buffer.from("of the database ".repeat(20));
  writeFileSync(file, database);
  writeFileSync(copy, "");
  inPieces("writeSync");
  sealBackup(file, { madeAt: "2026-03-01T12:00:00Z" });
  const { bytes, note } = checkBackup(file);
  expect([bytes, note?.madeAt]).toEqual([database.length, "2026-03-01T12:00:00Z"]);
  copyDatabaseOf(file, bytes, copy);
  expect(readFileSync(copy)).toEqual(database);
});
