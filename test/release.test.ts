/** The release recipe: without its tag it makes nothing that could be given out. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { execPath } from "node:process";
import { expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "..");
const { version } = JSON.parse(readFileSync(resolve(repository, "package.json"), "utf8")) as { version: string };

test("npm run release refuses to release what has no tag", () => {
  const isTagged = spawnSync("git", ["rev-parse", "--quiet", "--verify", `v${version}`], { cwd: repository }).status === 0;
  if (isTagged) return;
  const { status, stderr } = spawnSync(execPath, ["tools/release.ts", "--without-image"], { cwd: repository, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain(`There is no tag v${version}: set one (git tag v${version}), or try the recipe with --check`);
});
