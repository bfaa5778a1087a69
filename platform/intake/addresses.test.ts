/** What a write is refused with that names something else than an address. */
import { expect, test } from "vitest";
import { emailsToWrite, phonesToWrite } from "./addresses.ts";

test("writes are refused with what was expected, and where", () => {
  expect(() => emailsToWrite(["a@example.com", "b"])).toThrow("Expected an email address at place 1, got something else");
  expect(() => phonesToWrite(["x"])).toThrow("Expected a phone number at place 0, got something else");
});
