/**
 * One process over its tables, under commits that fail or whose outcome is unknown, restarts and records that cannot be
 * applied: what it leaves is what a fold over the same intake leaves. A seed is a run: see simulation.test.ts.
 */
import { errorText } from "../../../platform/error-text.ts";
import { unpackRecords } from "../../../platform/log/packed-records.ts";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { openSqliteEvents } from "../../../platform/events/sqlite.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { openSqliteLog } from "../../../platform/log/sqlite.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { type Database, openDatabase } from "../../../platform/sqlite/database.ts";
import { freeze, takeBack, takeIn } from "../domain/merge/apply-merge.ts";
import { applyRecord } from "../domain/profile/apply-records.ts";
import { encodeRecord } from "../intake/record-message.fixture.ts";
import { decodeRecord } from "../intake/record-message.ts";
import { laneRows } from "../lanes/lane-message.ts";
import { openSqliteProfileStore } from "../store/sqlite.ts";
import { openProfile, type ProfilePart } from "../wire.ts";
import { fold } from "./fold.fixture.ts";
import { randomHistory } from "./history.fixture.ts";
import { consentOf, countedIn, failingSteps, look, resolveAtReceipt, untold } from "./reference.fixture.ts";
import { createWorld, type World } from "./world.fixture.ts";

const runs = Number(process.env["HEDDLE_SIMULATION_RUNS"] ?? 40);
const first = Number(process.env["HEDDLE_SIMULATION_FIRST"] ?? 0);
const only = process.env["HEDDLE_SIMULATION_SEED"];
const tables = ["profile_held", "profile_held_records", "profile_handoffs", "profile_set_aside", "profile_frozen WHERE undone = 1"];

test("one process leaves what a fold over the intake leaves", { timeout: 600_000 }, async () => {
  const seeds = only === undefined ? Array.from({ length: runs }, (_, at) => first + at) : [Number(only)];
  for (const seed of seeds) {
    try {
      await simulate(seed);
    } catch (error) {
      throw new Error(`Seed ${seed}: ${errorText(error)}`, { cause: error });
    }
  }
});

/** A process that is started again now and then, and its disk. Time is long before all windows end. */
async function openRun(world: World, undoWindowMs: number) {
  const clock = fakeClock(0);
  const database = openDatabase({ path: ":memory:" });
  const log = await openSqliteLog({ database, partitions: 1, clock });
  const state = { isMended: world.chance(0.5), isFaulty: true };
  const given: Database = {
    ...bound(database),
    write: (work, options) => faulty(database, work, options, state.isFaulty ? world : undefined),
  };
  async function open(): Promise<ProfilePart> {
    const steps = failingSteps(() => state.isMended);
    return await openProfile({ database: given, log, clock, logger: silentLogger, undoWindowMs, steps, resolve: resolveAtReceipt });
  }
  let part = await opened(open);
  async function settled(): Promise<void> {
    const over = { is: false };
    void part.settled().then(() => over.is = true);
    for (; !over.is; await setImmediate()) clock.advance(1_000);
  }
  return {
    clock,
    database,
    log,
    state,
    settled,
    part: () => part,
    async restart() {
      await part.close();
      part = await opened(open);
    },
  };
}

/** Opening writes, too. */
async function opened(open: () => Promise<ProfilePart>): Promise<ProfilePart> {
  for (;;) {
    try {
      return await open();
    } catch (error) {
      expect(error).toBeInstanceOf(Refusal);
    }
  }
}

async function faulty<Result>(
  database: Database,
  work: () => Result,
  options: object | undefined,
  world: World | undefined,
): Promise<Result> {
  if (world?.chance(0.05)) throw new Refusal("STORE_UNAVAILABLE");
  const result = await database.write(work, options);
  if (world?.chance(0.05)) throw new Refusal("OUTCOME_UNKNOWN");
  return result;
}

function bound(database: Database): Database {
  return {
    write: (work, options) => database.write(work, options),
    prepare: (sql) => database.prepare(sql),
    handle: database.handle,
    durable: () => database.durable(),
    close: () => database.close(),
  };
}

async function simulate(seed: number): Promise<void> {
  const world = createWorld(seed);
  const undoWindowMs = [0, 2_000, 1_000_000][world.pick(3)] ?? 0;
  const run = await openRun(world, undoWindowMs);
  const { log, database, clock, state } = run;
  const expected: { sequence: number; body: Uint8Array }[] = [];
  for (const entry of randomHistory(world, 5 + world.pick(40))) {
    const body = encodeRecord(entry);
    expected.push({ sequence: await log.append(0, body), body });
    if (world.chance(0.3)) await setImmediate();
    if (world.chance(0.1)) await run.settled();
    if (world.chance(0.05)) await run.restart();
    if (world.chance(0.05)) run.part().redrive();
  }
  state.isFaulty = false;
  await run.settled();
  state.isMended = true;
  await run.restart();
  await expect.poll(() => {
    clock.advance(1_000);
    return run.part().health();
  }, { interval: 1 }).toEqual({ ready: true });
  const folded = fold(expected, { steps: { applyRecord, freeze, takeIn, takeBack }, undoWindowMs, decode: decodeRecord });
  const store = await openSqliteProfileStore({ database, encodeLane: laneRows });
  const seen = await look(store, folded.keys);
  expect(seen.identities).toEqual(folded.identities);
  expect(seen.profiles).toEqual(folded.profiles);
  expect(await countedIn(store)).toEqual(folded.counted);
  expect(tables.map((table) => [table, database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.["count"]]))
    .toEqual(tables.map((table) => [table, 0]));
  const frozen = database.prepare("SELECT merge_id FROM profile_frozen ORDER BY 1").all().map((row) => String(row["merge_id"]));
  expect(frozen).toEqual(folded.openMerges);
  const events = await (await openSqliteEvents({ database, clock })).read(0, { max: 100_000 });
  expect(untold(events, seen.profiles, frozen)).toEqual([]);
  for (const [service, sent] of folded.consent) {
    const rows = database.prepare("SELECT body FROM lane_messages WHERE service = ? ORDER BY sequence").all(service);
    const found = consentOf(service, rows.flatMap((row) => unpackRecords(row["body"] as Uint8Array)));
    expect([service, byWorkspace(found)]).toEqual([service, byWorkspace(sent)]);
  }
  await run.part().close();
  await log.close();
  await database.close();
}

/** A lane has an order within each workspace. */
function byWorkspace(said: readonly string[]) {
  return Map.groupBy(said, (one) => (JSON.parse(one) as { workspaceId: string }).workspaceId);
}
