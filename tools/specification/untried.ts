/** Statements whose tests did not run. */
import type { Section } from "./read-statements.ts";
import { type Shape, shapesOf } from "./specification-rule.ts";

/** What is read of vitest's JSON report; names of files as the statements have them. */
export interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Each as `id: what`; what failed did run, and is told by the run itself. */
export function untried(sections: readonly Section[], report: Report, run: { shape: string; meshFiles: readonly string[] }): string[] {
  const ran = new Set(
    report.testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.filter(({ status }) => status === "passed" || status === "failed").map(({ fullName }) => `${name}: ${fullName}`)
    ),
  );
  function ofShape(path: string): boolean {
    return path.startsWith("test/http/") && shapesOf(path, run.meshFiles).includes(run.shape as Shape);
  }
  return sections.flatMap(({ statements }) =>
    statements.flatMap(({ id, tests }) =>
      tests.filter(({ path, title }) => ofShape(path) && !ran.has(`${path}: ${title}`))
        .map(({ path, title }) => `${id}: on ${run.shape} no test "${title}" of ${path} ran, name another`)
    )
  );
}
