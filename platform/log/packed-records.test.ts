/** Tests of packed records: what goes in comes out, and a torn end is no record. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { packRecords, unpackRecords } from "./packed-records.ts";

test("unpackRecords() gives back what packRecords() was given", () => {
  fc.assert(fc.property(fc.array(fc.uint8Array()), (bodies) => {
    expect(unpackRecords(packRecords(bodies)).map((body) => [...body])).toEqual(bodies.map((body) => [...body]));
  }));
});

test.each([1, 4, 6])("unpackRecords() refuses bytes that end %i too soon", (missing) => {
  const packed = packRecords([Uint8Array.of(1, 2, 3)]);
  expect(() => unpackRecords(packed.subarray(0, packed.length - missing))).toThrow(RangeError);
});
