/** How a move says how far it is. */
import { expect, test } from "vitest";
import { openMoveProgress } from "./move-progress.ts";

function shown(isTTY: boolean): string {
  let [text, now] = ["", 0];
  const stream = { isTTY, write: (part: string) => void (text += part) } as unknown as NodeJS.WriteStream;
  const progress = openMoveProgress(stream, () => now);
  progress.begin("users");
  for (const ms of [50, 60, 10_000]) {
    now += ms;
    progress.moved(2);
  }
  progress.begin("others");
  progress.end();
  return text;
}

test("a file gets a line for each kind of row, and one now and then", () => {
  expect(shown(false)).toBe("Copying users\nCopying users: 6\nCopying others\n");
});

test("a terminal gets one line that changes and is gone at the end", () => {
  const clear = "\r\u001b[K";
  expect(shown(true)).toBe(`${clear}Copying users${clear}Copying users: 4${clear}Copying users: 6${clear}${clear}Copying others${clear}`);
});
