/** Where commands take the API key from: a file or the environment before the command line, which others can see. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { serverKey } from "./http-call.ts";
import { CommandError, UsageError } from "../shell/output.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-key-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(text: string): string {
  const path = join(folder, "key.txt");
  writeFileSync(path, text);
  return path;
}

test("a file holds the key, with or without an end of line", () => {
  expect(serverKey({ keyFile: file("hdl_one\n"), env: { HEDDLE_KEY: "hdl_two" } })).toBe("hdl_one");
  expect(serverKey({ keyFile: file("hdl_one"), env: {} })).toBe("hdl_one");
});

test("HEDDLE_KEY is taken, and before it what the command line says; HEDDLE_API_KEY is its former name", () => {
  expect(serverKey({ env: { HEDDLE_KEY: "hdl_two", HEDDLE_API_KEY: "hdl_three" } })).toBe("hdl_two");
  expect(serverKey({ env: { HEDDLE_API_KEY: "hdl_three" } })).toBe("hdl_three");
  expect(serverKey({ key: "hdl_four", env: { HEDDLE_KEY: "hdl_two" } })).toBe("hdl_four");
});

test("a file that is none, is empty or holds more is refused without a word of what it holds", () => {
  expect(() => serverKey({ keyFile: join(folder, "none"), env: {} })).toThrow(CommandError);
  for (const text of ["", "\n", "hdl_one\nhdl_two\n"]) {
    expect(() => serverKey({ keyFile: file(text), env: {} })).toThrow(/^There must be an API key and nothing else in /);
  }
  expect(() => serverKey({ keyFile: file("hdl_one hdl_two"), env: {} })).not.toThrow(/hdl_/);
});

test("no key, or two, is told with what is best", () => {
  expect(() => serverKey({ env: {} })).toThrow(/--key-file, in HEDDLE_KEY, or with --key, which other users/);
  expect(() => serverKey({ key: "a", keyFile: file("b"), env: {} })).toThrow(UsageError);
});
