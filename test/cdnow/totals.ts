/** What a server says of the CDNOW customers after an import, held against the test's own count: each of them, and all, to the cent. */
import { expect } from "vitest";
import type { Answer } from "../client.ts";
import { countPurchases, type CustomerTotal } from "./purchases.ts";

export const batchSize = 75;
/** Options of `heddle import` for the file. */
export const importOptions = [
  "--delimiter",
  "whitespace",
  "--type",
  "purchase",
  "--quiet",
  "--batch-size",
  String(batchSize),
  "--map",
  "external_id=customer_id",
  "--map",
  "time=date",
  "--map",
  "product_id==cd",
  "--map",
  "currency==USD",
  "--map",
  "price=dollar_value",
  "--map",
  "quantity==1",
  "--map",
  "properties.cds=number_of_cds:int",
];
/** Fails with the first few customers whose totals are not those of the file. */
export async function compareWithCount(post: Post, counted: Totals = countPurchases()): Promise<void> {
  const read = await readBack(post, [...counted.keys()]);
  expect(firstDiffering(counted, read)).toEqual([]);
  expect(read.size).toBe(counted.size);
  expect(sums(read)).toEqual(sums(counted));
}

/** Fails unless the charts of purchases and revenue have the sums of the file, in each range. */
export async function compareSeries(get: (path: string) => Promise<Answer>, counted: Totals = countPurchases()): Promise<void> {
  const { purchases, cents } = sums(counted);
  for (const range of ["day", "week", "year"]) {
    const answer = await get(`/console/series?range=${range}`);
    expect(answer.status, answer.text.slice(0, 500)).toBe(200);
    const { series } = answer.body as unknown as { series: readonly CountedSeries[] };
    const totals = series.map(({ metric, name, points }) => [metric, name, points.reduce((sum, [, count]) => sum + count, 0)] as const);
    const read = totals.filter(([metric]) => ["purchases", "revenue"].includes(metric))
      .map(([metric, name, total]) => [metric, name, Math.round(total * 100) / 100]);
    expect(read.toSorted(), range).toEqual([["purchases", undefined, purchases], ["revenue", "USD", cents / 100]]);
  }
}

interface CountedSeries {
  readonly metric: string;
  readonly name?: string;
  readonly points: readonly (readonly [time: number, count: number])[];
}

function firstDiffering(counted: Totals, read: Totals): unknown[] {
  const differing = [...counted].filter(([id, total]) => JSON.stringify(read.get(id)) !== JSON.stringify(total));
  return differing.slice(0, 5).map(([id, total]) => ({ id, counted: total, read: read.get(id) }));
}

async function readBack(post: Post, ids: readonly string[]): Promise<Map<string, CustomerTotal>> {
  const read = new Map<string, CustomerTotal>();
  for (let at = 0; at < ids.length; at += 50) {
    const answer = await post("/users/export/ids", {
      external_ids: ids.slice(at, at + 50),
      fields_to_export: ["external_id", "purchases", "total_revenue"],
    });
    expect(answer.status, answer.text.slice(0, 500)).toBe(201);
    for (const user of answer.body.users ?? []) {
      const [cd, ...others] = user.purchases ?? [];
      expect([cd?.name, others]).toEqual(["cd", []]);
      read.set(user.external_id ?? "", {
        count: cd?.count ?? 0,
        cents: wholeCents(user.total_revenue ?? 0),
        first: dayAtNoon(cd?.first),
        last: dayAtNoon(cd?.last),
      });
    }
  }
  return read;
}

/** Fails unless the number is exactly the one that the cents are written as. */
function wholeCents(dollars: number): number {
  const rounded = Math.round(dollars * 100);
  expect(rounded / 100).toBe(dollars);
  return rounded;
}

function dayAtNoon(time = ""): string {
  expect(new Date(time).toISOString().slice(10)).toBe("T12:00:00.000Z");
  return time.slice(0, 10);
}

export function sums(totals: Totals) {
  const all = [...totals.values()];
  return {
    purchases: all.reduce((sum, each) => sum + each.count, 0),
    customers: all.length,
    cents: all.reduce((sum, each) => sum + each.cents, 0),
    first: all.map((each) => each.first).toSorted()[0],
    last: all.map((each) => each.last).toSorted().at(-1),
  };
}

type Post = (path: string, body: unknown) => Promise<Answer>;
type Totals = ReadonlyMap<string, CustomerTotal>;
