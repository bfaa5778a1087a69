/** Writes what was thrown outside of any test, which the report as JSON leaves out: it fails a run in which every test may have passed. */
import { writeFileSync } from "node:fs";
import { env } from "node:process";

export default class UnhandledErrors {
  onTestRunEnd(_modules, errors) {
    const thrown = errors.map(({ VITEST_TEST_PATH: file, name, message, stack }) => ({ file, message: stack ?? `${name}: ${message}` }));
    writeFileSync(env.HEDDLE_TEST_UNHANDLED, JSON.stringify(thrown));
  }
}
