/** Lists that are read page by page, each page behind the last item of the one before. */
import { expect, test } from "vitest";
import { pagesBehind } from "./pages-behind.ts";

test("pagesBehind() gives page after page, each behind the last item of the one before, until one is empty", async () => {
  const list = [1, 2, 3, 4, 5];
  const asked: (number | undefined)[] = [];
  const pages = pagesBehind<number>((last) => {
    asked.push(last);
    return Promise.resolve(list.filter((item) => last === undefined || item > last).slice(0, 2));
  });
  expect(await Array.fromAsync(pages)).toEqual([[1, 2], [3, 4], [5]]);
  expect(asked).toEqual([undefined, 2, 4, 5]);
});
