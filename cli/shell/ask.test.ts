/** The question at a terminal, with what people type to leave it. */
import { PassThrough } from "node:stream";
import { afterEach, expect, test, vi } from "vitest";
import { isWanted } from "./ask.ts";

afterEach(() => vi.restoreAllMocks());

test.each([
  ["yes", "yes\r", true],
  ["another word", "no\r", false],
  ["Ctrl-C", "\u0003", false],
  ["Ctrl-D", "\u0004", false],
])("%s is an answer", async (_, typed, wanted) => {
  const [input, output] = [terminal(), terminal()];
  vi.spyOn(process, "stdin", "get").mockReturnValue(input as never);
  vi.spyOn(process, "stderr", "get").mockReturnValue(output as never);
  const answer = isWanted("Remove them?");
  input.write(typed);
  expect(await answer).toBe(wanted);
});

function terminal(): PassThrough {
  return Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
}
