/** Real purchases in over HTTP and back over HTTP: every customer's totals, and all of them, to the cent; also under kill -9. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { expect, test } from "vitest";
import { startCommand } from "../command-line.ts";
import { startHeddle } from "../heddle.ts";
import type { Heddle } from "../heddle.ts";
import { seededRandom } from "../random.ts";
import { openCountingProxy } from "./counting-proxy.ts";
import { cdnowIsHere, cdnowPath, countPurchases } from "./purchases.ts";
import type { CustomerTotal } from "./purchases.ts";

const absent = "The CDNOW data (../shared/data/CDNOW_master.txt) is not here";
const importOptions = [
  "--delimiter",
  "whitespace",
  "--type",
  "purchase",
  "--quiet",
  "--batch-size",
  "75",
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
const batches = Math.ceil(69_659 / 75);

test("the CDNOW data is here where it must be", ({ skip }) => {
  if (!cdnowIsHere && env.CI !== "true") skip(absent);
  expect(cdnowIsHere, absent).toBe(true);
});

test.runIf(cdnowIsHere)("the test's own count of the CDNOW data equals the known totals", () => {
  expect(sums(countPurchases())).toEqual({
    purchases: 69_659,
    customers: 23_570,
    cents: 250_031_563,
    first: "1997-01-01",
    last: "1998-06-30",
  });
});

test.runIf(cdnowIsHere)("heddle import brings every purchase in, and every total is exact", async () => {
  await inFolder(async (heddle, file) => {
    const imported = startCommand(["import", file, ...importOptions, "--url", heddle.url, "--key", heddle.key]);
    const result = await imported.ended;
    expect(result.code, `${result.output}${result.errors}`).toBe(0);
    await compareWithCount(heddle);
  });
});

test.runIf(cdnowIsHere)("heddle import brings every purchase in once while the server is killed ten times", async () => {
  const random = seededRandom(19_970_101);
  const moments = Array.from({ length: 10 }, () => 1 + Math.floor(random() * (batches - 1))).toSorted((a, b) => a - b);
  await inFolder(async (heddle, file) => {
    let kills = 0;
    let restarting = Promise.resolve();
    const proxy = await openCountingProxy(() => heddle.url, (requests) => {
      const next = moments[kills];
      if (next === undefined || requests < next) return;
      kills += 1;
      restarting = restarting.then(() => heddle.restart("SIGKILL"));
    });
    const imported = startCommand(["import", file, ...importOptions, "--url", proxy.url, "--key", heddle.key]);
    const result = await imported.ended;
    await restarting;
    await proxy.close();
    expect(result.code, `${result.output}${result.errors}`).toBe(0);
    expect(kills).toBe(10);
    await compareWithCount(heddle);
  });
});

async function inFolder(run: (heddle: Heddle, file: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-cdnow-"));
  const file = join(folder, "CDNOW_master.txt");
  copyFileSync(cdnowPath, file);
  const heddle = await startHeddle();
  try {
    await run(heddle, file);
  } finally {
    expect(await heddle.close()).toBe(0);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compareWithCount(heddle: Heddle): Promise<void> {
  const counted = countPurchases();
  const read = await readBack(heddle, [...counted.keys()]);
  const differing = [...counted].filter(([id, total]) => JSON.stringify(read.get(id)) !== JSON.stringify(total));
  expect(differing.slice(0, 5).map(([id, total]) => ({ id, counted: total, read: read.get(id) }))).toEqual([]);
  expect(read.size).toBe(counted.size);
  expect(sums(read)).toEqual(sums(counted));
}

async function readBack(heddle: Heddle, ids: readonly string[]): Promise<Map<string, CustomerTotal>> {
  const read = new Map<string, CustomerTotal>();
  for (let at = 0; at < ids.length; at += 50) {
    const answer = await heddle.request("POST", "/users/export/ids", {
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

function sums(totals: ReadonlyMap<string, CustomerTotal>) {
  const all = [...totals.values()];
  return {
    purchases: all.reduce((sum, each) => sum + each.count, 0),
    customers: all.length,
    cents: all.reduce((sum, each) => sum + each.cents, 0),
    first: all.map((each) => each.first).toSorted()[0],
    last: all.map((each) => each.last).toSorted().at(-1),
  };
}
