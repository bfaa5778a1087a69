/** What is opened in order is closed in the opposite order. */
import { expect, test } from "vitest";
import { openAll, type Opened } from "./open-all.ts";

function naming(closed: string[], opened: Opened) {
  return (name: string) =>
    opened.push(async () => {
      await Promise.resolve();
      closed.push(name);
    });
}

test("close() closes once, the last first, also what came later", async () => {
  const closed: string[] = [];
  const all = await openAll(async (opened) => {
    const put = naming(closed, opened);
    put("a");
    put("b");
    return { value: 1, put };
  });
  expect(all.value).toBe(1);
  all.put("c");
  expect(closed).toEqual([]);
  await all.close();
  await all.close();
  expect(closed).toEqual(["c", "b", "a"]);
});

test("where opening fails, what was opened is closed before the error goes on", async () => {
  const closed: string[] = [];
  const failing = openAll(async (opened) => {
    naming(closed, opened)("a");
    naming(closed, opened)("b");
    throw new Error("planted");
  });
  await expect(failing).rejects.toThrow("planted");
  expect(closed).toEqual(["b", "a"]);
});

test("where one cannot be closed, the others are, and the error goes on", async () => {
  const closed: string[] = [];
  const all = await openAll(async (opened) => {
    naming(closed, opened)("a");
    opened.push(() => Promise.reject(new Error("planted")));
    naming(closed, opened)("c");
    return {};
  });
  await expect(all.close()).rejects.toThrow("planted");
  expect(closed).toEqual(["c", "a"]);
});

test("where opening fails, and then closing, the error is that of opening", async () => {
  const failing = openAll(async (opened) => {
    opened.push(() => Promise.reject(new Error("of closing")));
    throw new Error("of opening");
  });
  await expect(failing).rejects.toThrow("of opening");
});
