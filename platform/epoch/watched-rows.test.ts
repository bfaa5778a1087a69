/** Rows that are put back while a store is away: nothing is asked of them or written on top of them unless they were looked at since. */
import { beforeEach, expect, test } from "vitest";
import type { Statement } from "../cassandra/session.ts";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import { openEpochWatermarks } from "./watermarks.ts";
import { logName, openPutBackStore } from "./put-back.fixture.ts";
import { WatchedRows } from "./watched-rows.ts";

const epoch = { logId: "log_1", number: 0, from: { intake: 1, lanes: 1, events: 1 } };
const at = (place: number) => new Map([["apply-1", place]]);

let store: ReturnType<typeof openPutBackStore>;
let rows: WatchedRows;
let others: number;
let [seen, inLog, learnt] = [9, 0, 0];
const clock = fakeClock();

beforeEach(async () => {
  store = openPutBackStore();
  await store.putBack(epoch, at(9));
  others = 0;
  [seen, inLog, learnt] = [9, 0, 0];
  rows = new WatchedRows({
    session: store.session,
    logName,
    clock,
    seen: () => at(seen),
    learn: () => {
      learnt += 1;
      seen = Math.max(seen, inLog);
      return Promise.resolve();
    },
    judge: ({ reached, seen }) => [...seen].every(([watermark, at]) => (reached.get(watermark) ?? 0) >= at),
    onOthers() {
      others += 1;
      return Promise.reject(new Refusal("EPOCH_MISMATCH"));
    },
    onNodeChange() {},
  });
});

const markOf = async () => (await store.reached()).get("apply-1");
const raise = () => openEpochWatermarks(rows.session, logName).reach(at(12));

test("statements go through at once once the rows were looked at, and after a node was away once they were looked at again", async () => {
  await raise();
  const { asked } = store.state;
  await raise();
  expect(store.state.asked).toBe(asked + 1);
  store.node();
  await Promise.all([raise(), raise()]);
  // Whether it answers, epoch and watermarks, and both writes
  expect(store.state.asked).toBe(asked + 1 + 3 + 2);
  expect(others).toBe(0);
});

test("a write that waits through a restart is not written on top of older rows, nor is anything read of them", async () => {
  await rows.session.execute(anything);
  const stalled = Promise.withResolvers<void>();
  store.node();
  store.state.stall = stalled.promise;
  // Looks at rows that are not there any more when the answer comes
  const late = raise().catch((error: unknown) => error);
  await store.putBack(epoch, at(3));
  store.state.stall = undefined;
  stalled.resolve();
  expect(await late).toMatchObject({ reason: "EPOCH_MISMATCH" });
  await expect(rows.session.page(anything, { rowsMax: 1 })).rejects.toMatchObject({ reason: "EPOCH_MISMATCH" });
  expect(await markOf()).toBe(3);
});

test("once a node came, what is read of rows is as far as the log says that another process has brought them", async () => {
  await rows.session.execute(anything);
  inLog = 11;
  await rows.session.execute(anything);
  store.node();
  await expect(rows.session.execute(anything)).rejects.toMatchObject({ reason: "EPOCH_MISMATCH" });
});

test("while the store is away the log is not asked how far others have brought it", async () => {
  await rows.session.execute(anything);
  const before = learnt;
  store.state.now.state.away = true;
  store.node();
  for (let times = 0; times < 3; times += 1) await expect(rows.look()).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
  expect(learnt).toBe(before);
  store.state.now.state.away = false;
  await rows.session.execute(anything);
  expect(learnt).toBe(before + 1);
});

test("a look that began before a node came says nothing of what it has", async () => {
  const stalled = Promise.withResolvers<void>();
  const before = store.state.now.session;
  store.state.now = {
    ...store.state.now,
    session: { ...before, execute: async (one) => await stalled.promise.then(() => before.execute(one)) },
  };
  const late = raise().catch((error: unknown) => error);
  await Promise.resolve();
  await store.putBack(epoch, at(3));
  stalled.resolve();
  expect(await late).toMatchObject({ reason: "EPOCH_MISMATCH" });
  expect(await markOf()).toBe(3);
});

test("a store that is emptied while it runs is looked at each half second before a watermark is raised", async () => {
  await rows.checkLately();
  const { asked } = store.state;
  await rows.checkLately();
  expect(store.state.asked).toBe(asked);
  store.state.now = openPutBackStore().state.now;
  clock.advance(limits.epochRowsTrustMs);
  await expect(rows.checkLately()).rejects.toMatchObject({ reason: "EPOCH_MISMATCH" });
});

test("rows that cannot be read are asked nothing", async () => {
  store.state.now.state.away = true;
  await expect(rows.session.execute(anything)).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
  expect(others).toBe(0);
});

const anything: Statement = {
  cql: "SELECT mark, sequence FROM log_marks WHERE log_name = :log_name",
  values: { log_name: "heddle" },
};
