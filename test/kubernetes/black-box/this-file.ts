/** What the stand-ins of one test file share: its names, and the reason why a test cannot go on. */
import { TestRunner } from "vitest";
import { ownNames } from "./own-names.ts";

export const names = ownNames(`-${Date.now().toString(36)}${process.pid.toString(36)}`);

/** Ends the running test as not run, for a reason that is told at the end. Outside of tests it does nothing. */
export function leave(reason: string): void {
  TestRunner.getCurrentTest()?.context.skip(reason);
}
