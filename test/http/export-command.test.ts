/** heddle export of a whole workspace beside a running server, in one process and in the mesh. */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env, execPath } from "node:process";
import { expect, test } from "vitest";
import { outcomeOf, runCommand } from "../command-line.ts";
import { repository } from "../heddle.ts";
import { fresh, heddleSuite } from "../suite.ts";

const suite = heddleSuite();

test("heddle export gives every user as the API does", async () => {
  const ids = Array.from({ length: 60 }, () => fresh());
  await suite.track({ attributes: ids.map((external_id) => ({ external_id, color: "red" })) });
  const users = [...await suite.find({ external_ids: ids.slice(0, 50) }), ...await suite.find({ external_ids: ids.slice(50) })];
  const { code, output, errors } = await runCommand(["export", "--workspace", "demo"], suite.heddle.commandEnv);
  expect(code, errors).toBe(0);
  const exported = output.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(byId(exported)).toEqual(byId(users));
});

test("heddle export -o shows on a terminal how far it is", async () => {
  await suite.track({ attributes: [{ external_id: fresh() }] });
  const file = join(tmpdir(), `heddle-export-${fresh()}`);
  const words = [execPath, join(repository, "cli/heddle.mjs"), "export", "--workspace", "demo", "-o", file];
  const variables = { ...env, ...suite.heddle.commandEnv };
  const { code, output } = await outcomeOf(spawn("script", ["-qefc", words.join(" "), "/dev/null"], { env: variables }));
  rmSync(file);
  expect(output.replaceAll("\r\u001b[K", "|").replaceAll(/\d+ users?/g, "n")).toMatch(/^(?:\|Exporting: n)+\|Exported n\r\n$/);
  expect(code).toBe(0);
});

function byId(users: readonly object[]): object[] {
  return users.toSorted((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
}
