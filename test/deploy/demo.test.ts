/** deploy/demo.sh against a data folder, with a stand-in for kubectl: its key is for a terminal alone. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { env, execPath } from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { repository } from "../heddle.ts";

const demo = join(repository, "deploy/demo.sh");
const secret = /hdl_\w{20,}/g;

function inPlace(command: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-demo-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // All up to the program's name chooses a container
  const kubectl = `#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift 2\nexec ${execPath} ${join(repository, "cli/heddle.mjs")} "$@"\n`;
  writeFileSync(join(folder, "kubectl"), kubectl, { mode: 0o755 });
  const variables = { PATH: `${folder}${delimiter}${env["PATH"]}`, HEDDLE_DATA_DIR: join(folder, "data") };
  const [program = "", ...args] = command;
  const printed = execFileSync(program, args, { encoding: "utf8", env: variables, input: "" });
  expect(existsSync(join(repository, "data/demo-key"))).toBe(false);
  return printed;
}

test("deploy/demo.sh shows its key once, on a terminal, and writes it nowhere", () => {
  const printed = inPlace(["script", "-qec", `sh ${demo} && sh ${demo}`, "/dev/null"]);
  expect(printed.match(secret)).toHaveLength(1);
  expect(printed).toMatch(/For another: heddle keys rotate key_/);
  expect(printed).toContain('curl http://localhost:8080/users/track -H "Authorization: Bearer $KEY"');
});

test("deploy/demo.sh makes no key where its output is no terminal, and says how to", () => {
  const printed = inPlace(["sh", demo]);
  expect(printed).toMatch(/created +workspace +demo\/demo/);
  expect(printed.match(secret)).toBeNull();
  expect(printed).toMatch(/^ {2}kubectl .* heddle keys create --workspace demo\/demo /m);
});
