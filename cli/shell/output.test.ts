/** What commands say: whatever clients sent, and files of others hold, is shown and not obeyed. */
import { afterEach, expect, test, vi } from "vitest";
import { print, printError, printJson, printResult } from "./output.ts";

afterEach(() => vi.restoreAllMocks());

/** What is written to either stream. */
function written(say: () => void): string {
  const texts: string[] = [];
  function keep(text: string | Uint8Array): boolean {
    texts.push(String(text));
    return true;
  }
  vi.spyOn(process.stdout, "write").mockImplementation(keep);
  vi.spyOn(process.stderr, "write").mockImplementation(keep);
  say();
  return texts.join("");
}

/** Sets the title of a terminal, moves up a line and hides what stood there, in both forms of the escape; turns the order of what is read. */
const hostile = "<p>\u001b]0;owned\u0007\u001b[1A\u001b[2K\u009b2J\u202e\r</p>\n\t<p>next</p>";
const harmless = "<p>?]0;owned??[1A?[2K?2J??</p>\n\t<p>next</p>\n";

test.each([
  ["print()", () => print(hostile)],
  ["printError()", () => printError(hostile)],
  ["printResult()", () => printResult({}, {}, hostile)],
])("%s lets no text steer the terminal", (_, say) => {
  expect(written(say)).toBe(harmless);
});

test("printJson() gives programs what there is", () => {
  expect(JSON.parse(written(() => printJson({ hostile })))).toEqual({ hostile });
  expect(JSON.parse(written(() => printResult({ json: true }, { hostile }, "")))).toEqual({ hostile });
});
