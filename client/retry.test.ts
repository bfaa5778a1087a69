/** What an attempt that failed says of what may be sent again. */
import { expect, test } from "vitest";
import { hasNotConnected } from "./retry.ts";

const deno =
  "error sending request for url (http://127.0.0.1:1/): client error (Connect): tcp connect error: Connection refused (os error 111)";

test.each([
  ["Node's code", new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } }), true],
  ["Deno's words", new TypeError(deno), true],
  ["Deno's words in the cause", new TypeError("error sending request", { cause: new Error(deno) }), true],
  ["a connection that was cut", new TypeError("fetch failed", { cause: { code: "ECONNRESET" } }), false],
  ["what is no error", "ECONNREFUSED", false],
])("whether a request was never sent is known by %s", (_, error, expected) => {
  expect(hasNotConnected(error)).toBe(expected);
});
