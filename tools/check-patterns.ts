/** Prints every breach of the pattern rule and fails when there is one. */
import { checkPatterns } from "./pattern-rule.ts";

const breaches = checkPatterns(process.cwd());
for (const breach of breaches) console.error(breach);
process.exitCode = breaches.length === 0 ? 0 : 1;
