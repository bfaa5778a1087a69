/** The CDNOW purchase history, counted by the test itself: whole cents, no code of the product. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../heddle.ts";

export const cdnowPath = join(repository, "../shared/data/CDNOW_master.txt");
export const cdnowIsHere = existsSync(cdnowPath);

/** The header and the lines of the first customers, as they stand in the file, in which they are in order. */
export function linesOf(customersMax = Infinity): string[] {
  const [header = "", ...lines] = readFileSync(cdnowPath, "latin1").split("\r\n");
  const customers = new Set<string>();
  return [header, ...lines.filter((line) => customers.add(line.trim().split(/\s+/)[0] ?? "").size <= customersMax)];
}

/** What each customer bought, by customer id. */
export function countPurchases(lines: readonly string[] = linesOf()): Map<string, CustomerTotal> {
  const totals = new Map<string, CustomerTotal>();
  for (const line of lines.slice(1)) {
    const [customer, date, , dollars] = line.trim().split(/\s+/);
    if (!customer || !date || !dollars) continue;
    const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6, 8)}`;
    const old = totals.get(customer) ?? { count: 0, cents: 0, first: day, last: day };
    totals.set(customer, {
      count: old.count + 1,
      cents: old.cents + cents(dollars),
      first: day < old.first ? day : old.first,
      last: day > old.last ? day : old.last,
    });
  }
  return totals;
}

/** "12.3" is 1230. */
export function cents(dollars: string): number {
  const [whole = "0", fraction = ""] = dollars.split(".");
  return Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
}

export interface CustomerTotal {
  readonly count: number;
  readonly cents: number;
  /** YYYY-MM-DD. */
  readonly first: string;
  readonly last: string;
}
