/** heddle import of rows that the server took but for some of their fields: those fields are mended, and nothing counts twice. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";

import { openTarget, type Target } from "./server.fixture.ts";

let target: Target;
/** What the server was told to add to the visits of users. */
let visits: number;
let answers: Map<string, object[]>;

beforeEach(async () => {
  target = await openTarget();
  visits = 0;
  answers = new Map();
  target.behave = (sent, answer) => {
    const answered = answers.get(sent.key) ?? take(sent.body);
    answers.set(sent.key, answered);
    answer.json(201, { message: "success", errors: answered });
  };
});

afterEach(() => target.close());

/** As Heddle: an object is taken but for a gender that is none, and one that holds nothing else is refused. */
function take(body: Readonly<Record<string, readonly Record<string, unknown>[]>>): object[] {
  return Object.entries(body).flatMap(([array, objects]) =>
    objects.flatMap((object, index) => {
      visits += (object["visits"] as { inc: number } | undefined)?.inc ?? 0;
      if (array !== "attributes") return [{ type: "too many", input_array: array, index, field: "properties" }];
      if (object["gender"] !== "X") return [];
      const others = Object.keys(object).filter((key) => key !== "external_id" && key !== "gender");
      return [{ type: "no gender", input_array: array, index, ...(others.length > 0 && { field: "gender" }) }];
    })
  );
}

function rowsOf(report: string): unknown[] {
  return readFileSync(report, "utf8").trim().split("\n").map((line) => JSON.parse(line) as unknown);
}

function lastBody(): unknown {
  return target.requests.at(-1)?.body;
}

const row = { type: "attribute", external_id: "a", email: "a@example.com", visits: { inc: 1 }, _merge_objects: true, gender: "X" };
const left = { _heddle_error: "line 1, taken in part: no gender", type: "attribute", external_id: "a", _merge_objects: true, gender: "X" };

test("a row that was taken but for a field counts once; its report holds its name and that field, until it is mended", async () => {
  const file = target.write("a.ndjson", `${JSON.stringify(row)}\n{"type":"attribute","external_id":"b","step":1}\n`);
  const report = `${file}.errors.ndjson`;
  for (const _ of [1, 2, 3]) {
    expect(await target.run(file)).toBe(1);
    expect([visits, rowsOf(report)]).toEqual([1, [left]]);
  }
  expect(target.printed()).toContain("2 objects (2 attributes, 0 events, 0 purchases)");
  expect(target.printed()).toMatch(/nothing was refused; of 1 some fields were not taken.*errors\.ndjson.*there alone/s);
  writeFileSync(report, readFileSync(report, "utf8").replace('"X"', '"F"'));
  expect(await target.run(report)).toBe(0);
  expect([visits, lastBody()]).toEqual([1, { attributes: [{ external_id: "a", _merge_objects: true, gender: "F" }] }]);
  expect(await target.run(file)).toBe(0);
  expect([visits, existsSync(report)]).toEqual([1, false]);
});

test("a row of the report that is imported as it is, is refused there and counts nothing", async () => {
  const file = target.write("a.ndjson", `${JSON.stringify({ ...row, _merge_objects: undefined })}\n`);
  await target.run(file);
  expect(await target.run(`${file}.errors.ndjson`)).toBe(1);
  const again = { _heddle_error: "line 1: no gender", type: "attribute", external_id: "a", gender: "X" };
  expect([visits, rowsOf(`${file}.errors.ndjson.errors.ndjson`)]).toEqual([1, [again]]);
});

test("a row that the file no longer has is not reported again", async () => {
  const file = target.write("a.ndjson", `${JSON.stringify(row)}\n`);
  await target.run(file);
  writeFileSync(file, '{"type":"attribute","external_id":"b","step":1}\n');
  expect(await target.run(file)).toBe(0);
  expect(existsSync(`${file}.errors.ndjson`)).toBe(false);
});

test("what was not taken of a row is reported too where the answer was lost and came with the next run", async () => {
  const file = target.write("a.ndjson", `${JSON.stringify(row)}\n`);
  const { behave } = target;
  target.behave = (sent, answer) => behave(sent, { ...answer, json: answer.drop });
  await expect(target.run(file, { deadline: 0 })).rejects.toThrow(/Gave up/);
  target.behave = behave;
  expect(await target.run(file)).toBe(1);
  expect([visits, rowsOf(`${file}.errors.ndjson`)]).toEqual([1, [left]]);
});

test("of a table the cells of what was taken are empty in the report, and constants that count are not sent again", async () => {
  const file = target.write("a.csv", 'id,order,visits,gender,city\na,7,"{""inc"":1}",X,"York, PA"\n');
  const map = ["external_id=id", "visits=visits:json", "gender=gender", "home_city=city", 'again=={"inc":1}:json', "plan==gold"];
  const options = { type: "attribute", map, rowId: "order" };
  const report = `${file}.errors.csv`;
  expect(await target.run(file, options)).toBe(1);
  expect(readFileSync(report, "utf8")).toBe('_heddle_error,id,order,visits,gender,city\n"line 2, taken in part: no gender",a,7,,X,\n');
  writeFileSync(report, readFileSync(report, "utf8").replace("X", "F"));
  expect(await target.run(report, options)).toBe(0);
  expect([visits, lastBody()]).toEqual([1, { attributes: [{ external_id: "a", gender: "F", plan: "gold" }] }]);
});

test("where the server does not name all fields that it did not take, all are reported but what would count again", async () => {
  target.behave = (_, answer) =>
    answer.json(201, {
      message: "success",
      errors: [{ type: "no gender; 1 more fields were not taken", input_array: "attributes", index: 0, field: "gender" }],
    });
  const object = { external_id: "a", gender: "X", dob: "?", visits: { inc: 1 }, orders: { $add: [{ id: 1 }] }, plan: { inc: "one" } };
  const file = target.write("a.ndjson", `${JSON.stringify({ attributes: [{ type: "kept", ...object }] })}\n`);
  await target.run(file);
  const { visits: _, orders: __, ...kept } = object;
  expect(rowsOf(`${file}.errors.ndjson`)).toMatchObject([{ attributes: [{ type: "kept", ...kept }] }]);
  expect(readFileSync(`${file}.errors.ndjson`, "utf8")).not.toContain("visits");
});

test("events of which a field was not taken are said, and not reported for mending: sent again they would count again", async () => {
  const file = target.write("a.ndjson", '{"type":"event","external_id":"a","name":"e","time":"2026-01-01"}\n');
  expect(await target.run(file)).toBe(1);
  expect(target.printed()).toContain("line 1, taken in part: too many");
  expect(existsSync(`${file}.errors.ndjson`)).toBe(false);
  expect(await target.run(file)).toBe(0);
});
