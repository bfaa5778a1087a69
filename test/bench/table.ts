/**
 * `node test/bench/table.ts [--only one,mesh] [--long]`: every figure that has a goal, each program of the bench in turn and nothing beside them, and one
 * table at the end. An hour; with `--long` 10,000,000 users as well, which takes 25 GB of disk and 40 minutes more. Never part of a timed test.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Goal, goals, notedFigures } from "./goals.ts";
import { machineText } from "./stillness.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "one,mesh" },
    long: { type: "boolean", default: false },
    /** Where pictures are drawn. */
    pictures: { type: "string" },
  },
});
const folder = mkdtempSync(join(tmpdir(), "heddle-table-"));
const file = join(folder, "figures");
writeFileSync(file, "");

const zipf = ["--body", "events", "--connections", "32", "--picks", "zipf"];
const few = [...zipf, "--workspaces", "4"];
const alone = ["--body", "events", "--connections", "32,1", "--picks", "zipf"];
const one: readonly (readonly string[])[] = [
  ["bench.ts", "--profiles", "10000", "--seconds", "6", "--rounds", "5", "--objects", "75", ...zipf],
  ["bench.ts", "--profiles", "100000", "--seconds", "6", "--rounds", "5", "--objects", "75,1", ...zipf],
  ["bench.ts", "--profiles", "1000000", "--seconds", "6", "--rounds", "3", "--objects", "75", ...zipf],
  ...(values.long ? [["bench.ts", "--profiles", "10000000", "--seconds", "6", "--rounds", "3", "--objects", "75", ...zipf]] : []),
  ["behind.ts"],
  ["consent.ts", "--fan-outs", "1", "--seconds", "5"],
  ["backup.ts"],
];
/** Cassandra and Node compile what gets need for about a minute. */
const warmSeconds = "60";
const onMesh = ["bench.ts", "--shape", "mesh", "--rounds", "3"];
const mesh: readonly (readonly string[])[] = [
  [...onMesh, "--profiles", "100000", "--seconds", "8", "--objects", "75,1", ...alone],
  [...onMesh, "--profiles", "20000", "--seconds", "8", "--objects", "1", ...few],
  [...onMesh, "--profiles", "20000", "--seconds", "6", "--objects", "75", ...zipf, "--two-profiles"],
  ["messages.ts"],
  ["behind.ts", "--shape", "mesh"],
  ["consent.ts", "--shape", "mesh", "--fan-outs", "1", "--seconds", "5", "--warm", warmSeconds],
  ["consent-floor.ts", "--warm", warmSeconds],
];
const only = values.only.split(",");
const failed: string[] = [];
for (const program of [...(only.includes("one") ? one : []), ...(only.includes("mesh") ? mesh : [])]) run(program);
print(withRatios(notedFigures(file)));
rmSync(folder, { recursive: true });

function run([name = "", ...args]: readonly string[]): void {
  const command = `node test/bench/${[name, ...args].join(" ")}`;
  console.log(`\n$ ${command}`);
  const picture = name === "bench.ts" && values.pictures !== undefined ? ["--picture", join(values.pictures, pictureName(args))] : [];
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, name), ...args, ...picture], {
    stdio: "inherit",
    env: { ...process.env, HEDDLE_FIGURES: file },
  });
  if (status !== 0) failed.push(command);
}

/** From what tells the runs apart. */
function pictureName(args: readonly string[]): string {
  const shape = args.includes("mesh") ? "mesh" : "one-process";
  const profiles = args[args.indexOf("--profiles") + 1];
  return `${shape}-${profiles}${args.includes("--two-profiles") ? "-two" : args.includes("4") ? "-few-workspaces" : ""}.svg`;
}

/** What is a ratio of two programs' figures. */
function withRatios(noted: Map<string, number>): Map<string, number> {
  const least = noted.get("one-cpu-10000") ?? Number.NaN;
  for (const users of ["1000000", "10000000"]) noted.set(`one-${users}`, (noted.get(`one-cpu-${users}`) ?? Number.NaN) / least);
  return noted;
}

function print(noted: ReadonlyMap<string, number>): void {
  console.log(`\n${machineText()}\n\n| figure | measured | must | aim | |\n| --- | --- | --- | --- | --- |`);
  for (const [name, goal] of Object.entries<Goal>(goals)) {
    const value = noted.get(name) ?? Number.NaN;
    console.log(`| ${goal.figure} | ${shown(value)} | ${shown(goal.must)} | ${shown(goal.aim)} | ${verdictOf(value, goal)} |`);
  }
  for (const command of failed) console.log(`\nFAILED: ${command}`);
  if (failed.length > 0) process.exitCode = 1;
}

function verdictOf(value: number, { must, aim, isFloor }: Goal): string {
  if (Number.isNaN(value)) return "not measured";
  if (isFloor) return value > must ? "the floor is above" : "a floor";
  if (value <= aim) return "aim";
  return value <= must ? "must" : "**missed**";
}

function shown(value: number): string {
  return Number.isNaN(value) ? "" : value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 2 : 0 });
}
