/** What source files import. */
import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** Paths of tests and of what they use. */
export const tests = "[.](test|fixture)[.]ts$|-contract[.]ts$";

export interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
  /** Where the code comes to it, and not at the start. */
  readonly isLazy: boolean;
}

/** Static imports, re-exports and `import()` of a literal, with the path they reach. Statements begin their line. */
export function importsOf(root: string, file: string): Import[] {
  const path = join(root, file);
  const statements = readFileSync(path, "utf8").matchAll(
    /^(?:import|export)\s+(type\s+)?(?:[\w*{][^"';]*?\sfrom\s+)?"([^"\n]+)"|\bimport\(\s*"([^"\n]+)"\s*\)/gm,
  );
  return [...statements].map(([, type, fixed, dynamic]) => {
    const specifier = fixed ?? dynamic ?? "";
    const to = specifier.startsWith(".") ? relative(root, resolve(dirname(path), specifier)) : specifier;
    return { from: file, to, typeOnly: type !== undefined, isLazy: dynamic !== undefined };
  });
}
