/** What the stand-ins of one test file share: its names, and the reason why a test cannot go on. */
import { env } from "node:process";
import { TestRunner } from "vitest";
import { ownNames } from "./own-names.ts";

export const names = ownNames(`-${Date.now().toString(36)}${process.pid.toString(36)}`);

/**
 * Ends the running test as not run, for a reason that is shown at the end; as failed where nothing may be left out. Outside of tests it
 * does nothing.
 */
export function leave(reason: string): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) return;
  if (env.HEDDLE_TEST_SHARED === "1") throw new Error(`Name this file in ownMesh (test/kubernetes/black-box/left.ts): ${reason}`);
  test.context.skip(reason);
}
