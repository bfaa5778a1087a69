/** Tests of money: exact sums, exact conversion, one rounding at the end. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { centsToNumber, parseDecimal, totalInUsdCents } from "./money.ts";

const totals: readonly (readonly [rule: string, revenue: Record<string, bigint>, rates: Record<string, string>, cents: bigint])[] = [
  ["nothing is 0", {}, {}, 0n],
  ["USD counts as it is, whatever rate is declared for it", { USD: 1177n }, { USD: "2" }, 1177n],
  ["a declared rate converts", { USD: 100n, EUR: 100n }, { EUR: "1.08" }, 208n],
  ["a currency without a rate is left out", { USD: 100n, SEK: 100n }, { EUR: "1.08" }, 100n],
  ["no rate comes from what objects inherit", { constructor: 100n }, {}, 0n],
  ["rounds half away from zero, once, at the end", { EUR: 1n, GBP: 1n }, { EUR: "0.25", GBP: "0.25" }, 1n],
  ["below half rounds down", { EUR: 1n }, { EUR: "0.4999999999" }, 0n],
  ["half of a refund rounds away from zero", { EUR: -1n }, { EUR: "0.5" }, -1n],
  ["more cents than a double can tell apart", { USD: 90071992547409930n, EUR: 3n }, { EUR: "1" }, 90071992547409933n],
];

test.each(totals)("totalInUsdCents() %s", (...[, revenue, rates, cents]) => {
  expect(totalInUsdCents(new Map(Object.entries(revenue)), rates)).toBe(cents);
});

test.each([["0.1", 1n, 1], ["12", 12n, 0], ["1.080", 1080n, 3], ["1e-7", 1n, 7], ["1.5E+3", 1500n, 0]] as const)(
  "parseDecimal() reads %s",
  (text, units, scale) => {
    expect(parseDecimal(text)).toEqual({ units, scale });
  },
);

test.each(["", "-1", "1,08", "1.", ".5", "NaN", "1e999", " 1"])("parseDecimal() refuses %j", (text) => {
  expect(() => parseDecimal(text)).toThrow("Expected a decimal");
});

test.each([[1177n, "11.77"], [0n, "0"], [5n, "0.05"], [-5n, "-0.05"], [-1200n, "-12"], [100000000001n, "1000000000.01"]] as const)(
  "centsToNumber() shows %s as %s",
  (cents, json) => {
    expect(JSON.stringify(centsToNumber(cents))).toBe(json);
  },
);

test("centsToNumber() is exact to the cent up to 10^15 cents", () => {
  fc.assert(fc.property(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), (cents) => {
    expect(BigInt(Math.round(centsToNumber(cents) * 100))).toBe(cents);
  }));
});
