/** `npm test`: the checks, unit tests, black-box tests on every shape, faults and real data; one line of totals at the end. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, relative, resolve } from "node:path";

/**
 * `isLong`: before a release and by hand, with --all or --only; the others are the run of every change, which has to end soon. Those without
 * `run` are projects that run at once, so that no worker waits for the last file of a project.
 */
const stages = [
  { name: "check", run: runChecks },
  { name: "unit" },
  { name: "deploy" },
  { name: "mesh" },
  { name: "languages" },
  { name: "browser" },
  { name: "faults-mesh" },
  { name: "faults" },
  { name: "cdnow" },
  { name: "model" },
  { name: "node", run: () => withStatements("node", () => runTests("http", { HEDDLE_TEST_RUNTIME: "node" })) },
  { name: "deno", run: () => withStatements("deno", () => runTests("http", { HEDDLE_TEST_RUNTIME: "deno" })) },
  {
    name: "mesh-http",
    run: () => withServers(() => withStatements("mesh", () => runTests("http", { HEDDLE_TEST_SHAPE: "mesh", HEDDLE_TEST_SHARED: "1" }))),
  },
  {
    name: "mesh-long",
    isLong: true,
    run: () => withServers(() => runTests("http", { HEDDLE_TEST_SHAPE: "mesh", HEDDLE_TEST_LONG: "1" })),
  },
  {
    name: "mesh-mixed",
    isLong: true,
    run: () => withServers(() => runTests("http", { HEDDLE_TEST_SHAPE: "mesh", HEDDLE_TEST_DENO_PARTS: "gateway,profile" })),
  },
  { name: "mesh-browser", isLong: true, run: () => withServers(() => runTests("browser", { HEDDLE_TEST_SHAPE: "mesh" })) },
];

process.env.PATH = `${resolve("node_modules/.bin")}${delimiter}${process.env.PATH}`;
const reports = mkdtempSync(join(tmpdir(), "heddle-tests-"));
process.once("exit", () => rmSync(reports, { recursive: true, force: true }));
const total = { passed: 0, failed: 0, skipped: 0 };
/** Colours in a file are hard to read. */
const plain = process.stdout.isTTY ? {} : { NO_COLOR: "1" };
/** More failing files than this are no accident. */
const filesAgainMax = 4;
/** What to tell at the end, a paragraph each. */
const failures = [];
const failedAtFirst = [];
const chosen = chosenStages();
const atOnce = chosen.filter(({ run }) => run === undefined).map(({ name }) => name);
for (const { name, run } of chosen) {
  if (run === undefined && name !== atOnce[0]) continue;
  console.log(`\n== ${run === undefined ? atOnce.join(", ") : name} ==`);
  const result = run === undefined ? runTests(atOnce.join()) : run();
  for (const key of Object.keys(total)) total[key] += result[key];
}
if (failedAtFirst.length > 0) console.log(`\nFailed at first, and passed when their file ran once more:\n\n${failedAtFirst.join("\n\n")}`);
if (failures.length > 0) console.log(`\nFailed:\n\n${failures.join("\n\n")}`);
const left = process.argv.includes("--only") ? [] : stages.filter((stage) => !chosen.includes(stage)).map(({ name }) => name);
if (left.length > 0) console.log(`\nNot part of this run: ${left.join(", ")} (npm test -- --all)`);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;

function chosenStages() {
  const at = process.argv.indexOf("--only");
  if (at === -1) return process.argv.includes("--all") ? stages : stages.filter(({ isLong }) => isLong !== true);
  const names = (process.argv[at + 1] ?? "").split(",");
  const unknown = names.filter((name) => !stages.some((stage) => stage.name === name));
  if (unknown.length === 0) return stages.filter((stage) => names.includes(stage.name));
  console.error(`--only takes ${stages.map((stage) => stage.name).join(", ")}, not "${unknown.join(",")}"`);
  process.exit(2);
}

/** The checks count only when they fail. */
function runChecks() {
  const { status } = spawnSync("node", ["tools/check.mjs"], { stdio: "inherit" });
  if (status !== 0) failures.push("check: see above");
  return { passed: 0, failed: status === 0 ? 0 : 1, skipped: 0 };
}

/** Says what is missing where the real servers cannot be had; it is a failure only where they must be. */
function withServers(run) {
  const { status } = spawnSync("node", ["tools/servers.mjs"], { stdio: "inherit" });
  if (status === 0) return run();
  if (process.env.HEDDLE_REQUIRE_SERVERS === "1") {
    failures.push("A server is missing: see above");
    return { passed: 0, failed: 1, skipped: 0 };
  }
  console.log("Not run: a server is missing");
  return { passed: 0, failed: 0, skipped: 1 };
}

