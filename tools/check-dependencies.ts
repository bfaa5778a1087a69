/** Prints every breach of the dependency rule and fails when there is one. */
import { checkDependencies } from "./dependency-rule.ts";

const breaches = checkDependencies(process.cwd());
for (const breach of breaches) console.error(breach);
process.exitCode = breaches.length === 0 ? 0 : 1;
