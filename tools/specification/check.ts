/** Prints every breach of the specification rule, and a page that is not what the statements say; fails when there is one. `--write` writes the page. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { meshFiles } from "../../vitest.config.ts";
import { specificationMarkdown } from "./page.ts";
import { readStatements } from "./read-statements.ts";
import { checkSpecification } from "./specification-rule.ts";

const page = "docs/specification.md";
const sections = readStatements("test/statements");
const breaches = checkSpecification(process.cwd(), sections, meshFiles);
const text = specificationMarkdown(sections);
if (process.argv.includes("--write")) writeFileSync(page, text);
else if (!existsSync(page) || readFileSync(page, "utf8") !== text) {
  breaches.push(`${page}: differs from test/statements, run "npm run reference"`);
}
for (const breach of breaches) console.error(breach);
const open = sections.flatMap(({ statements }) => statements.filter((one) => one.open !== undefined));
if (open.length > 0) console.log(`  ${open.length} statements are open, see ${page}`);
process.exitCode = breaches.length === 0 ? 0 : 1;
