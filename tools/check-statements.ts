/** Prints every breach of the statement rule and fails when there is one. */
import { checkStatements } from "./statement-rule.ts";

const breaches = checkStatements(process.cwd());
for (const breach of breaches) console.error(breach);
process.exitCode = breaches.length === 0 ? 0 : 1;
