/** heddle import of tables: CSV, columns apart by white space, and mappings. */
import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";

import { openTarget, type Target } from "./server.fixture.ts";
import type { ImportOptions } from "./import.ts";

let target: Target;

beforeEach(async () => {
  target = await openTarget();
});

afterEach(() => target.close());

const cdnow = [
  "external_id=customer_id",
  "time=date",
  "product_id==cd",
  "currency==USD",
  "price=dollar_value",
  "quantity==1",
  "properties.cds=number_of_cds:int",
];

test("import reads columns apart by white space, days as noon, constants and fields within objects", async () => {
  const file = target.write(
    "master.txt",
    " customer_id  date number_of_cds  dollar_value\r\n 00001 19970101  1   11.77\r\n 00002 19970112  5   77.00\r\n",
  );
  expect(await target.run(file, { delimiter: "whitespace", type: "purchase", map: cdnow })).toBe(0);
  expect([...target.taken.values()][0]?.["purchases"]).toEqual([
    {
      external_id: "00001",
      time: "1997-01-01T12:00:00Z",
      product_id: "cd",
      currency: "USD",
      price: 11.77,
      quantity: 1,
      properties: { cds: 1 },
    },
    {
      external_id: "00002",
      time: "1997-01-12T12:00:00Z",
      product_id: "cd",
      currency: "USD",
      price: 77,
      quantity: 1,
      properties: { cds: 5 },
    },
  ]);
});

test.each(["number", "int", "json"])("import takes no cell of the type %s beyond the doubles", async (type) => {
  const huge = type === "json" ? "[1e400]" : type === "int" ? "9".repeat(400) : "-1e400";
  const file = target.write("a.csv", `id,score\na,${huge}\n`);
  expect(await target.run(file, { type: "attribute", map: ["external_id=id", `score=score:${type}`] })).toBe(1);
  expect(target.requests).toEqual([]);
  expect(readFileSync(`${file}.errors.csv`, "utf8")).toContain(`is not a value of the type ${type}`);
});

test("import reads CSV with quotes, line ends in cells and empty cells, and names the line of a bad row", async () => {
  const file = target.write("a.csv", `id,"first, name",age\n1,"Ann\nB",5\n2,,x\n3,"Cy"\n4,"Di ""D""",\n`);
  expect(await target.run(file, { type: "attribute", map: ["external_id=id", "first_name=first, name", "age=age:int"] })).toBe(1);
  expect([...target.taken.values()][0]?.["attributes"]).toEqual([
    { external_id: "1", first_name: "Ann\nB", age: 5 },
    { external_id: "4", first_name: `Di "D"` },
  ]);
  expect(readFileSync(`${file}.errors.csv`, "utf8").split("\n")).toEqual([
    `_heddle_error,id,"first, name",age`,
    `"line 4: ""x"" in the column ""age"" is not a value of the type int",2,,x`,
    `"line 5: The row has 2 columns, the first row names 3",3,Cy`,
    "",
  ]);
});

test("import takes the mapping from a YAML file", async () => {
  const map = target.write("map.yaml", "external_id: id\nproduct_id: =cd\nprice: total\n");
  expect(await target.run(target.write("a.csv", "id,total\n7,1.50\n"), { type: "purchase", map: [map] })).toBe(0);
  expect([...target.taken.values()][0]?.["purchases"]).toEqual([{ external_id: "7", product_id: "cd", price: 1.5 }]);
});

test.each<[string, string, Partial<ImportOptions>, RegExp]>([
  ["no type", "a.csv", { map: ["external_id=id"] }, /needs --type/],
  ["no mapping", "a.csv", { type: "event" }, /No column says whom a row is about.*--map external_id=id/],
  ["an unknown column", "a.csv", { type: "event", map: ["external_id=idd"] }, /no column "idd"; its first row names id, total/],
  ["a field twice", "a.csv", { type: "event", map: ["a=id", "a=total"] }, /names the field "a" twice/],
  ["a bad constant", "a.csv", { type: "purchase", map: ["price==dear"] }, /not a value of the type number/],
  ["a long delimiter", "a.csv", { type: "event", map: ["a=id"], delimiter: "||" }, /--delimiter is one character/],
  ["no key", "a.ndjson", { key: "" }, /Give an API key/],
  ["a bad address", "a.ndjson", { url: "localhost:8080" }, /--url must be an http or https address/],
])("import refuses %s", async (_, name, options, expected) => {
  await expect(target.run(target.write(name, "id,total\n7,1.50\n"), options)).rejects.toThrow(expected);
});

test("import maps columns that are called as fields, and names those that become nothing", async () => {
  const file = target.write(
    "a.csv",
    "external_id,email,time,price,quantity,properties.size,currency,product_id,note\n7,a@example.com,20260102,1.50,2,XL,EUR,p,x\n",
  );
  expect(await target.run(file, { type: "purchase" })).toBe(0);
  expect([...target.taken.values()][0]?.["purchases"]).toEqual([{
    external_id: "7",
    time: "2026-01-02T12:00:00Z",
    price: 1.5,
    quantity: 2,
    properties: { size: "XL" },
    currency: "EUR",
    product_id: "p",
  }]);
  expect(target.printed()).toContain("Columns that become nothing: email, note (--map email=email sends one)");
});

test("import of a mended report has the columns and the delimiter of the report", async () => {
  const options = { type: "attribute", map: ["external_id=id", "age=age:int"], delimiter: "whitespace" };
  const file = target.write("a.txt", "id age\n1 5\n2 x\n");
  expect(await target.run(file, options)).toBe(1);
  writeFileSync(`${file}.errors.csv`, readFileSync(`${file}.errors.csv`, "utf8").replace(",x", ",6"));
  expect(await target.run(`${file}.errors.csv`, options)).toBe(0);
  expect([...target.taken.values()].flatMap((body) => body["attributes"])).toEqual([
    { external_id: "1", age: 5 },
    { external_id: "2", age: 6 },
  ]);
});
