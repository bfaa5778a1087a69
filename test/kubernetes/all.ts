/**
 * `npm run test:kubernetes [steps]`: everything that docs/kubernetes.md says of a cluster, in order, and the table of it at the end.
 * Each step has a time, so that the whole ends. Uses up the namespaces heddle, heddle-production, heddle-servers and heddle-load.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv, env, execPath } from "node:process";
import { whyNoCluster } from "./cluster.ts";
import { seconds, tableHead } from "./figures.ts";

const steps: readonly Step[] = [
  { name: "mesh", args: vitest("kubernetes", "mesh.test.ts"), minutesMax: 45 },
  { name: "gateways", args: vitest("kubernetes", "gateways.test.ts"), minutesMax: 15 },
  { name: "black-box", args: [join(import.meta.dirname, "black-box.ts")], minutesMax: 40 },
  {
    name: "monitoring",
    args: vitest("deploy", "alerts.test.ts", "alerts-live.test.ts"),
    // Without a tool these tests are left out, which is no pass
    env: { HEDDLE_REQUIRE_SERVERS: "1" },
    minutesMax: 20,
  },
  { name: "deno", args: vitest("kubernetes", "deno.test.ts"), minutesMax: 15 },
  { name: "upgrade", args: vitest("kubernetes", "upgrade.test.ts"), minutesMax: 20 },
  { name: "production", args: vitest("kubernetes", "production.test.ts"), minutesMax: 75 },
];
const asked = argv.slice(2);
const chosen = asked.length === 0 ? steps : steps.filter(({ name }) => asked.includes(name));
const missing = whyNoCluster();
if (missing !== undefined) console.log(`Not run: ${missing}`);
else if (chosen.length === 0) throw new Error(`Expected some of ${steps.map(({ name }) => name).join(", ")}`);
else runAll();

/** Test files of a folder of test/, one after the other. */
function vitest(project: string, ...files: readonly string[]): string[] {
  const run = ["node_modules/vitest/vitest.mjs", "run", "--no-file-parallelism", "--project", project];
  return [...run, ...files.map((file) => `test/${project}/${file}`)];
}

function runAll(): void {
  const folder = mkdtempSync(join(tmpdir(), "heddle-figures-"));
  const figures = join(folder, "rows");
  writeFileSync(figures, "");
  const told = chosen.map((step) => runStep(step, figures));
  console.log(`\n${tableHead}\n${readFileSync(figures, "utf8")}\n${told.join("\n")}`);
  rmSync(folder, { recursive: true, force: true });
}

function runStep({ name, args, minutesMax, env: own }: Step, figures: string): string {
  console.log(`\n== ${name} ==`);
  const started = performance.now();
  const { status } = spawnSync(execPath, args, {
    stdio: "inherit",
    env: { ...env, ...own, HEDDLE_FIGURES: figures },
    timeout: minutesMax * 60_000,
  });
  if (status !== 0) process.exitCode = 1;
  const outcome = status === 0 ? "passed" : status === null ? `did not end within ${minutesMax} minutes` : "FAILED";
  return `${name}: ${outcome} after ${seconds(performance.now() - started)} s`;
}

interface Step {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly minutesMax: number;
}
