/** heddle log beside no server: how far the lanes of consent are behind, and how much waits, as their folder says it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { putLaneMessage } from "../../platform/lane/sqlite.ts";
import { limits } from "../../platform/limits.ts";
import { packRecords } from "../../platform/log/packed-records.ts";
import { IntakeRecordSchema } from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { runCommand } from "../../test/command-line.ts";
import { launchHeddle } from "../../test/heddle-process.ts";
import { databaseFile } from "../target/data-folder.ts";

/** The environment of commands on a folder that a server has made, changed by `change`. */
async function folderWith(change: (database: DatabaseSync) => void): Promise<{ readonly HEDDLE_DATA_DIR: string }> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-lags-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const args = [resolve(import.meta.dirname, "../heddle.mjs"), "start"];
  const env = { HEDDLE_DATA_DIR: join(folder, "data"), HEDDLE_HTTP_PORT: "0" };
  const server = await launchHeddle({ program: process.execPath, args, folder, env });
  server.kill("SIGTERM");
  expect(await server.ended).toBe(0);
  const database = new DatabaseSync(join(env.HEDDLE_DATA_DIR, databaseFile));
  change(database);
  database.close();
  return env;
}

test("messages that no process has applied stand in the row of their lane", { timeout: 60_000 }, async () => {
  const env = await folderWith((database) => {
    for (let count = 0; count < 3; count += 1) database.prepare(putLaneMessage).run("subscription", packRecords([Uint8Array.of(1)]));
  });
  const { output, errors } = await runCommand(["log", "status", "--json"], env);
  expect(JSON.parse(output), errors).toMatchObject({
    lags: [{ lane: "intake-0", records: 0 }, { lane: "subscription", records: 3 }, { lane: "messaging-status" }],
    more: false,
  });
  expect((await runCommand(["log", "status"], env)).output).toMatch(/^intake-0 +0[^]*^subscription +3/m);
});

test("status and redrive say where more waits than they look at", { timeout: 60_000 }, async () => {
  const body = toBinary(
    IntakeRecordSchema,
    create(IntakeRecordSchema, { workspaceId: "w", body: { case: "removeExternalIds", value: { externalIds: ["a"] } } }),
  );
  const env = await folderWith((database) => {
    const put = database.prepare("INSERT INTO profile_set_aside (log_partition, sequence, reason, body) VALUES (0, ?, 'planted', ?)");
    for (let sequence = 1; sequence <= limits.heldRedriveMax; sequence += 1) put.run(sequence, body);
  });
  const { output, errors } = await runCommand(["log", "status", "--json"], env);
  expect(JSON.parse(output), errors).toMatchObject({ more: true });
  expect((await runCommand(["log", "status"], env)).output).toMatch(/^More dead letters may wait: .* 1,000, .*--all shows every one/m);
  expect(JSON.parse((await runCommand(["log", "redrive", "--json"], env)).output)).toMatchObject({ records: 1_000, more: true });
  expect((await runCommand(["log", "redrive"], env)).output).toMatch(/^More dead letters of the intake may wait/m);
  const database = new DatabaseSync(join(env.HEDDLE_DATA_DIR, databaseFile));
  database.exec("DELETE FROM profile_set_aside");
  const block = database.prepare("INSERT INTO profile_held (workspace_id, user_id, reason) VALUES ('w', ?, 'planted')");
  for (let user = 1; user <= limits.heldRedriveMax; user += 1) block.run(`u${user}`);
  database.close();
  // Blocked users are tried all at once
  expect(JSON.parse((await runCommand(["log", "redrive", "--json"], env)).output)).toMatchObject({ users: 1_000, more: false });
});

test("status --all shows every dead letter, and each is shown and passed over by its place", { timeout: 60_000 }, async () => {
  const [ofIntake, ofConsent] = [limits.heldRedriveMax + 1, limits.setAsidePageMax + 1];
  const env = await folderWith((database) => {
    const put = database.prepare("INSERT INTO profile_set_aside (log_partition, sequence, reason, body) VALUES (0, ?, 'planted', x'ff')");
    for (let sequence = 1; sequence <= ofIntake; sequence += 1) put.run(sequence);
    const consent = database.prepare(`INSERT INTO subscription_set_aside (workspace_id, sequence, part, lane_key, reason, body)
      VALUES ('w', ?, 3, 'u', 'planted', x'ff')`);
    for (let sequence = 1; sequence <= ofConsent; sequence += 1) consent.run(sequence);
  });
  const status = async (...options: string[]) => {
    const { output, errors } = await runCommand(["log", "status", "--json", ...options], env);
    expect(errors).toBe("");
    return JSON.parse(output) as { setAside: { sequence: number }[]; unread: { sequence: number }[]; more: boolean };
  };
  const first = await status();
  expect([first.setAside.length, first.unread.length, first.more]).toEqual([ofIntake - 1, ofConsent - 1, true]);
  expect(first.unread[0]).toEqual({ lane: "subscription", workspaceId: "w", sequence: 1, part: 3, key: "u", reason: "planted" });
  const all = await status("--all");
  const upTo = (length: number) => Array.from({ length }, (_, at) => at + 1);
  expect([all.setAside, all.unread].map((some) => some.map(({ sequence }) => sequence))).toEqual([upTo(ofIntake), upTo(ofConsent)]);
  expect(all.more).toBe(false);
  expect((await runCommand(["log", "status", "--all"], env)).output).not.toContain("More ");
  const last = ["--partition", "0", "--at", String(ofIntake)];
  expect((await runCommand(["log", "show", ...last], env)).output).toMatch(/1 bytes.*\nff/);
  expect((await runCommand(["log", "skip", ...last], env)).code).toBe(0);
  expect((await status("--all")).setAside).toHaveLength(ofIntake - 1);
});
