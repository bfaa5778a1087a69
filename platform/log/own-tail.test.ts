/** What one process has just written is given from memory where nothing is missing, and else the store is asked. */
import { expect, test } from "vitest";
import { limits } from "../limits.ts";
import { createOwnTail, type OwnTail } from "./own-tail.ts";

const all = { max: 10, bytesMax: 1_000 };

function write(tail: OwnTail, ...sequences: readonly number[]): void {
  for (const sequence of sequences) tail.wrote({ sequence, body: new Uint8Array(100).fill(sequence) });
}

function read(tail: OwnTail, after: number, options = all): number[] | undefined {
  return tail.read(after, options)?.map(({ sequence }) => sequence);
}

test("records above the reader's place are given in order, from the end that was there before", () => {
  const tail = createOwnTail(4);
  expect([read(tail, 4), read(tail, 3)]).toEqual([[], undefined]);
  write(tail, 5, 6, 9);
  expect([read(tail, 3), read(tail, 4), read(tail, 5), read(tail, 8), read(tail, 9)]).toEqual([undefined, [5, 6, 9], [6, 9], [9], []]);
});

test("a place before what was read is the store's", () => {
  const tail = createOwnTail(0);
  write(tail, 1, 2, 3);
  expect([read(tail, 2), read(tail, 1), read(tail, 2)]).toEqual([[3], undefined, [3]]);
  write(tail, 4);
  expect(read(tail, 2)).toEqual([3, 4]);
});

test("an answer has at most so many records, and at most so many bytes after the first", () => {
  const tail = createOwnTail(0);
  write(tail, 1, 2, 3, 4);
  expect(read(tail, 0, { max: 3, bytesMax: 1_000 })).toEqual([1, 2, 3]);
  expect(read(tail, 0, { max: 3, bytesMax: 250 })).toEqual([1, 2]);
  expect(read(tail, 0, { max: 3, bytesMax: 200 })).toEqual([1, 2]);
  expect(read(tail, 0, { max: 3, bytesMax: 1 })).toEqual([1]);
});

test("what is trimmed is given no more", () => {
  const tail = createOwnTail(0);
  write(tail, 1, 2, 3);
  tail.forget(2);
  expect([read(tail, 0), read(tail, 2)]).toEqual([undefined, [3]]);
});

test("a reader that is far behind reads from the store until it comes near, and memory is bounded", () => {
  const tail = createOwnTail(0);
  const body = new Uint8Array(limits.logRecentBytesMax / 2);
  for (const sequence of [1, 2]) tail.wrote({ sequence, body });
  expect(read(tail, 0)).toEqual([1]);
  tail.wrote({ sequence: 3, body });
  expect([read(tail, 0), read(tail, 2), read(tail, 3)]).toEqual([undefined, undefined, []]);
  tail.wrote({ sequence: 4, body });
  expect(read(tail, 3)).toEqual([4]);
});
