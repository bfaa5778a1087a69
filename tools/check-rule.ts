/** `node tools/check-rule.ts dependencies`: prints every breach of one rule, and fails when there is one. */
import { checkDependencies } from "./dependency-rule.ts";
import { checkPatterns } from "./pattern-rule.ts";
import { checkStatements } from "./statement-rule.ts";

const rules = new Map<string, (root: string) => string[]>([["dependencies", checkDependencies], ["patterns", checkPatterns], [
  "statements",
  checkStatements,
]]);
const breaches = rules.get(process.argv[2] ?? "")?.(process.cwd()) ?? [`Name a rule: ${[...rules.keys()].join(", ")}`];
for (const breach of breaches) console.error(breach);
process.exitCode = breaches.length === 0 ? 0 : 1;
