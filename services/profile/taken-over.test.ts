/** A data folder of the build before, with blocked users: both sides of an undo that waits come free as they were meant to. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Database, openDatabase } from "../../platform/sqlite/database.ts";
import { applyRecord } from "./domain/profile/apply-records.ts";
import { event, mergeUsers, rowsIn, testProfiles } from "./profile-service.fixture.ts";

const { open: openTest, close: closeTest } = testProfiles();

/** As the build before left them: tables of version 4, and an undo that waits on the target's side alone. */
function asBefore(database: Database): void {
  database.handle.exec(`
    DELETE FROM profile_held_records WHERE json_extract(body, '$.change.type') = 'restore';
    ALTER TABLE profile_profiles DROP COLUMN mark_sequence;
    ALTER TABLE profile_profiles DROP COLUMN mark_part;
    ALTER TABLE profile_frozen DROP COLUMN undone;
    DROP TABLE profile_handoffs;
    INSERT INTO profile_identities (workspace, key, body) SELECT number, 'n:newest', newest_counts FROM profile_workspaces;
    ALTER TABLE profile_workspaces DROP COLUMN newest_counts;
    UPDATE schema_versions SET version = 4 WHERE name = 'profile';`);
}

test("an undo that waits in a folder of the build before brings both sides back once it is mended", async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-before-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "heddle.db");
  const blocked = await openTest({
    path,
    steps: {
      applyRecord(profile, record) {
        if (record.change.type === "event" && record.change.name === "bad") throw new Error("planted");
        return applyRecord(profile, record);
      },
    },
  });
  const calm = await openTest();
  for (const one of [blocked, calm]) await one.track({ events: [event("a"), event("b"), event("c")] });
  const jobId = await mergeUsers(blocked, "a", "b");
  for (const one of [blocked, calm]) await one.track({ events: [event("b", "bad")] });
  await blocked.client.undoMerge({ scope: blocked.scope(), jobId, index: 0 });
  for (const one of [blocked, calm]) await one.track({ events: [event("a", "after"), event("b", "after")] });
  await blocked.part.settled();
  expect(rowsIn(blocked, "profile_held")).toBe(2);
  await closeTest(blocked);
  const database = openDatabase({ path });
  asBefore(database);
  await database.close();
  const mended = await openTest({ path });
  await expect.poll(() => rowsIn(mended, "profile_held")).toBe(0);
  for (const id of ["a", "b", "c"]) expect(await mended.user(id)).toEqual(await calm.user(id));
  const left = ["profile_held_records", "profile_handoffs", "profile_frozen"].map((table) => rowsIn(mended, table));
  expect(left).toEqual([0, 0, 0]);
  const counts = mended.database.prepare("SELECT count(newest_counts) AS newest FROM profile_workspaces").get();
  const asNames = mended.database.prepare("SELECT count(*) AS left FROM profile_identities WHERE key = 'n:newest'").get();
  expect([counts?.["newest"], asNames?.["left"]]).toEqual([1, 0]);
});
