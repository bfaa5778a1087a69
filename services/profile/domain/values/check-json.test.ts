/** Tests of sizes: the cheap bound may never let through what is over a limit, nor refuse what is not. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fitsBytes, utf8Bytes } from "./check-json.ts";

const wellFormed = fc.string({
  unit: fc.oneof(
    fc.constantFrom("\u0000", "\n", '"', "\\", "\u007f", "\u0080", "é", "\u07ff", "\u0800", "€", "\ud7ff", "\ue000", "😀"),
    fc.string({ maxLength: 1 }),
  ),
});

test("utf8Bytes() counts what an encoder writes", () => {
  fc.assert(fc.property(wellFormed, (text) => utf8Bytes(text) === new TextEncoder().encode(text).length));
});

test("fitsBytes() says what the UTF-8 JSON says, at the limit too", () => {
  const values = fc.jsonValue({ stringUnit: "grapheme" });
  fc.assert(fc.property(fc.oneof(values, wellFormed, fc.array(wellFormed)), fc.integer({ min: -1, max: 1 }), (value, more) => {
    const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
    expect(fitsBytes(value, bytes + more)).toBe(more >= 0);
  }));
});

test.each([["\u0000", 6], ["€", 3], ["é", 2], ['"', 2], ["😀", 4], ["a", 1]])(
  "fitsBytes() knows that %j takes %d bytes",
  (character, bytes) => {
    const text = character.repeat(1_000);
    expect(fitsBytes(text, 1_000 * bytes + 2)).toBe(true);
    expect(fitsBytes(text, 1_000 * bytes + 1)).toBe(false);
  },
);
