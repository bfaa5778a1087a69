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
import { batchSize, compareSeries, compareWithCount, importOptions, sums } from "./totals.ts";

const batches = Math.ceil(69_659 / batchSize);
const absent = "The CDNOW data (../shared/data/CDNOW_master.txt) is not here";

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
    await compareWithCount((path, body) => heddle.request("POST", path, body));
    await compareSeries((path) => heddle.request("GET", path));
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
    await compareWithCount((path, body) => heddle.request("POST", path, body));
    await compareSeries((path) => heddle.request("GET", path));
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
