/** `npm run check`: everything a merge needs but the tests, two at a time, stopping at the first red; `--fast` leaves out the contract. */
import { spawn, spawnSync } from "node:child_process";
import { delimiter, resolve } from "node:path";

const folders = ["proto", "platform", "gateway", "services", "cli", "client", "test", "tools"];
const typescript = "node_modules/typescript/bin/tsc";
const checks = [
  { name: "format", command: ["deno", "fmt", "--check", "--quiet"], mend: "npm run fix" },
  { name: "lint", command: ["oxlint", "--quiet", ...folders], mend: "npm run fix, or change what it names" },
  { name: "dependency rule", command: ["node", "tools/check-rule.ts", "dependencies"], mend: "see tools/dependency-rule.ts for the rule" },
  { name: "statement rule", command: ["node", "tools/check-rule.ts", "statements"], mend: "bind the value, see tools/statement-rule.ts" },
  {
    name: "specification",
    command: ["node", "tools/specification/check.ts"],
    mend: "name the test in test/statements, then npm run reference",
  },
  {
    name: "pattern rule",
    command: ["node", "tools/check-rule.ts", "patterns"],
    mend: "see tools/pattern-rule.ts for the rule",
    slow: true,
  },
  { name: "types", command: ["node", typescript, "-p", "."], mend: "change what it names" },
  { name: "dead code", command: ["knip", "--no-progress"], mend: "delete it, or what is exported without need; see knip.json" },
  {
    name: "code that tests alone use",
    command: ["knip", "--no-progress", "--production", "--include", "files,exports,types", "--config", "tools/knip-production.json"],
    mend: "delete it, or move it to a fixture",
  },
  { name: "contract style", command: ["buf", "lint", "proto"], mend: "change what it names", slow: true },
  {
    name: "contract compatibility",
    command: ["buf", "breaking", "proto", "--against", ".git#branch=main,subdir=proto"],
    mend: "add fields and messages instead of changing them",
    slow: true,
    skip: noMainBranch,
  },
  { name: "reference", command: ["node", "tools/reference/write.ts", "--check"], mend: "npm run reference", slow: true },
  { name: "generated code", command: ["node", "tools/check-generated.ts"], mend: "npm run generate", slow: true },
];

process.env.PATH = `${resolve("node_modules/.bin")}${delimiter}${process.env.PATH}`;
const fast = process.argv.includes("--fast");
const left = checks.filter((check) => !(fast && check.slow));
// Most use one core alone
await Promise.all([runLeft(), runLeft()]);

async function runLeft() {
  for (let check = left.shift(); check !== undefined && !process.exitCode; check = left.shift()) await run(check);
}

/** What it printed comes at its end, so that two do not mix. */
async function run({ name, command, mend, skip }) {
  const reason = skip?.();
  if (reason) return console.log(`- ${name}: left out, ${reason}`);
  const { printed, error, status } = await ended(command);
  process.stderr.write(printed);
  if (status === 0) return console.log(`✔ ${name}`);
  console.error(`✘ ${name}${error ? `: "${command[0]}" cannot be started (run "npm ci")` : ""}\n  to mend: ${mend}`);
  process.exitCode = 1;
}

function ended([program, ...rest]) {
  const child = spawn(program, rest, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...(process.stdout.isTTY && { FORCE_COLOR: "1" }), ...process.env },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => printed += text);
  return new Promise((done) => {
    child.once("error", (error) => done({ printed, error }));
    child.once("close", (status) => done({ printed, status }));
  });
}

function noMainBranch() {
  const { status } = spawnSync("git", ["rev-parse", "--quiet", "--verify", "main:proto"], { stdio: "ignore" });
  return status === 0 ? undefined : "there is no branch main to compare with";
}
