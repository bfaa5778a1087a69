/** What was read of a lane: whose turn it is, what has to be alone, how far all of it is in, and how much is held. */
import { expect, test } from "vitest";
import type { LogRecord } from "../../../platform/log/log.ts";
import { packRecords } from "../../../platform/log/packed-records.ts";
import { limits } from "../../../platform/limits.ts";
import { laneKey, LaneWindow, type WindowBody, type WindowRoom } from "./lane-window.ts";

/** Names of a record; `*` before them: of very many; none: it has to be alone. */
function message(sequence: number, ...records: string[]): LogRecord {
  return { sequence, body: packRecords(records.map((text) => new TextEncoder().encode(text))) };
}

function openTest(room: WindowRoom = { users: 0, bytes: 0 }) {
  return new LaneWindow({
    position: 2,
    room,
    concernOf(body) {
      const text = new TextDecoder().decode(body);
      const names = text.replace("*", "").split(" ").filter((name) => name !== "");
      return names.length === 0 ? undefined : { workspaceId: "w", names, isOfMany: text.startsWith("*") };
    },
  });
}

function shown(bodies: readonly WindowBody[]): string[] {
  return bodies.map(({ body, place }) => `${place.join(".")} ${new TextDecoder().decode(body)}`);
}

const keys = (...names: string[]) => names.map((name) => laneKey("w", name));

test("what concerns few goes before what very many are told, and behind it where it is of one of them", () => {
  const window = openTest();
  window.add([message(3, "*a b", "*c d"), message(5, "e", "d")]);
  expect(shown(window.next(1, new Set(), "wanted"))).toEqual(["5.0 e"]);
  expect(shown(window.next(10, new Set(), "wanted"))).toEqual(["3.1 *c d", "5.0 e", "5.1 d"]);
  expect(shown(window.nextOfMany(1))).toEqual(["3.0 *a b"]);
  expect(shown(window.nextOfMany(4))).toEqual(["3.0 *a b", "3.1 *c d"]);
  expect(shown(window.next(1, new Set(keys("b")), "wanted"))).toEqual(["3.0 *a b"]);
});

test("the position goes past a message once all of its records, and all before it, are in", () => {
  const window = openTest();
  window.add([message(3, "*a", "b"), message(4), message(6, "c")]);
  expect([window.position, window.read]).toEqual([2, 6]);
  window.applied(window.next(10, new Set(), "wanted"));
  expect(window.position).toBe(2);
  window.applied(window.nextOfMany(1));
  expect(window.position).toBe(6);
});

test("who asks of some users hears yes once what was sent of them up to the message is in, of what was read", () => {
  const window = openTest();
  window.add([message(3, "*a b", "c"), message(5, "*d")]);
  expect([window.isPast(keys("x"), 5), window.isPast(keys("x"), 6)]).toEqual([true, false]);
  expect([window.isPast(keys("x", "b"), 3), window.isPast(keys("d"), 3), window.isPast(keys("d"), 5)]).toEqual([false, true, false]);
  window.applied(window.next(10, new Set(keys("b")), "wanted"));
  expect(window.isPast(keys("x", "b", "c"), 5)).toBe(true);
  window.close();
  expect(window.isPast(keys("x", "b", "c"), 3)).toBe(false);
});

test("what has to be alone waits for all before it, and all behind it for that", () => {
  const window = openTest();
  window.add([message(3, "*a", "b", "", "c"), message(4, "", "d")]);
  expect(window.isBlocked).toBe(true);
  expect(shown(window.next(10, new Set(keys("c", "d")), "wanted"))).toEqual(["3.1 b"]);
  window.applied(window.next(10, new Set(), "wanted"));
  expect(window.next(10, new Set(), "wanted")).toEqual([]);
  window.applied(window.nextOfMany(10));
  expect([window.position, window.isPast(keys("x"), 3)]).toEqual([2, false]);
  expect(shown(window.next(10, new Set(), "wanted"))).toEqual(["3.2 "]);
  window.applied(window.next(10, new Set(), "wanted"));
  expect(shown(window.next(10, new Set(), "wanted"))).toEqual(["3.3 c"]);
  window.applied(window.next(10, new Set(), "wanted"));
  expect(shown(window.next(10, new Set(), "wanted"))).toEqual(["4.0 "]);
  window.applied(window.next(10, new Set(), "wanted"));
  expect([shown(window.next(10, new Set(), "wanted")), window.isBlocked, window.position]).toEqual([["4.1 d"], false, 3]);
});

test("windows of a process hold so much together, each one batch at least, and give it back", () => {
  const room = { users: 0, bytes: 0 };
  const [first, second] = [openTest(room), openTest(room)];
  const crowd = (sequence: number) => message(sequence, ...Array.from({ length: 1_000 }, (_, n) => `*u${sequence}.${n}`));
  let sequence = 2;
  while (first.isOpen) first.add([crowd(sequence += 1)]);
  expect([room.users, first.isBlocked]).toEqual([limits.laneWindowUsersMax, true]);
  expect(first.isPast(keys("x"), first.read)).toBe(true);
  let own = 2;
  while (second.isOpen) second.add([crowd(own += 1)]);
  expect(room.users).toBe(limits.laneWindowUsersMax + limits.laneBatchUsersMax);
  first.add([crowd(sequence += 1)]);
  expect([room.users, first.isPast(keys("x"), first.read)]).toEqual([limits.laneWindowUsersMax + limits.laneBatchUsersMax, false]);
  second.close();
  first.applied(first.nextOfMany(1_000));
  expect([room.users, first.isPast(keys("x"), first.read)]).toEqual([limits.laneWindowUsersMax, true]);
  first.close();
  expect(room).toEqual({ users: 0, bytes: 0 });
});

test("what may stay for long does not hold the message that it came with, and what has no room yet stays packed", () => {
  const window = openTest();
  window.add([message(3, "*a b", "x".repeat(10_000))]);
  const [part] = window.nextOfMany(2);
  expect(part?.body.buffer.byteLength).toBeLessThan(100);
  const read: number[] = [];
  const packed = new LaneWindow({
    position: 0,
    room: { users: 0, bytes: 0 },
    concernOf: (body) => {
      read.push(body.length);
      return { workspaceId: "w", names: [`${read.length}`], isOfMany: false };
    },
  });
  const each = limits.laneBatchUsersMax / 2;
  packed.add([1, 2, 3, 4].map((sequence) => message(sequence, ...Array.from({ length: each }, () => "u"))));
  expect([read.length, packed.read, packed.isPast(keys("nobody"), 2), packed.isPast(keys("nobody"), 3)]).toEqual([
    2 * each,
    4,
    true,
    false,
  ]);
  packed.applied(packed.next(limits.laneBatchUsersMax, new Set(), "few"));
  expect([read.length, packed.position]).toEqual([4 * each, 2]);
});
