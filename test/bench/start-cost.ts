/** What a start of one process takes, and its memory while nothing happens, beside a bare Node that listens. */
import { execFileSync } from "node:child_process";
import { Agent } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { bareNode } from "./floors.ts";
import { noteFigure } from "./goals.ts";
import { type LoadOptions, send } from "./load.ts";
import { startServer } from "./server.ts";
import { residentMbOf } from "./targets.ts";

export interface Start {
  readonly folder: string;
  readonly key: string;
  readonly make: LoadOptions["make"];
}

/** Before what a process that does nothing takes is looked at. */
const restMs = 2_000;

/** Of the package, which is what is installed, with one workspace declared. The first start on a machine compiles; the second is what a restart costs. */
export async function startCost({ folder, key, make }: Start): Promise<{ name: string; value: string }[]> {
  const dist = join(folder, "dist");
  execFileSync(process.execPath, [join(import.meta.dirname, "../../tools/package/make.ts"), `--into=${dist}`], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const build = join(dist, "heddle");
  const declared = [key];
  await (await startServer({ folder: join(folder, "first"), keys: declared, build })).stop();
  const began = performance.now();
  const server = await startServer({ folder: join(folder, "second"), keys: declared, build });
  await send(new Agent(), server.url, make(0));
  const startMs = performance.now() - began;
  noteFigure("one-start", startMs);
  await setTimeout(restMs);
  const idle = residentMbOf({ name: "", url: server.url, processes: new Map([["heddle", server.pid]]) });
  const bare = await bareNode(restMs);
  noteFigure("one-idle", idle / bare.megabytes);
  await server.stop();
  return [
    { name: "start to first accepted write, ms", value: startMs.toFixed(0) },
    { name: "idle, resident MB; a bare Node that listens", value: `${idle.toFixed(0)}; ${bare.megabytes.toFixed(0)}` },
    { name: "start of a bare Node that listens, ms", value: bare.startMs.toFixed(0) },
  ];
}
