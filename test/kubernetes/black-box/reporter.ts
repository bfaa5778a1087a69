/** At the end of the black-box suite: what was not run, and why. */
import { basename } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { figure } from "../figures.ts";
import { leftNow } from "./left.ts";

export class NotRun implements Reporter {
  readonly #started = performance.now();

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === "passed").length;
    const failed = tests.filter((test) => test.result().state === "failed").length;
    figure("`npm run test:black-box`", {
      took: performance.now() - this.#started,
      says: `${modules.length} files: ${passed} tests passed, ${failed} failed, ${tests.length - passed - failed} not run`,
    });
    const lines = Object.entries(leftNow).map(([file, reason]) => `  ${file}: ${reason}`);
    for (const module of modules) {
      for (const test of module.children.allTests("skipped")) {
        const result = test.result();
        // Without a reason: its file failed as a whole, or it is skipped everywhere
        const reason = result.state === "skipped" ? result.note : undefined;
        if (reason !== undefined) lines.push(`  ${basename(module.moduleId, ".test.ts")}: ${test.name}: ${reason}`);
      }
    }
    console.log(`\nNot run:\n${lines.join("\n")}`);
  }
}
