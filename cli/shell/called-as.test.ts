/** The commands that help and errors suggest work as they stand. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCommand } from "../../test/command-line.ts";
import { repository } from "../../test/heddle.ts";
import { asCalled } from "./called-as.ts";
import { commandTree } from "../main.ts";

test("through npx or npm commands are named with npx, but for those that are", () => {
  expect(asCalled("make one with heddle keys create, or heddle apply", { npm_command: "exec" })).toBe(
    "make one with npx heddle keys create, or npx heddle apply",
  );
  expect(asCalled("Usage: heddle [options] [command]", { npm_command: "start" })).toBe("Usage: npx heddle [options] [command]");
  expect(asCalled("  npx heddle doctor", { npm_command: "exec" })).toBe("  npx heddle doctor");
});

test("every command is named so", () => {
  const named = commandTree(() => {}).commands.map((command) => `heddle ${command.name()} `);
  expect(named.map((text) => asCalled(text, { npm_command: "exec" }))).toEqual(named.map((text) => `npx ${text}`));
});

test("where heddle is on the PATH its own name stands, and other words are left alone anyway", () => {
  expect(asCalled("make one with heddle keys create", {})).toBe("make one with heddle keys create");
  const others = "the data folder /var/heddle start, .local/heddle keys, Another Heddle uses it, a heddle of words";
  expect(asCalled(others, { npm_command: "exec" })).toBe(others);
});

test("what the doctor advises is named with npx too, in words and as JSON", async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-called-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const variables = { npm_command: "exec", HEDDLE_DATA_DIR: folder };
  expect((await runCommand(["apply", "-f", join(repository, "examples/demo.yaml")], variables)).code).toBe(0);
  chmodSync(join(folder, "heddle.db"), 0o644);
  for (const more of [[], ["--json"]]) {
    expect((await runCommand(["doctor", ...more], variables)).output).toContain("npx heddle start does it too");
  }
});

test("documents: a command to type begins with npx, but for a container, where heddle is on the PATH", () => {
  const documents = execFileSync("git", ["ls-files", "*.md", "examples/*.yaml"], { cwd: repository, encoding: "utf8" })
    .split("\n").filter((path) => path !== "" && !path.startsWith("docs/decisions/"));
  const bare = documents.flatMap((path) =>
    readFileSync(join(repository, path), "utf8").split("\n").flatMap((line, at) =>
      /^(?:# [^`]*: +)?(?:[A-Z_]+=\S+ )*heddle [a-z]/.test(line) || /(?<!exec[^`]*)`heddle [a-z-]+ -/.test(line)
        ? [`${path}:${at + 1}: ${line}`]
        : []
    )
  );
  expect(bare).toEqual([]);
});
