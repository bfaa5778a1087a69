/** How often a reader looks at the end of its stream, and what it makes of what it finds. */
import type { Msg } from "nats";
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import type { JetStreamConnection } from "./jetstream-connection.ts";
import { openRecordNotices } from "./jetstream-notices.ts";
import type { RecentRecords } from "./recent-records.ts";

/** A watched stream of two partitions, of which no notice is heard: its end and its last record, when it was looked at, and which partitions were called. */
function watchedStream() {
  const stream = { last: 1, record: 1, leader: "a", looks: [] as number[], goesOn: false, called: [] as number[] };
  const clock = fakeClock();
  const connection: Pick<JetStreamConnection, "request" | "subscribe" | "onBack"> = {
    async request(subject) {
      if (subject.includes("STREAM.MSG.GET")) return answer({ message: { seq: stream.record } });
      stream.looks.push(clock.monotonic());
      if (stream.goesOn) write();
      return answer({ config: {}, state: { last_seq: stream.last }, cluster: { leader: stream.leader } });
    },
    subscribe: () => () => {},
    onBack: () => () => {},
  };
  function write(): void {
    stream.last += 1;
    stream.record = stream.last;
  }
  const recent: Pick<RecentRecords, "listen" | "onNotice" | "heard"> = { listen() {}, onNotice() {}, heard() {} };
  const notices = openRecordNotices({
    connection: connection as JetStreamConnection,
    clock,
    name: "log",
    partitions: 2,
    recent: recent as RecentRecords,
  });
  notices.watch((partition) => stream.called.push(partition));
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      clock.advance(stepMs);
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    }
  }
  return { stream, write, pass };
}

function answer(body: object): Msg {
  return { json: () => body } as unknown as Msg;
}

const stepMs = 500;

test("looks half as often at a stream that stands still", async () => {
  const { stream, pass } = watchedStream();
  await pass(limits.logWatchPollMs * (limits.logWatchAllLooks + 1));
  stream.looks = [];
  await pass(limits.logWatchPollIdleMs * 10);
  expect(gaps(stream.looks)).toEqual(Array(9).fill(limits.logWatchPollIdleMs));
  stream.goesOn = true;
  await pass(limits.logWatchPollIdleMs);
  stream.looks = [];
  await pass(limits.logWatchPollIdleMs * 10);
  expect(new Set(gaps(stream.looks))).toEqual(new Set([limits.logWatchPollMs + limits.logNoticeMsMax]));
});

function gaps(times: readonly number[]): number[] {
  return times.slice(1).map((time, at) => time - (times[at] ?? 0));
}

test("calls all partitions where the stream went on unheard, and where another server leads", async () => {
  const { stream, write, pass } = watchedStream();
  await pass(limits.logWatchPollMs * (limits.logWatchAllLooks + 1));
  stream.called = [];
  await pass(limits.logWatchPollIdleMs);
  expect(stream.called).toEqual([]);
  write();
  await pass(limits.logWatchPollIdleMs + limits.logNoticeMsMax);
  expect(stream.called).toEqual([0, 1]);
  stream.leader = "b";
  await pass(limits.logWatchPollIdleMs);
  expect(stream.called).toEqual([0, 1, 0, 1]);
});

test("calls nobody for checkpoints and marks of trims", async () => {
  const { stream, pass } = watchedStream();
  await pass(limits.logWatchPollMs * (limits.logWatchAllLooks + 1));
  stream.called = [];
  stream.last += 1;
  await pass(limits.logWatchPollIdleMs * limits.logWatchAllLooks);
  expect(stream.called).toEqual([]);
});
