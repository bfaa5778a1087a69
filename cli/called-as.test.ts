/** What help and errors tell people to type works as it stands. */
import { expect, test } from "vitest";
import { asCalled } from "./called-as.ts";

test("through npx or npm commands are named with npx, but for those that are", () => {
  expect(asCalled("make one with heddle keys create, or heddle apply", { npm_command: "exec" })).toBe(
    "make one with npx heddle keys create, or npx heddle apply",
  );
  expect(asCalled("Usage: heddle [options] [command]", { npm_command: "start" })).toBe("Usage: npx heddle [options] [command]");
  expect(asCalled("  npx heddle doctor", { npm_command: "exec" })).toBe("  npx heddle doctor");
});

test("where heddle is on the PATH its own name stands, and other words are left alone anyway", () => {
  expect(asCalled("make one with heddle keys create", {})).toBe("make one with heddle keys create");
  const others = "the data folder /var/heddle start, .local/heddle keys, Another Heddle uses it, a heddle of words";
  expect(asCalled(others, { npm_command: "exec" })).toBe(others);
});
