/** Money as whole cents in BigInt and exchange rates as decimal text: no binary floating point before the last digit is settled. */

/**
 * Cents of US dollars: those of USD plus those of every currency that has a rate (api-facts section 12); others are left out.
 * Rates are USD per unit. The sum is exact and rounded once, at its end, half away from zero. Throws on a rate that is no decimal.
 */
export function totalInUsdCents(revenue: ReadonlyMap<string, bigint>, rates: CurrencyRates): bigint {
  let total: Decimal = { units: 0n, scale: 0 };
  for (const [currency, cents] of revenue) {
    if (currency === "USD") total = sum(total, { units: cents, scale: 0 });
    else if (Object.hasOwn(rates, currency)) {
      const rate = parseDecimal(rates[currency] ?? "");
      total = sum(total, { units: cents * rate.units, scale: rate.scale });
    }
  }
  return rounded(total);
}

/** Cents as the number that JSON shows: 1177n -> 11.77. */
export function centsToNumber(cents: bigint): number {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(centDigits + 1, "0");
  return Number(`${cents < 0n ? "-" : ""}${digits.slice(0, -centDigits)}.${digits.slice(-centDigits)}`);
}

/** "1.08", "2", also "1e-7" as JavaScript prints small numbers. Throws on anything else. */
export function parseDecimal(text: string): Decimal {
  const match = /^(\d{1,30})(?:\.(\d{1,30}))?(?:e([+-]?\d{1,2}))?$/i.exec(text);
  if (!match) throw new Error(`Expected a decimal such as "1.08", got "${text}"`);
  const [, whole = "", fraction = "", exponent = "0"] = match;
  const scale = fraction.length - Number(exponent);
  const units = BigInt(whole + fraction);
  return scale < 0 ? { units: units * 10n ** BigInt(-scale), scale: 0 } : { units, scale };
}

/** USD per unit of a currency, as decimal text, by ISO 4217 code. */
export type CurrencyRates = Readonly<Record<string, string>>;

/** units / 10^scale */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

function sum(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale);
  return { units: unitsAt(left, scale) + unitsAt(right, scale), scale };
}

function unitsAt({ units, scale }: Decimal, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - scale);
}

function rounded({ units, scale }: Decimal): bigint {
  const one = 10n ** BigInt(scale);
  const half = units < 0n ? -one : one;
  return (units * 2n + half) / (one * 2n);
}

const centDigits = 2;
