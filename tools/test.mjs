/** `npm test`: the checks, unit tests, black-box tests on Node and on Deno, faults and real data; one line of totals at the end. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";

const stages = [
  { name: "check", run: runChecks },
  { name: "unit", run: () => runTests("unit") },
  { name: "mesh", run: () => runTests("mesh") },
  { name: "node", run: () => runTests("http", { HEDDLE_TEST_RUNTIME: "node" }) },
  { name: "deno", run: () => runTests("http", { HEDDLE_TEST_RUNTIME: "deno" }) },
  { name: "mesh-http", run: () => withServers(() => runTests("http", { HEDDLE_TEST_SHAPE: "mesh" })) },
  { name: "faults-mesh", run: () => runTests("faults-mesh") },
  { name: "faults", run: () => runTests("faults") },
  { name: "cdnow", run: () => runTests("cdnow") },
  { name: "model", run: () => runTests("model") },
];

process.env.PATH = `${resolve("node_modules/.bin")}${delimiter}${process.env.PATH}`;
const reports = mkdtempSync(join(tmpdir(), "heddle-tests-"));
process.once("exit", () => rmSync(reports, { recursive: true, force: true }));
const total = { passed: 0, failed: 0, skipped: 0 };
for (const stage of chosenStages()) {
  console.log(`\n== ${stage.name} ==`);
  const result = stage.run();
  for (const key of Object.keys(total)) total[key] += result[key];
}
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;

function chosenStages() {
  const at = process.argv.indexOf("--only");
  if (at === -1) return stages;
  const names = (process.argv[at + 1] ?? "").split(",");
  const unknown = names.filter((name) => !stages.some((stage) => stage.name === name));
  if (unknown.length === 0) return stages.filter((stage) => names.includes(stage.name));
  console.error(`--only takes ${stages.map((stage) => stage.name).join(", ")}, not "${unknown.join(",")}"`);
  process.exit(2);
}

/** The checks count only when they fail. */
function runChecks() {
  const { status } = spawnSync("node", ["tools/check.mjs"], { stdio: "inherit" });
  return { passed: 0, failed: status === 0 ? 0 : 1, skipped: 0 };
}

/** Says what is missing where the real servers cannot be had; it is a failure only where they must be. */
function withServers(run) {
  const { status } = spawnSync("node", ["tools/servers.mjs"], { stdio: "inherit" });
  if (status === 0) return run();
  if (process.env.HEDDLE_REQUIRE_SERVERS === "1") return { passed: 0, failed: 1, skipped: 0 };
  console.log("Not run: a server is missing");
  return { passed: 0, failed: 0, skipped: 1 };
}

function runTests(project, variables = {}) {
  const reportPath = join(reports, `${[project, ...Object.values(variables)].join("-")}.json`);
  const { status } = spawnSync("node", [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--project",
    project,
    "--passWithNoTests",
    "--reporter=dot",
    "--reporter=json",
    `--outputFile.json=${reportPath}`,
  ], { stdio: "inherit", env: { ...process.env, ...variables } });
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests: pending, numTodoTests: todo } = JSON.parse(
    readFileSync(reportPath, "utf8"),
  );
  // A file that cannot be loaded, or a failed hook, fails the run without a failed test.
  return { passed, failed: Math.max(failed, status === 0 ? 0 : 1), skipped: pending + todo };
}
