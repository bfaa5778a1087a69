/** Positions as clients carry them. */
import { expect, test } from "vitest";
import { positionFromToken, positionToToken } from "./position.ts";

test("positionFromToken() gives back what positionToToken() took", () => {
  const position = { partition: 63, sequence: 5 * 2 ** 40 + 1 };
  expect(positionFromToken(positionToToken(position))).toEqual(position);
  expect(positionToToken(position)).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(positionFromToken("")).toBeUndefined();
});

test.each([
  "x",
  "MDox!",
  "LTE6MQ",
  "MTox.",
  Buffer.from("1:99999999999999999").toString("base64url"),
  Buffer.from("1:1\n").toString("base64url"),
])(
  "positionFromToken() refuses %j",
  (token) => {
    expect(() => positionFromToken(token)).toThrow(expect.objectContaining({ reason: "POSITION_INVALID" }));
  },
);
