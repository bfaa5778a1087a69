/** Which failure of SQLite means what. */
import { describe, expect, test } from "vitest";
import { Refusal } from "../refusal.ts";
import { commitFailed, isDiskFull, isStoreFault, notWritten, sqliteCode } from "./faults.ts";

function sqliteError(errcode: number): Error {
  return Object.assign(new Error("planted"), { errcode });
}

describe("commitFailed()", () => {
  test.each([
    ["busy", 5, "STORE_UNAVAILABLE"],
    ["busy, extended", 5 | (1 << 8), "STORE_UNAVAILABLE"],
    ["full", 13, "STORE_UNAVAILABLE"],
    ["deferred constraint", 19 | (3 << 8), "STORE_UNAVAILABLE"],
    ["failed fsync", 10 | (4 << 8), "OUTCOME_UNKNOWN"],
    ["failed write", 10 | (3 << 8), "OUTCOME_UNKNOWN"],
    ["damaged", 11, "OUTCOME_UNKNOWN"],
  ])("says what is known after %s", (_, code, reason) => {
    expect(commitFailed(sqliteError(code)).reason).toBe(reason);
  });

  test("says unknown for an error that is not of SQLite", () => {
    expect(commitFailed(new Error("other")).reason).toBe("OUTCOME_UNKNOWN");
  });
});

describe("sqliteCode()", () => {
  test.each([
    ["database is locked", 5],
    ["attempt to write a readonly database", 8],
    ["disk I/O error", 10],
    ["database disk image is malformed", 11],
    ["database or disk is full", 13],
    ["unable to open database file", 14],
    ["file is not a database", 26],
    ["no such table: t", undefined],
  ])("knows what Deno's exec() says by its text alone: %s", (text, code) => {
    expect(sqliteCode(Object.assign(new Error(text), { code: "ERR_SQLITE_ERROR" }))).toBe(code);
    expect(sqliteCode(new Error(text))).toBeUndefined();
  });

  test("believes a code before a text", () => {
    expect(sqliteCode(Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 10 | (4 << 8) }))).toBe(10);
    expect(sqliteCode(Object.assign(new Error("database is locked"), { code: "ERR_SQLITE_ERROR", errcode: 1 }))).toBe(1);
  });
});

describe("isStoreFault()", () => {
  test.each([
    ["full", sqliteError(13), true],
    ["input or output", sqliteError(10 | (3 << 8)), true],
    ["constraint", sqliteError(19), false],
    ["bad statement", sqliteError(1), false],
    ["refusal", new Refusal("NOT_FOUND"), false],
    ["no error at all", 13, false],
  ])("tells the machine's faults from the statement's: %s", (_, error, expected) => {
    expect(isStoreFault(error)).toBe(expected);
  });
});

describe("isDiskFull()", () => {
  test("looks through the causes", () => {
    expect(isDiskFull(new Error("outer", { cause: notWritten(sqliteError(13)) }))).toBe(true);
    expect(isDiskFull(notWritten(sqliteError(10)))).toBe(false);
  });
});
