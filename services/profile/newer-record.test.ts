/** A record of the intake that a newer build wrote: what stands before it is done, and it waits with all behind it for a build that reads it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { afterAll, expect, test } from "vitest";
import { systemClock } from "../../platform/clock.ts";
import { silentLogger } from "../../platform/logger.ts";
import { IntakeRecordSchema } from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { bodyOf, byId, event as eventOf } from "./domain/resolve/resolver-workspace.fixture.ts";
import { encodeRecord } from "./intake/record-message.fixture.ts";
import { event, rowsIn, testProfiles } from "./profile-service.fixture.ts";

const { open, close } = testProfiles();
const folder = mkdtempSync(join(tmpdir(), "heddle-newer-"));
afterAll(() => rmSync(folder, { recursive: true }));

const reason = "Expected a record of version 0 to 2, got 99: run the build that wrote it, or a newer one";

test("one process stops before a record of a newer build, says so, and goes on where a build reads it", async () => {
  const path = join(folder, "heddle.db");
  const logged: unknown[] = [];
  const logger = { ...silentLogger, error: (name: string, error: unknown) => void logged.push([name, (error as Error).message]) };
  const older = await open({ path, clock: systemClock, logger });
  await older.track({ events: [event("a")] });
  await older.log.append(0, newerRecord());
  await older.track({ events: [event("c")] });
  await expect.poll(() => older.part.health()).toEqual({ ready: false, reason: `Cannot apply partition 0: ${reason}` });
  expect(logged).toContainEqual(["resolver_failed", reason]);
  expect([await older.user("a"), await older.user("b"), await older.user("c")]).toEqual([seen("a"), undefined, undefined]);
  expect(older.part.backlog()).toEqual({ blockedUsers: 0, deadLetters: 0 });
  await close(older);
  const again = await open({ path, clock: systemClock });
  await expect.poll(() => again.part.health().reason).toContain(reason);
  // As a build that reads it finds it
  await again.database.write(() => {
    for (const row of again.database.prepare("SELECT place, body FROM log_records").all()) {
      const record = fromBinary(IntakeRecordSchema, row["body"] as Uint8Array);
      const body = toBinary(IntakeRecordSchema, { ...record, version: Math.min(record.version, 1) });
      again.database.prepare("UPDATE log_records SET body = ? WHERE place = ?").run(body, row["place"] as number);
    }
  });
  await close(again);
  const newer = await open({ path, clock: systemClock });
  await newer.part.settled();
  expect([await newer.user("a"), await newer.user("b"), await newer.user("c")]).toEqual([seen("a"), seen("b"), seen("c")]);
  expect([newer.part.health(), rowsIn(newer, "profile_set_aside")]).toEqual([{ ready: true }, 0]);
});

function seen(id: string) {
  return expect.objectContaining({ external_id: id, custom_events: [expect.objectContaining({ count: 1 })] });
}

/** A request of the newer build: an event of `b`. */
function newerRecord(): Uint8Array {
  const known = encodeRecord({ workspaceId: "workspace", requestId: "r", actor: "key", receivedAt: 0, body: bodyOf([eventOf(byId("b"))]) });
  return toBinary(IntakeRecordSchema, { ...fromBinary(IntakeRecordSchema, known), version: 99 });
}
