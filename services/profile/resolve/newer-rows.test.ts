/** What a newer build wrote waits for such a build, and in one process holds up nobody whose requests do not need it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { silentLogger } from "../../../platform/logger.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import type { PureSteps } from "../apply/pure-steps.ts";
import { applyRecord } from "../domain/profile/apply-records.ts";
import { event, mergeUsers, testProfiles } from "../profile-service.fixture.ts";

const { open: openTest, close: closeTest } = testProfiles();

test("one process sweeps later, where a frozen copy is of a newer build", async () => {
  const clock = fakeClock();
  const { logged, logger } = errorsLogged();
  const profile = await openTest({ clock, logger, undoWindowMs: 1000 });
  await profile.track({ events: [event("a"), event("b")] });
  await mergeUsers(profile, "a", "b");
  await profile.part.settled();
  await makeNewer(profile.database, "profile_frozen", "source");
  clock.advance(2 * 3_600_000);
  await profile.track({ events: [event("c")] });
  await expect.poll(() => logged).toEqual(["sweep_failed"]);
  expect(await profile.user("c")).toMatchObject({ custom_events: [{ count: 1 }] });
  expect(profile.part.health()).toEqual({ ready: true });
});

test("one process tries blocked users again but for those whom a newer build wrote, who wait on", async () => {
  const path = filePath();
  const first = await openTest({ path, steps: { applyRecord: failing } });
  for (const id of ["a", "b"]) await first.track({ events: [event(id)] });
  await first.track({ events: [event("a", "bad")] });
  await first.part.settled();
  await makeNewer(first.database, "profile_profiles", "body", "user_id = (SELECT user_id FROM profile_held)");
  await first.track({ events: [event("b", "bad")] });
  await first.part.settled();
  await closeTest(first);
  const { logged, logger } = errorsLogged();
  const again = await openTest({ path, logger });
  await again.track({ events: [event("c")] });
  await expect.poll(() => logged).toEqual(["user_not_redriven"]);
  expect(await again.user("c")).toMatchObject({ custom_events: [{ count: 1 }] });
  expect((await again.user("b"))?.["custom_events"]).toHaveLength(2);
  again.part.redrive();
  await expect.poll(() => logged).toEqual(["user_not_redriven", "user_not_redriven"]);
  await expect.poll(() => again.part.health()).toEqual({ ready: true, reason: "Blocked users: 1, dead letters: 0" });
});

function errorsLogged() {
  const logged: string[] = [];
  return { logged, logger: { ...silentLogger, error: (name: string) => void logged.push(name) } };
}

/** As if the next build had written the rows. */
async function makeNewer(database: Database, table: string, column: string, where = "true"): Promise<void> {
  await database.write(() => database.handle.exec(`UPDATE ${table} SET ${column} = json_set(${column}, '$.v', 2) WHERE ${where}`));
}

function failing(...[profile, record]: Parameters<PureSteps["applyRecord"]>): ReturnType<PureSteps["applyRecord"]> {
  if (record.change.type === "event" && record.change.name === "bad") throw new Error("planted");
  return applyRecord(profile, record);
}

function filePath(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-newer-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "heddle.db");
}
