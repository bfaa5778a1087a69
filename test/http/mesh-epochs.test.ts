/** What becomes of the mesh when NATS or Cassandra is lost, emptied or put back: nothing begins anew in silence, and nothing is given twice. */
import { env } from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openCassandra } from "../../platform/cassandra/driver.ts";
import { systemClock } from "../../platform/clock.ts";
import { readConfig } from "../../platform/config.ts";
import { askApi, connectJetStream, type JetStreamConnection } from "../../platform/log/jetstream-connection.ts";
import { silentLogger } from "../../platform/logger.ts";
import { readStore } from "../../platform/mesh-config.ts";
import type { Answer } from "../client.ts";
import { runCommand } from "../command-line.ts";
import { type Heddle, startHeddle } from "../heddle.ts";
import { meshLogName, smallLog } from "../mesh-shape.ts";
import { fresh } from "../suite.ts";

const settings: Record<string, string> = JSON.parse(env["HEDDLE_TEST_MESH"] ?? "{}");
const parts = ["profile", "subscription", "messaging-status", "scim"];
const patient = { timeout: 90_000 };
const long = { timeout: 400_000 };
let nats: JetStreamConnection;

beforeAll(async () => {
  nats = await connectJetStream({ servers: [settings["HEDDLE_NATS_URL"] ?? ""], logger: silentLogger });
});
afterAll(() => nats.close());

async function withHeddle(work: (heddle: Heddle) => Promise<void>, further: Readonly<Record<string, string>> = {}): Promise<void> {
  const heddle = await startHeddle({ env: { HEDDLE_METRICS_PORT: "0", ...further } });
  try {
    await work(heddle);
  } catch (error) {
    console.error(heddle.output().slice(-8_000));
    throw error;
  } finally {
    await heddle.close();
  }
}

async function restartParts(heddle: Heddle): Promise<void> {
  for (const part of parts) await heddle.mesh.killPart(part);
  await Promise.all(parts.map((part) => heddle.mesh.startPart(part)));
}

async function deleteStreams(heddle: Heddle, names: readonly string[]): Promise<void> {
  for (const name of names) await askApi(nats, { subject: `STREAM.DELETE.${meshLogName(heddle.dataDir)}_${name}` });
}

async function write(heddle: Heddle, ids: readonly string[]): Promise<Answer> {
  return await heddle.request("POST", "/users/track", { attributes: ids.map((external_id) => ({ external_id, color: external_id })) });
}

/** The users by external id; an id that was given out twice shows as one of them. */
async function usersOf(heddle: Heddle, ids: readonly string[], position = ""): Promise<Record<string, unknown>> {
  const headers = position === "" ? {} : { "x-heddle-position": position };
  const { body } = await heddle.request("POST", "/users/export/ids", { external_ids: ids }, { headers });
  return Object.fromEntries(
    (body.users ?? []).map((user) => [user["braze_id"], `${user.external_id} ${user.custom_attributes?.["color"]}`]),
  );
}

function expected(ids: readonly string[]): string[] {
  return ids.map((id) => `${id} ${id}`).toSorted();
}

async function readable(heddle: Heddle, ids: readonly string[]): Promise<Record<string, unknown>> {
  await expect.poll(async () => Object.values(await usersOf(heddle, ids)).toSorted(), patient).toEqual(expected(ids));
  return await usersOf(heddle, ids);
}

function commandEnv(heddle: Heddle, further: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { ...heddle.commandEnv, ...smallLog, ...further };
}

/** /readyz of a part's own port for operators. */
async function told(heddle: Heddle, part: string): Promise<string> {
  const output = heddle.mesh.parts.get(part)?.output() ?? "";
  const url = [...output.matchAll(/"url":"([^"]+)","event":"metrics_listening"/g)].at(-1)?.[1] ?? "";
  const answer = await fetch(`${url}/readyz`);
  return `${answer.status} ${await answer.text()}`;
}

