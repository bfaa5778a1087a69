/** Processes of an installation, as gateways see them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memorySession } from "../../../platform/cassandra/memory-session.fixture.ts";
import { recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import type { Clock } from "../../../platform/clock.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { openCassandraDocuments } from "../../../platform/documents/cassandra.ts";
import { limits } from "../../../platform/limits.ts";
import { type Logger, silentLogger } from "../../../platform/logger.ts";
import { ownProcess } from "../../../platform/own-process.ts";
import { openProcesses } from "./processes.ts";
import { accessLayout } from "../store/store.ts";

const schema = [readFileSync(join(import.meta.dirname, "../schema/schema.cql"), "utf8")];

function open() {
  const clock = fakeClock();
  const memory = memorySession(schema);
  const documents = openCassandraDocuments({ session: recordingSession(schema, memory.session), layout: accessLayout, clock });
  const warned: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (event) => void warned.push(event) };
  const openedWith = (given: Clock) => openProcesses({ documents, clock: given, logger, installation: "heddle" });
  const other = openProcesses({ documents, clock, logger, installation: "other" });
  return { clock, memory, warned, openedWith, other, processes: openedWith(clock) };
}

test("a process that announces itself is in the list of its installation, by part, with its build and runtime", async () => {
  const { clock, other, processes } = open();
  processes.announce(ownProcess("scim", clock));
  processes.announce(ownProcess("gateway", clock));
  await expect.poll(() => processes.list()).toMatchObject([
    {
      part: "gateway",
      version: expect.stringMatching(/^\d+[.]/),
      runtime: expect.stringMatching(/^(Node|Deno) \d+/),
      heardAt: clock.now(),
    },
    { part: "scim" },
  ]);
  expect(await other.list()).toEqual([]);
});

test("it is heard of every so often", async () => {
  const { clock, processes } = open();
  processes.announce(ownProcess("profile", clock));
  await expect.poll(() => processes.list()).toHaveLength(1);
  clock.advance(limits.processAnnounceMs);
  await expect.poll(async () => (await processes.list())[0]?.heardAt).toBe(clock.now());
});

test("one that is killed stays with the time of its last word, and goes after a while", async () => {
  const { clock, openedWith, processes } = open();
  // Nothing of it runs on
  const ended: Clock = { ...clock, after: () => () => {} };
  openedWith(ended).announce(ownProcess("profile", clock));
  const heardAt = clock.now();
  clock.advance(limits.processKeepMs - 1);
  await expect.poll(() => processes.list()).toMatchObject([{ part: "profile", heardAt }]);
  clock.advance(1);
  expect(await processes.list()).toEqual([]);
});

test("one that ends in good order is out of the list at once", async () => {
  const { clock, processes } = open();
  const end = processes.announce(ownProcess("profile", clock));
  await end();
  expect(await processes.list()).toEqual([]);
  clock.advance(limits.processAnnounceMs);
  expect(await processes.list()).toEqual([]);
});

test("while the store is away that is said once, and it goes on afterwards", async () => {
  const { clock, memory, warned, processes } = open();
  memory.state.away = true;
  const end = processes.announce(ownProcess("profile", clock));
  await expect.poll(() => warned).toEqual(["process_not_listed"]);
  await expect(processes.list()).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
  clock.advance(limits.processAnnounceMs);
  memory.state.away = false;
  await expect.poll(async () => {
    clock.advance(limits.processAnnounceMs);
    return (await processes.list()).length;
  }).toBe(1);
  expect(warned).toEqual(["process_not_listed"]);
  memory.state.away = true;
  await end();
});
