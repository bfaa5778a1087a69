/** The CDNOW purchases into a mesh whose parts and servers are killed one after the other while they come in. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { type CommandResult, startCommand } from "../command-line.ts";
import { openCountingProxy } from "../cdnow/counting-proxy.ts";
import { countPurchases, type CustomerTotal, linesOf } from "../cdnow/purchases.ts";
import { batchSize, importOptions } from "../cdnow/totals.ts";
import { demoKey } from "../heddle.ts";
import type { Mesh } from "./mesh.ts";

/** Ends a part or a server and resolves when it is there again. */
export type Strike = () => Promise<void>;

/** Half of them, for time; HEDDLE_CDNOW=all takes the other half too. */
const customersMax = env.HEDDLE_CDNOW === "all" ? Infinity : 11_785;

/**
 * Runs `heddle import` over the file, sixteen requests at a time. The strikes are spread over it; each waits until the one
 * before is over, and none begins once the import has ended.
 */
export async function importUnderStrikes(mesh: Mesh, strikes: readonly Strike[]): Promise<Import> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-cdnow-mesh-"));
  const file = join(folder, "CDNOW_master.txt");
  const lines = linesOf(customersMax);
  writeFileSync(file, lines.join("\r\n"));
  const batches = Math.ceil(lines.length / batchSize);
  const takenAtStrikes: number[] = [];
  let striking: Promise<void> = Promise.resolve();
  let isStriking = false;
  const proxy = await openCountingProxy(() => mesh.url, (_, taken) => {
    const strike = strikes[takenAtStrikes.length];
    const due = batches * (takenAtStrikes.length + 1) / (strikes.length + 1);
    if (isStriking || !strike || taken < due) return;
    isStriking = true;
    takenAtStrikes.push(taken);
    striking = strike().finally(() => isStriking = false);
  });
  try {
    const args = ["import", file, ...importOptions, "--concurrency", "16", "--url", proxy.url, "--key", demoKey];
    const result = await startCommand(args).ended;
    await striking;
    return { result, takenAtStrikes, batches, counted: countPurchases(lines) };
  } finally {
    await proxy.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface Import {
  readonly result: CommandResult;
  /** How many requests of the import had been answered with 201 when each strike fell; there was another one under way. */
  readonly takenAtStrikes: readonly number[];
  /** How many there are in all. */
  readonly batches: number;
  readonly counted: ReadonlyMap<string, CustomerTotal>;
}
