/** `npm run reference`: writes what is derived from tables and contract; with `--check` it fails, naming the files, where they differ. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import { errorMarkdown } from "../../gateway/documents/error-reference.ts";
import { routeName } from "../../gateway/openapi/document.ts";
import { entries, schemas } from "../../gateway/openapi/entries.ts";
import { routeTable } from "../../gateway/route-table.ts";
import { clientTypes } from "./client-types.ts";
import { prometheusRule } from "./prometheus-rule.ts";
import { rpcMarkdown } from "./rpc-reference.ts";

process.env["PATH"] = `${resolve("node_modules/.bin")}${delimiter}${process.env["PATH"]}`;
const check = process.argv.includes("--check");
const files: readonly (readonly [path: string, text: string])[] = [
  ["docs/errors.md", errorMarkdown()],
  ["docs/rpc.md", rpcMarkdown("proto")],
  ["deploy/monitoring/prometheus-rule.yaml", prometheusRule(readFileSync("deploy/monitoring/alerts.yaml", "utf8"))],
  [
    "client/gen/calls.ts",
    formatted(clientTypes({ entries, schemas, routes: new Map(routeTable.map((route) => [routeName(route), route])) })),
  ],
];
for (const [path, text] of files) {
  const committed = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  if (committed === text) continue;
  if (!check) writeFileSync(path, text);
  console.error(check ? `${path}: differs from what it is made of, run "npm run reference"` : `${path}: written`);
  if (check) process.exitCode = 1;
}

function formatted(text: string): string {
  return execFileSync("deno", ["fmt", "--quiet", "--ext", "ts", "-"], { input: text, encoding: "utf8" });
}
