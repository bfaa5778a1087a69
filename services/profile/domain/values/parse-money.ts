/** Money in whole cents: price x quantity as decimals, never as a product of binary fractions. */

/** Up to here every price of whole cents has a double of its own. */
const plainCentsMax = 1e13;

/**
 * `price` x `quantity` in hundredths, rounded half away from zero. The price is the decimal that JSON shows for the
 * number (1.005 is 1.005 and not the double below it). Exact for |price| up to `purchasePriceMax` and quantities up to
 * `purchaseQuantityMax`, where the result is a safe integer.
 */
export function revenueCents(price: number, quantity: number): number {
  const cents = Math.round(price * 100);
  // The quotient is the double nearest to that decimal of at most 15 digits, and no second such decimal shares it.
  if (cents / 100 === price && Math.abs(cents) <= plainCentsMax) return cents * quantity + 0;
  return exactCents(String(price), quantity);
}

function exactCents(price: string, quantity: number): number {
  const [mantissa = "", exponent = "0"] = price.split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const amount = BigInt(whole + fraction) * BigInt(quantity);
  const shift = Number(exponent) - fraction.length + 2;
  return Number(shift >= 0 ? amount * 10n ** BigInt(shift) : divideHalfAway(amount, 10n ** BigInt(-shift)));
}

function divideHalfAway(amount: bigint, divisor: bigint): bigint {
  const half = divisor / 2n;
  return amount < 0n ? (amount - half) / divisor : (amount + half) / divisor;
}
