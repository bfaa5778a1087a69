/** The contract of documents on SQLite and on a session in memory, and what Cassandra's driver does when writers meet. */
import { afterEach, expect, test } from "vitest";
import { memorySession } from "../cassandra/memory-session.fixture.ts";
import { recordingSession } from "../cassandra/recording-session.fixture.ts";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import { openDatabase } from "../sqlite/database.ts";
import { openCassandraDocuments } from "./cassandra.ts";
import { sweepChunks, sweepChunksDaily } from "./chunk-sweep.ts";
import { describeDocuments } from "./documents-contract.ts";
import { contractLayout, contractSchema } from "./documents.fixture.ts";
import { head, nextHead } from "./documents.ts";
import type { Chunks, Layout } from "./layout.ts";
import { openSqliteDocuments } from "./sqlite.ts";
import { silentLogger } from "../logger.ts";

const clock = fakeClock();
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describeDocuments("SQLite", async () => {
  const database = openDatabase({ path: ":memory:" });
  closing.push(() => database.close());
  return { documents: await openSqliteDocuments({ database, space: "contract", clock }), now: clock.now() };
});

function store() {
  const inner = memorySession([contractSchema]);
  const session = recordingSession([contractSchema], inner.session);
  return { inner, session, open: () => openCassandraDocuments({ session, layout: contractLayout, clock }) };
}

describeDocuments("Cassandra, in memory", async () => ({ documents: store().open(), now: clock.now() }));

const key = { kind: "note", id: "one" };

test("two processes that change one document both come in, one after the other", async () => {
  const { open } = store();
  const all = [open(), open(), open()];
  await Promise.all(Array.from({ length: 12 }, (_, at) => {
    return all[at % 3]?.changeIf("p", { reads: [key], plan: ([found]) => [{ key, value: Number(found ?? 0) + 1 }] });
  }));
  expect(await all[0]?.get("p", key)).toBe(12);
});

test("changes that wait while a conditional write is under way share the next one", async () => {
  const { session, open } = store();
  const documents = open();
  const write = (id: string, value: string) => ({ key: { kind: "large", id }, value: [value] });
  const putOne = (id: string, value: string) => {
    const large = [write(id, value)];
    return documents.changeIf("p", { reads: [], large, plan: () => large });
  };
  const isMove = ({ cql }: { cql: string }) => cql.includes(" IF body = ");
  const moves = () => session.calls.filter((call) => call.some(isMove)).map((call) => call.length);
  const written = () => session.calls.filter(([call]) => call?.cql.startsWith("INSERT INTO chunks_by_version")).length;
  const go = session.block(isMove);
  const puts = [putOne("m0", "first")];
  await expect.poll(moves).toEqual([1]);
  puts.push(...Array.from({ length: 30 }, (_, at) => putOne(`m${at % 15}`, String(at))));
  await expect.poll(written).toBe(31);
  go();
  expect(new Set(await Promise.all(puts))).toEqual(new Set(["committed"]));
  // The second value of a document waits until the first one counts
  expect(moves()).toEqual([1, 15, 15]);
});

test("a failure of a write that several share is told to each, and chunks that nothing points at are swept in an hour", async () => {
  const { inner, session, open } = store();
  const documents = open();
  const layout = contractLayout as Layout & { chunks: Chunks };
  const putOne = (id: string) => {
    const large = [{ key: { kind: "large", id }, value: ["x"] }];
    return documents.changeIf("p", { reads: [], large, plan: () => large });
  };
  await putOne("a");
  session.failNext(({ cql }) => cql.includes(" IF body = "), new Error("planted"));
  const results = await Promise.allSettled([putOne("a"), putOne("b")]);
  expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const young = fakeClock(clock.now());
  expect(await sweepChunks({ session: inner.session, clock: young, layout })).toBe(0);
  young.advance(limits.chunkSweepAgeMs + 60_000);
  expect(await sweepChunks({ session: inner.session, clock: young, layout })).toBe(1);
  expect(await documents.get("p", { kind: "large", id: "a" })).toEqual(["x"]);
});

test("one of several processes sweeps, once a day", async () => {
  const { inner } = store();
  const layout = contractLayout as Layout & { chunks: Chunks };
  const swept: string[] = [];
  const logger = { ...silentLogger, info: (event: string) => void swept.push(event) };
  const ticking = fakeClock();
  const ends = [1, 2].map(() => sweepChunksDaily({ session: inner.session, clock: ticking, logger, layout }));
  ticking.advance(limits.chunkSweepLookMs);
  await expect.poll(() => swept).toEqual(["texts_swept"]);
  for (const end of ends) end();
});

test("a reader that read the pointer of a value before it was replaced reads what took its place", async () => {
  const { session, open } = store();
  const documents = open();
  const putOne = (value: string) => {
    const large = [{ key: { kind: "large", id: "a" }, value: [value] }];
    return documents.changeIf("p", { reads: [], large, plan: () => large });
  };
  await putOne("old");
  const go = session.block(({ cql }) => cql.startsWith("SELECT part"));
  const reading = documents.get("p", { kind: "large", id: "a" });
  await expect.poll(() => session.calls.at(-1)?.[0]?.cql).toMatch(/^SELECT part/);
  await putOne("new");
  await expect.poll(() => session.calls.at(-1)?.[0]?.cql).toMatch(/^DELETE FROM chunks/);
  go();
  expect(await reading).toEqual(["new"]);
});

test("values that were read are read again by their pointer alone", async () => {
  const { session, open } = store();
  const documents = open();
  const reads = () => session.calls.filter(([call]) => call?.cql.startsWith("SELECT part")).length;
  for (const value of ["first", "second"]) {
    const large = [{ key: { kind: "large", id: "a" }, value: [value] }];
    await documents.changeIf("p", { reads: [], large, plan: () => large });
    for (let at = 0; at < 3; at += 1) expect(await documents.get("p", { kind: "large", id: "a" })).toEqual([value]);
  }
  expect(reads()).toBe(2);
});

test("what others change all the time is refused as passing, and what may have been written as unknown", async () => {
  const { session, open } = store();
  const change = { reads: [head], plan: ([found]: readonly unknown[]) => [nextHead(found)] };
  session.failNext(({ cql }) => cql.startsWith("UPDATE"), new Refusal("OUTCOME_UNKNOWN"), "after");
  await expect(open().changeIf("p", change)).rejects.toMatchObject({ reason: "OUTCOME_UNKNOWN" });
  const never = openCassandraDocuments({ session: { ...session, conditional: async () => false }, layout: contractLayout, clock });
  await expect(never.changeIf("p", change)).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
});

test("a change that does not write what it read is a fault", async () => {
  const { open } = store();
  const other = { key: { kind: "note", id: "two" }, value: 2 };
  await expect(open().changeIf("p", { reads: [key], plan: () => [other] })).rejects.toThrow("writes what it read");
});