/** After a run of the black-box tests: every test that a statement of the specification names was among them. */
function withStatements(shape, run) {
  const result = run();
  const { status } = spawnSync("node", ["tools/specification/tried.ts", join(reports, `http-${shape}.json`), shape], { stdio: "inherit" });
  if (status === 0) return result;
  failures.push(`specification, ${shape}: a statement's test did not run, see above`);
  return { ...result, failed: result.failed + 1 };
}

/**
 * Runs projects, named with commas between them. Few failing files are run once more by themselves: both runs are told, the second counts. Processes, kills and a
 * busy machine make some tests of the whole fail once in a hundred runs; one that fails twice is broken.
 */
function runTests(projects, variables = {}) {
  const name = [projects, ...Object.values(variables).filter((value) => value !== "1")].join("-");
  const first = runOnce(projects, { variables, name, files: [] });
  const again = [...new Set(first.failures.map(({ file }) => file))];
  if (first.status === 0) return count(first);
  // What was thrown outside of the failing files does not come out when those run again
  const elsewhere = first.unhandled.some(({ file }) => !again.includes(file));
  if (again.length === 0 || again.length > filesAgainMax || elsewhere) return counted(first, name);
  console.log(`\n== ${name}: once more ==\n${again.map((file) => relative(process.cwd(), file)).join("\n")}`);
  const second = runOnce(projects, { variables, name: `${name}-again`, files: again });
  if (second.status !== 0) return counted({ ...second, ...sums(first, second, again) }, name);
  failedAtFirst.push(...first.failures.map(({ text }) => `${name}: ${text}`));
  return count({ ...second, ...sums(first, second, again) });
}

function counted(run, name) {
  const thrown = run.unhandled.map(({ file = "", message }) => ({
    text: `${relative(process.cwd(), file)}: thrown outside of any test\n${shortened(message)}`,
  }));
  const lines = [...run.failures, ...thrown].map(({ text }) => `${name}: ${text}`);
  failures.push(...(lines.length > 0 ? lines : [`${name}: see above`]));
  return count(run);
}

/** A file that cannot be loaded, or a failed hook, fails the run without a failed test. */
function count({ status, passed, failed, skipped }) {
  return { passed, failed: Math.max(failed, status === 0 ? 0 : 1), skipped };
}

/** The first run without the files that ran again, and those as they did then. */
function sums(first, second, again) {
  const rest = first.files.filter(({ name }) => !again.includes(name)).flatMap(({ tests }) => tests);
  function of(statuses) {
    return rest.filter((status) => statuses.includes(status)).length;
  }
  return {
    passed: second.passed + of(["passed"]),
    failed: second.failed + of(["failed"]),
    skipped: second.skipped + of(["pending", "skipped", "todo"]),
  };
}

function runOnce(projects, { variables, name, files }) {
  const reportPath = join(reports, `${name}.json`);
  const unhandledPath = join(reports, `${name}-unhandled.json`);
  const { status } = spawnSync("node", [
    "node_modules/vitest/vitest.mjs",
    "run",
    ...projects.split(",").flatMap((project) => ["--project", variables.HEDDLE_TEST_SHARED === "1" ? `${project}*` : project]),
    // A project may have no tests, a file that failed has some
    ...(files.length === 0 ? ["--passWithNoTests"] : []),
    "--reporter=dot",
    "--reporter=json",
    "--reporter=./tools/unhandled-reporter.mjs",
    `--outputFile.json=${reportPath}`,
    ...files,
  ], { stdio: "inherit", env: { ...plain, ...process.env, ...variables, HEDDLE_TEST_UNHANDLED: unhandledPath } });
  const report = existsSync(reportPath) ? JSON.parse(readFileSync(reportPath, "utf8")) : { testResults: [] };
  return {
    status,
    passed: report.numPassedTests ?? 0,
    failed: report.numFailedTests ?? 0,
    skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
    files: report.testResults.map(({ name: file, assertionResults }) => ({
      name: file,
      tests: assertionResults.map((test) => test.status),
    })),
    failures: report.testResults.flatMap(failuresOf),
    unhandled: existsSync(unhandledPath) ? JSON.parse(readFileSync(unhandledPath, "utf8")) : [],
  };
}

function failuresOf({ name: file, status, message, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === "failed");
  const place = relative(process.cwd(), file);
  if (failed.length === 0) return status === "failed" ? [{ file, text: `${place}\n${shortened(message)}` }] : [];
  return failed.map((test) => ({ file, text: `${place}: ${test.fullName}\n${shortened(test.failureMessages.join("\n"))}` }));
}

function shortened(text = "") {
  return text.slice(0, 800);
}
