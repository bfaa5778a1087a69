/**
 * `node tools/specification/tried.ts REPORT SHAPE`: fails when a statement names a test of that shape which vitest's report of the run
 * does not have, or has as left out. A row that was taken out of a table is found here alone: its title stands in no source text.
 */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { meshFiles } from "../../vitest.config.ts";
import { readStatements } from "./read-statements.ts";
import { type Report, untried } from "./untried.ts";

const [report = "", shape = ""] = process.argv.slice(2);
const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
const files = testResults.map((file) => ({ ...file, name: relative(process.cwd(), file.name) }));
const lines = untried(readStatements("test/statements"), { testResults: files }, { shape, meshFiles });
for (const line of lines) console.error(line);
process.exitCode = lines.length === 0 ? 0 : 1;
