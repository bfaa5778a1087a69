/** What is advised of a data folder that cannot be used, by what the system says. */
import { expect, test } from "vitest";
import { folderProblem } from "./folder-problem.ts";

function ofSystem(code: string): Error {
  return Object.assign(new Error(`${code}: of the system, mkdir '/data'`), { code, syscall: "mkdir" });
}

function ofSqlite(errcode: number): Error {
  return Object.assign(new Error("of SQLite"), { code: "ERR_SQLITE_ERROR", errcode });
}

const rights = /Make it a folder this user may write, or set HEDDLE_DATA_DIR$/;

test.each<[string, Error, RegExp]>([
  ["no right", ofSystem("EACCES"), rights],
  ["a name that is a file's", ofSystem("ENOTDIR"), rights],
  ["a file that cannot be opened", ofSqlite(14), rights],
  ["a full disk", ofSystem("ENOSPC"), /The disk is full.*make room/],
  ["a spent quota", ofSystem("EDQUOT"), /The disk is full.*make room/],
  ["a full disk, by SQLite", ofSqlite(13), /The disk is full.*make room/],
  ["a disk that fails", ofSystem("EIO"), /The disk does not read or write.*check it/],
  ["a disk that fails, by SQLite, with more in its code", ofSqlite(10 + 256 * 3), /The disk does not read or write.*check it/],
  ["a disk that is mounted to be read", ofSystem("EROFS"), /mounted read-only/],
  ["a lock that another has", ofSqlite(5), /Another program has its database open/],
])("%s", (_, error, advice) => {
  for (const thrown of [error, new Error("Cannot lock the data folder", { cause: error })]) {
    expect(folderProblem(thrown, "/data")?.message).toMatch(advice);
    expect(folderProblem(thrown, "/data")?.message).toMatch(/^Cannot use the data folder "\/data": .*of /);
  }
});

test("what is no word of the system or of SQLite is no problem of the folder", () => {
  expect(folderProblem(new Error("of the code"), "/data")).toBeUndefined();
});