async function readyz(heddle: Heddle): Promise<number> {
  return (await heddle.request("GET", "/readyz", undefined, { key: undefined })).status;
}

test("a log that was lost is not begun anew in silence, and what is adopted gives nothing twice", long, async () => {
  await withHeddle(async (heddle) => {
    const before = Array.from({ length: 10 }, () => fresh("before"));
    const first = await write(heddle, before);
    expect(first.status).toBe(201);
    const ids = await readable(heddle, before);
    await deleteStreams(heddle, ["intake", "lanes"]);
    await restartParts(heddle);

    const lost = Array.from({ length: 10 }, () => fresh("lost"));
    const refused = await write(heddle, lost);
    expect([refused.status, refused.body.message], refused.text).toEqual([
      503,
      expect.stringMatching(/_intake" is gone.*heddle log adopt/),
    ]);
    const position = first.headers.get("x-heddle-position") ?? "";
    expect((await heddle.request("POST", "/users/export/ids", { external_ids: before })).status).toBe(503);
    await expect.poll(() => told(heddle, "profile"), patient).toMatch(/^503 .*_intake\\?" is gone.*heddle log adopt/s);
    await expect.poll(() => readyz(heddle), patient).toBe(503);
    const doctor = await runCommand(["doctor"], commandEnv(heddle));
    expect([doctor.code, doctor.output]).toEqual([1, expect.stringMatching(/^heddle_profile log +fail .*_intake" is gone/m)]);

    const asked = await runCommand(["log", "adopt"], commandEnv(heddle));
    expect([asked.code, asked.output]).toEqual([1, expect.stringMatching(/Lost for good.*--yes/s)]);
    expect((await write(heddle, lost)).status).toBe(503);
    const adopted = await runCommand(["log", "adopt", "--yes"], commandEnv(heddle));
    expect(adopted.code, adopted.output + adopted.errors).toBe(0);
    await expect.poll(() => readyz(heddle), patient).toBe(200);

    const after = Array.from({ length: 10 }, () => fresh("after"));
    expect((await write(heddle, after)).status).toBe(201);
    const later = await readable(heddle, after);
    expect(await readable(heddle, before)).toEqual(ids);
    expect(new Set([...Object.keys(ids), ...Object.keys(later)]).size).toBe(20);
    const old = await heddle.request("POST", "/users/export/ids", { external_ids: before }, { headers: { "x-heddle-position": position } });
    expect([old.status, old.body.message]).toEqual([400, expect.stringContaining("an earlier epoch of the log")]);
    // What is written now is not swallowed by marks of before
    await heddle.request("POST", "/users/track", { attributes: [{ external_id: before[0], color: "new" }] });
    await expect.poll(async () => Object.values(await usersOf(heddle, [before[0] ?? ""])), patient).toEqual([`${before[0]} new`]);
    expect((await runCommand(["doctor"], commandEnv(heddle))).output).toMatch(/^heddle_profile log +ok +epoch 1 of log_/m);
    const again = await runCommand(["log", "adopt", "--yes"], commandEnv(heddle));
    expect([again.code, again.output]).toEqual([0, expect.stringContaining("nothing to adopt")]);

    // Lanes and events that go while the parts run: what is accepted meanwhile is not lost with them
    await deleteStreams(heddle, ["lanes", "events"]);
    const meanwhile = fresh("meanwhile");
    const accepted = (await write(heddle, [meanwhile])).status === 201;
    await expect.poll(async () => (await write(heddle, lost)).body.message, patient).toMatch(/_lanes" is gone.*_events" is gone/);
    await adopt(heddle, /Streams that go on: intake;/);
    if (accepted) await readable(heddle, [meanwhile]);
    const third = Array.from({ length: 5 }, () => fresh("third"));
    expect((await write(heddle, third)).status).toBe(201);
    const thirdIds = await readable(heddle, third);
    expect(await readable(heddle, after)).toEqual(later);
    expect(Object.keys(thirdIds).filter((id) => id in ids || id in later)).toEqual([]);

    // Streams that are emptied keep their sequences, and miss what was in them
    for (const name of ["intake", "lanes"]) await askApi(nats, { subject: `STREAM.PURGE.${meshLogName(heddle.dataDir)}_${name}` });
    await restartParts(heddle);
    await expect.poll(async () => (await write(heddle, lost)).body.message, patient).toMatch(/it was emptied, or put back/);
    await adopt(heddle, /emptied/);
    expect((await write(heddle, lost)).status).toBe(201);
    await readable(heddle, lost);
    expect(await readable(heddle, third)).toEqual(thirdIds);
  });
});

async function adopt(heddle: Heddle, output: RegExp, further: Readonly<Record<string, string>> = {}): Promise<void> {
  const adopted = await runCommand(["log", "adopt", "--yes"], commandEnv(heddle, further));
  expect([adopted.code, adopted.output], adopted.errors).toEqual([0, expect.stringMatching(output)]);
  await expect.poll(() => readyz(heddle), patient).toBe(200);
}

test("rows that were lost or put back older than the log are refused, and adopted behind it", long, async () => {
  const own = Object.fromEntries(keyspaceParts.map((part) => [`HEDDLE_${part.toUpperCase()}_KEYSPACE`, `epochs_${part}`]));
  const env = { ...settings, ...own, HEDDLE_CASSANDRA_REPLICATION: "1" };
  const cassandra = openCassandra(
    { ...readConfig(env, (reader) => readStore(reader, "profile")).cassandra, deadlineMs: 60_000 },
    systemClock,
  );
  expect((await runCommand(["migrate"], env)).code).toBe(0);
  try {
    await withHeddle(async (heddle) => {
      const before = Array.from({ length: 5 }, () => fresh("before"));
      const first = await write(heddle, before);
      const ids = await readable(heddle, before);
      // As a copy of the rows would have it that was made before the first step, whatever the parts write until they have seen it
      const seenUntil = Date.now() + 10_000;
      for (const mark of ["resolve-0", "intake-0"]) {
        const values = { log_name: meshLogName(heddle.dataDir), mark, written_at: BigInt(seenUntil) * 1_000n };
        const cql =
          "INSERT INTO epochs_profile.log_marks (log_name, mark, sequence) VALUES (:log_name, :mark, 1) USING TIMESTAMP :written_at";
        await cassandra.execute({ cql, values });
      }
      await write(heddle, [fresh("further")]);
      await expect.poll(() => told(heddle, "profile"), patient).toMatch(/^503 .*rows of .*"epochs_profile.*at 1.*Cassandra was put back/s);
      // What is written behind the new epoch counts
      await expect.poll(() => Date.now() > seenUntil, patient).toBe(true);
      await adopt(heddle, /rows: everything that was applied since the copy/, own);
      const old = await heddle.request("POST", "/users/export/ids", { external_ids: before }, {
        headers: { "x-heddle-position": first.headers.get("x-heddle-position") ?? "" },
      });
      expect([old.status, old.body.message]).toEqual([400, expect.stringContaining("an earlier epoch of the log")]);

      for (const part of keyspaceParts) await cassandra.execute({ cql: `DROP KEYSPACE epochs_${part}`, values: {} });
      expect((await runCommand(["migrate"], env)).code).toBe(0);
      await restartParts(heddle);
      await expect.poll(async () => (await write(heddle, before)).body.message, patient).toMatch(
        /"epochs_profile" knows nothing of the log/,
      );
      await adopt(heddle, /knows nothing of the log/, own);
      expect((await write(heddle, before)).status).toBe(201);
      const anew = await readable(heddle, before);
      expect(Object.keys(anew).filter((id) => id in ids)).toEqual([]);
    }, own);
  } finally {
    for (const part of keyspaceParts) {
      await cassandra.execute({ cql: `DROP KEYSPACE IF EXISTS epochs_${part}`, values: {} });
    }
    await cassandra.close();
  }
});

const keyspaceParts = ["profile", "subscription", "messaging_status"];
