/** What a process says of itself. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";
import { buildVersion, ownProcess } from "./own-process.ts";

test("the version is that of the package", () => {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
  expect(buildVersion).toBe(version);
});

test("ownProcess() says on what it runs and since when, and has another id in each life", () => {
  const [one, other] = [ownProcess("profile", systemClock), ownProcess("profile", systemClock)];
  expect(one).toMatchObject({ part: "profile", version: buildVersion });
  expect(one.runtime).toContain(process.versions["deno"] ?? process.versions.node);
  expect(systemClock.now() - one.startedAt).toBeGreaterThan(0);
  expect(one.id).not.toBe(other.id);
});
