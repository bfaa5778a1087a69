/** heddle import against a server: each row counts once, however a file is mended, edited or interrupted. */
import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runCommand } from "../command-line.ts";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";

const suite = heddleSuite();
const folder = mkdtempSync(join(tmpdir(), "heddle-import-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const csv = ["--type", "purchase"];

async function importFile(file: string, more: readonly string[] = []): Promise<{ code: number | null; text: string }> {
  const { url, key } = suite.heddle;
  const { code, output, errors } = await runCommand(["import", file, "--quiet", "--url", url, "--key", key, ...more]);
  return { code, text: `${errors}${output}` };
}

function write(name: string, text: string): string {
  const file = join(folder, `${fresh("")}-${name}`);
  writeFileSync(file, text);
  return file;
}

const kinds = {
  ndjson: {
    options: [],
    good: (id: string, product: string, price = 10) =>
      `${JSON.stringify({ type: "purchase", external_id: id, product_id: product, currency: "USD", price, time: "2026-01-01" })}\n`,
    head: "",
    bad: (line: string) => line.replace('"USD"', '"NONE"'),
    mend: (text: string) => text.replaceAll('"NONE"', '"USD"'),
  },
  csv: {
    options: csv,
    good: (id: string, product: string, price = 10) => `${id},${product},USD,${price},2026-01-01\n`,
    head: "external_id,product_id,currency,price,time\n",
    bad: (line: string) => line.replace("USD", "NONE"),
    mend: (text: string) => text.replaceAll("NONE", "USD"),
  },
};

/** What the user was charged, all products together. */
async function spent(id: string): Promise<unknown> {
  return (await suite.find({ external_ids: [id] }))[0]?.total_revenue ?? 0;
}

for (const [name, { options, good, head, bad, mend }] of Object.entries(kinds)) {
  test(`heddle import, ${name}: two purchases, one refused; mended in the file and sent again each counts once`, async () => {
    const id = fresh();
    const file = write(`a.${name}`, `${head}${good(id, "p", 5)}${bad(good(id, "q", 5))}`);
    const first = await importFile(file, options);
    expect([first.code, await spent(id)], first.text).toEqual([1, 5]);
    expect(first.text).toMatch(/line \d: .*currency/i);
    writeFileSync(file, mend(readFileSync(file, "utf8")));
    const second = await importFile(file, options);
    expect([second.code, await spent(id)], second.text).toEqual([0, 10]);
    expect((await importFile(file, options)).text).toContain("2 of them taken before");
    expect(await spent(id)).toBe(10);
  });

  test(`heddle import, ${name}: the report holds the rows; mended and sent by itself they count once, also when the file is mended too`, async () => {
    const id = fresh();
    // The mended row is equal to one that was taken: it is one more
    const file = write(`a.${name}`, `${head}${good(id, "p", 5)}${bad(good(id, "p", 5))}`);
    expect((await importFile(file, options)).code).toBe(1);
    const report = `${file}.errors.${name}`;
    writeFileSync(report, mend(readFileSync(report, "utf8")));
    for (const _ of [1, 2]) {
      const sent = await importFile(report, options);
      expect([sent.code, await spent(id)], sent.text).toEqual([0, 10]);
    }
    writeFileSync(file, mend(readFileSync(file, "utf8")));
    expect((await importFile(file, options)).code).toBe(0);
    expect(await spent(id)).toBe(10);
  });

  test(`heddle import, ${name}: of a file that is edited in its middle and grows, only what is new counts`, async () => {
    const ids = Array.from({ length: 200 }, () => fresh());
    const [changed = "", grown] = [ids[100], fresh()];
    const file = write(`a.${name}`, `${head}${ids.map((id) => good(id, "p")).join("")}`);
    expect((await importFile(file, options)).code).toBe(0);
    writeFileSync(file, readFileSync(file, "utf8").replace(good(changed, "p"), good(changed, "p", 20)));
    appendFileSync(file, good(grown, "p") + good(grown, "p"));
    const again = await importFile(file, [...options, "--batch-size", "60", "--concurrency", "3"]);
    expect(again.code, again.text).toBe(0);
    expect(again.text).toContain("199 of them taken before");
    expect([await spent(changed), await spent(grown), await spent(ids[99] ?? ""), await spent(ids[101] ?? "")]).toEqual([30, 20, 10, 10]);
  });
}

test("heddle import: a user who was taken but for a field counts once, again and with the field mended in the report", async () => {
  const id = fresh();
  const row = { type: "attribute", external_id: id, visits: { inc: 1 }, orders: { $add: [{ id: 1 }] }, gender: "X" };
  const file = write("a.ndjson", `${JSON.stringify(row)}\n`);
  for (const _ of [1, 2]) expect((await importFile(file)).code).toBe(1);
  const report = `${file}.errors.ndjson`;
  writeFileSync(report, readFileSync(report, "utf8").replace('"X"', '"F"'));
  const mended = await importFile(report);
  expect(mended.code, mended.text).toBe(0);
  expect((await importFile(file)).code).toBe(0);
  expect(await suite.user(id)).toMatchObject({ gender: "F", custom_attributes: { visits: 1, orders: [{ id: 1 }] } });
});

test("heddle import: of a file without its memory that looks the same, a changed middle is refused with what to do", async () => {
  const ids = Array.from({ length: 100 }, () => fresh());
  const [head, note] = [kinds.csv.head.replace("\n", ",note\n"), "x".repeat(30_000)];
  const row = (id: string, price: number) => kinds.csv.good(id, "p", price).replace("\n", `,${note}\n`);
  const file = write("a.csv", `${head}${ids.map((id) => row(id, 10)).join("")}`);
  const first = await importFile(file, csv);
  expect(first.code, first.text).toBe(0);
  rmSync(`${file}.heddle-progress`);
  writeFileSync(file, readFileSync(file, "utf8").replace(row(ids[50] ?? "", 10), row(ids[50] ?? "", 99)));
  const again = await importFile(file, csv);
  expect(again.code).toBe(1);
  expect(again.text).toMatch(/heddle-progress.*is not beside it.*Put it back.*--run NAME/);
  expect(await spent(ids[49] ?? "")).toBe(10);
});

test("heddle import --row-id: rows are told apart by a column, whatever else they hold", async () => {
  const id = fresh();
  const file = write("a.csv", `order,${kinds.csv.head}1,${kinds.csv.good(id, "p", 5)}2,${kinds.csv.good(id, "p", 5)}`);
  expect((await importFile(file, [...csv, "--row-id", "order"])).code).toBe(0);
  writeFileSync(file, readFileSync(file, "utf8").replace("p,USD,5", "renamed,USD,5"));
  expect((await importFile(file, [...csv, "--row-id", "order"])).text).toContain("2 of them taken before");
  expect(await spent(id)).toBe(10);
});

test("heddle import --dry-run says what would be refused, and sends and writes nothing", async () => {
  const id = fresh();
  const file = write("a.csv", `${kinds.csv.head}${kinds.csv.good(id, "p")}${kinds.csv.bad(kinds.csv.good(id, "p"))}`);
  const { code, output, errors } = await runCommand(["import", file, ...csv, "--dry-run", "--url", suite.heddle.url]);
  expect([code, output]).toEqual([
    1,
    expect.stringContaining("1 objects would be sent (0 attributes, 0 events, 1 purchases), 1 would be refused"),
  ]);
  expect(errors).toMatch(/line 3: .*currency/i);
  expect(await suite.find({ external_ids: [id] })).toEqual([]);
  expect((await importFile(file, csv)).text).not.toContain("taken before");
});

test("heddle import reads what heddle export writes, and names what it cannot carry", async () => {
  const [id, email, alias] = [fresh(), freshEmail(), fresh("alias")];
  const custom = { plan: "gold", tags: ["a", "b"], nested: { deep: 1 } };
  await suite.track({
    attributes: [{ external_id: id, email, first_name: "Ann", current_location: { longitude: 1.5, latitude: 2.5 }, ...custom }],
    events: [{ external_id: id, name: "e", time: "2026-01-01" }],
    purchases: [{ external_id: id, product_id: "p", currency: "USD", price: 3, time: "2026-01-01" }],
  });
  await suite.accept("/users/alias/new", { user_aliases: [{ external_id: id, alias_label: "l", alias_name: alias }] });
  const before = await suite.user(id);
  const ids = write("ids", id);
  const { url, key } = suite.heddle;
  const file = write("users.ndjson", (await runCommand(["export", "--ids", ids, "--url", url, "--key", key])).output);
  await suite.accept("/users/delete", { external_ids: [id] });
  const { code, text } = await importFile(file);
  expect(code, text).toBe(0);
  for (const name of ["custom_events (1 user)", "purchases (1 user)", "total_revenue (1 user)"]) expect(text).toContain(name);
  const { custom_attributes, first_name, email: address, last_coordinates, custom_events, purchases } = await suite.user(id);
  expect({ custom_attributes, first_name, email: address, last_coordinates }).toEqual({
    custom_attributes: before.custom_attributes,
    first_name: before.first_name,
    email: before.email,
    last_coordinates: before.last_coordinates,
  });
  expect(custom_attributes).toMatchObject(custom);
  expect([custom_events, purchases]).toEqual([undefined, undefined]);
});

test("heddle import: a copy of the file with its memory goes on elsewhere", async () => {
  const id = fresh();
  const file = write("a.csv", `${kinds.csv.head}${kinds.csv.good(id, "p")}`);
  await importFile(file, csv);
  const copy = write("b.csv", readFileSync(file, "utf8"));
  copyFileSync(`${file}.heddle-progress`, `${copy}.heddle-progress`);
  appendFileSync(copy, kinds.csv.good(id, "q"));
  expect((await importFile(copy, csv)).code).toBe(0);
  expect(await spent(id)).toBe(20);
});
