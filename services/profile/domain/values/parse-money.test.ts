/** Tests of money as decimals, against exact rational arithmetic. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { limits } from "../../../../platform/limits.ts";
import { revenueCents } from "./parse-money.ts";

test.each([
  [11.77, 1, 1177],
  [1.005, 1, 101],
  [1.005, 2, 201],
  [-1.005, 1, -101],
  [0.005, 1, 1],
  [0.0049999, 1, 0],
  [-0.0049999, 1, 0],
  [0.1, 3, 30],
  [0.07, 100, 700],
  [8.325, 1, 833],
  [8.325, 100, 83_250],
  [1.255, 1, 126],
  [1e-7, 100, 0],
  [1.5e-3, 10, 2],
  [0, 5, 0],
  [-0, 5, 0],
  [-12.99, 3, -3897],
  [99_999_999_999.99, 1, 9_999_999_999_999],
  [99_999_999_999.995, 1, 10_000_000_000_000],
  [100_000_000_000, 100, 1_000_000_000_000_000],
  [-100_000_000_000, 100, -1_000_000_000_000_000],
  [5e-324, 100, 0],
])("revenueCents() of %d x %d is %d (api-facts 12, money)", (price, quantity, cents) => {
  expect(revenueCents(price, quantity)).toBe(cents);
});

test("revenueCents() equals the exact decimal product, rounded half away from zero", () => {
  const decimal = fc.tuple(fc.integer({ min: -(10 ** 12), max: 10 ** 12 }), fc.integer({ min: 0, max: 12 })).map(([digits, scale]) =>
    Number(`${digits}e-${scale}`)
  );
  const binary = fc.double({ min: -limits.purchasePriceMax, max: limits.purchasePriceMax, noNaN: true });
  const quantity = fc.integer({ min: 1, max: limits.purchaseQuantityMax });
  fc.assert(
    fc.property(fc.oneof(decimal, binary), quantity, (price, count) => {
      fc.pre(Math.abs(price) <= limits.purchasePriceMax);
      expect(revenueCents(price, count)).toBe(oracle(price, count));
    }),
    { numRuns: 2_000 },
  );
});

/** The shortest decimal of the number as a fraction, doubled once more to decide the half. */
function oracle(price: number, quantity: number): number {
  const [, sign, whole = "", fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(JSON.stringify(price)) ?? [];
  const scale = fraction.length - Number(exponent);
  const numerator = BigInt(whole + fraction) * BigInt(quantity) * 100n * 10n ** BigInt(Math.max(-scale, 0));
  const denominator = 10n ** BigInt(Math.max(scale, 0));
  const cents = Number((2n * numerator + denominator) / (2n * denominator));
  return sign === "-" ? 0 - cents : cents;
}
