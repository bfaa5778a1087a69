/** The CDNOW purchases into a mesh whose parts and servers are killed one after the other while they come in. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandResult, startCommand } from "../command-line.ts";
import { openCountingProxy } from "../cdnow/counting-proxy.ts";
import { cdnowPath } from "../cdnow/purchases.ts";
import { batches, importOptions } from "../cdnow/totals.ts";
import { demoKey } from "../heddle.ts";
import type { Mesh } from "./mesh.ts";

/** Ends a part or a server and resolves when it is there again. */
export type Strike = () => Promise<void>;

/**
 * Runs `heddle import` over the whole file, sixteen requests at a time. The strikes are spread over it; each waits until the one
 * before is over, and none begins once the import has ended.
 */
export async function importUnderStrikes(mesh: Mesh, strikes: readonly Strike[]): Promise<Import> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-cdnow-mesh-"));
  const file = join(folder, "CDNOW_master.txt");
  copyFileSync(cdnowPath, file);
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
    return { result, takenAtStrikes };
  } finally {
    await proxy.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface Import {
  readonly result: CommandResult;
  /** How many requests of the import had been answered with 201 when each strike fell; there was another one under way. */
  readonly takenAtStrikes: readonly number[];
}
