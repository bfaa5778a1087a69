/** What a process has written need not be read back, as long as the server says that nothing stands between. */
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { RecentRecords } from "./recent-records.ts";

const all = { max: 10, bytesMax: 1_000 };

function open() {
  const clock = fakeClock();
  const recent = new RecentRecords(clock);
  recent.listen(true);
  const notices: [partition: number, sequence: number][] = [];
  recent.onNotice((...one) => notices.push(one));
  // Who begins to read finds nothing here
  expect(recent.read(3, 0, all)).toBeUndefined();
  return { recent, notices, clock };
}

/** As a write to partition 3 goes: its notices, then its answer. */
function write(recent: RecentRecords, sequence: number, previous: number, bytes = 1): void {
  const sent = recent.sending([3]);
  recent.heard(3, sequence, previous);
  sent([{ partition: 3, sequence, body: new Uint8Array(bytes).fill(sequence) }]);
}

function read(recent: RecentRecords, after: number, options = all): number[] | undefined {
  return recent.read(3, after, options)?.map(({ sequence }) => sequence);
}

test("records are given in order from where the reader is, each as the next one", () => {
  const { recent } = open();
  write(recent, 7, 5);
  write(recent, 9, 7);
  expect(recent.read(3, 5, all)).toEqual([
    { sequence: 7, body: Uint8Array.of(7), isNext: true },
    { sequence: 9, body: Uint8Array.of(9), isNext: true },
  ]);
  expect(read(recent, 6)).toEqual([7, 9]);
  expect(read(recent, 7)).toEqual([9]);
  expect(read(recent, 9)).toBeUndefined();
});

test("the server is asked where something stands between, where another process wrote, and where nobody knows", () => {
  const { recent } = open();
  write(recent, 7, 6);
  expect(read(recent, 5)).toBeUndefined();
  recent.heard(3, 8, 7);
  write(recent, 9, 8);
  expect(read(recent, 6)).toEqual([7]);
  expect(read(recent, 7)).toBeUndefined();
  expect(read(recent, 8)).toEqual([9]);
  // Nothing is left before it: what stood there may be trimmed and unread
  write(recent, 12, 0);
  expect(read(recent, 9)).toBeUndefined();
  // An answer without notices
  recent.sending([3])([{ partition: 3, sequence: 14, body: new Uint8Array() }]);
  expect(read(recent, 12)).toBeUndefined();
  // Of several messages
  const sent = recent.sending([3]);
  recent.heard(3, 16, 14);
  sent([{ partition: 3, sequence: 16, body: undefined }]);
  expect(read(recent, 14)).toBeUndefined();
});

test("an answer that comes before its notices waits for them, and not for long", () => {
  const { recent, notices, clock } = open();
  recent.sending([3])([{ partition: 3, sequence: 7, body: Uint8Array.of(7) }]);
  expect(notices).toEqual([]);
  recent.heard(3, 7, 5);
  expect(notices).toEqual([[3, 7]]);
  expect(read(recent, 5)).toEqual([7]);
  // Lost with the server that had it: the reader asks another one
  recent.sending([3])([{ partition: 3, sequence: 9, body: Uint8Array.of(9) }]);
  clock.advance(limits.ownNoticeMsMax);
  expect(notices.at(-1)).toEqual([3, 9]);
  expect(read(recent, 7)).toBeUndefined();
});

test("notices of a partition wait until the writes to it have their answer, also where that is none", () => {
  const { recent, notices } = open();
  const [first, second] = [recent.sending([3, 4]), recent.sending([3])];
  recent.heard(3, 7, 5);
  recent.heard(5, 8, 4);
  expect(notices).toEqual([[5, 8]]);
  first([]);
  expect(notices).toEqual([[5, 8]]);
  recent.heard(3, 9, 7);
  second([{ partition: 3, sequence: 9, body: new Uint8Array() }]);
  expect(notices).toEqual([[5, 8], [3, 9]]);
});

test("it answers within the bounds of a read, and stores no more than its own", () => {
  const { recent } = open();
  for (const sequence of [1, 2, 3]) write(recent, sequence + 5, sequence + 4, 600);
  expect(read(recent, 5, { max: 2, bytesMax: 10_000 })).toEqual([6, 7]);
  expect(read(recent, 5)).toEqual([6]);
  write(recent, 20, 8, limits.logRecentBytesMax);
  expect(read(recent, 5)).toBeUndefined();
  expect(read(recent, 8)).toEqual([20]);
  for (let sequence = 21; sequence <= 21 + limits.logRecentRecordsMax; sequence += 1) write(recent, sequence, sequence - 1, 0);
  expect(read(recent, 20)).toBeUndefined();
  expect(read(recent, 21)?.[0]).toBe(22);
});

test("records that come late, behind all that are here, take no room for good", () => {
  const { recent } = open();
  const first = 1_000;
  const last = first + limits.logRecentRecordsMax - 1;
  for (let sequence = first; sequence <= last; sequence += 1) write(recent, sequence, sequence - 1, 0);
  for (const late of [30, 20, 10]) write(recent, late, late - 1, limits.logRecentBytesMax / 2);
  write(recent, last + 1, last);
  expect(read(recent, last - 1)).toEqual([last, last + 1]);
});

test("of what is not read here nothing is kept, and its notices are told all the same", () => {
  const { recent, notices } = open();
  const sent = recent.sending([4]);
  recent.heard(4, 7, 6);
  sent([{ partition: 4, sequence: 7, body: Uint8Array.of(7) }]);
  expect(notices).toEqual([[4, 7]]);
  expect(recent.read(4, 6, all)).toBeUndefined();
  recent.sending([4])([{ partition: 4, sequence: 8, body: Uint8Array.of(8) }]);
  recent.heard(4, 8, 7);
  expect(recent.read(4, 7, all)).toEqual([{ sequence: 8, body: Uint8Array.of(8), isNext: true }]);
});

test("without notices nothing is stored", () => {
  const { recent } = open();
  write(recent, 7, 5);
  recent.listen(false);
  write(recent, 9, 7);
  expect([read(recent, 5), read(recent, 7)]).toEqual([undefined, undefined]);
});
