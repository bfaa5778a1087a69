/** A folder of backups: their names, and which of them go. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { backupFileIn, removeOldBackups } from "./backup-folder.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-backups-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function made(day: number): string {
  return basename(backupFileIn(folder, Date.UTC(2026, 10, day, 3, 17, 0, 123)));
}

test("a backup in a folder is called by its time, to the second", () => {
  expect(made(23)).toBe("heddle-20261123T031700Z.db");
});

test("all but the newest go, and what killed backups left before them; other files stay", () => {
  const halves = [`${made(2)}.part`, `${made(2)}.part-wal`, `${made(6)}.part`, `${made(2)}.whole`];
  for (const name of [made(1), made(3), made(4), made(5), ...halves, "heddle.db", "notes.txt"]) writeFileSync(join(folder, name), "");
  mkdirSync(join(folder, "heddle-other"));
  expect(removeOldBackups(join(folder, made(5)), 2)).toEqual([made(1), made(3)]);
  expect(readdirSync(folder).sort()).toEqual([made(4), made(5), `${made(6)}.part`, "heddle-other", "heddle.db", "notes.txt"].sort());
  expect(removeOldBackups(join(folder, made(5)), 2)).toEqual([]);
});

test("the one just made stays, also where the clock was ahead when the others were made", () => {
  for (const name of [made(3), made(27), made(28), made(29)]) writeFileSync(join(folder, name), "");
  expect(removeOldBackups(join(folder, made(3)), 3)).toEqual([made(27)]);
  expect(removeOldBackups(join(folder, made(3)), 1)).toEqual([made(28), made(29)]);
  expect(readdirSync(folder)).toEqual([made(3)]);
});
