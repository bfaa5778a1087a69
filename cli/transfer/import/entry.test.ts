/** Lines of an import that cannot be sent as they are: each is one faulty row, and the others go on. */
import { expect, test } from "vitest";
import { entriesOfLine } from "./entry.ts";
import { parseMappings, rowToObject } from "./mapping.ts";

function entriesOf(text: string, rowId?: string) {
  return entriesOfLine({ text, offset: 0, end: text.length, line: 1 }, { rowId });
}

test.each([65, 5_000, 200_000])("a line nested %i deep is a faulty row", (depth) => {
  const nested = `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const [entry] = entriesOf(`{"type":"attribute","external_id":"u","a":${nested}}`);
  expect(entry).toMatchObject({ line: 1, error: "The JSON is nested deeper than 64 levels" });
  expect(JSON.parse(entry?.raw ?? "")).toMatchObject({ _heddle_text: expect.stringContaining("[[[") as string });
});

test("a cell nested 5000 deep is no value of the type json", () => {
  const cell = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
  expect(rowToObject(parseMappings(["a=column:json"]), () => cell)).toMatchObject({
    error: expect.stringContaining("type json") as string,
  });
});

test("a number that JSON cannot tell from its neighbours tells no rows apart", () => {
  const [entry] = entriesOf(`{"type":"event","external_id":"u","name":"e","no":9007199254740993}`, "no");
  expect(entry).toMatchObject({ error: expect.stringContaining(`"no" (--row-id)`) as string });
  const [one, two] = ["9007199254740991", `"9007199254740993"`].map((no) => entriesOf(`{"type":"event","name":"e","no":${no}}`, "no")[0]);
  expect([one, two].every((found) => found !== undefined && "id" in found)).toBe(true);
});
