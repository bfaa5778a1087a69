/** heddle import against a small server of its own: batches, order, keys, retries, resumption and reports. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { importFile, type ImportOptions } from "./import.ts";

interface Sent {
  readonly key: string;
  readonly body: Readonly<Record<string, readonly Record<string, unknown>[]>>;
}

type Behaviour = (sent: Sent, answer: { json(status: number, body: unknown, headers?: Record<string, string>): void; drop(): void }) => void;

let folder = "";
let printed = "";
/** Bodies the server took, once for each key, in the order they came. */
let taken: Map<string, Sent["body"]>;
let requests: Sent[];
let behave: Behaviour;
let closeServer: () => Promise<void>;
let url = "";

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-import-"));
  printed = "";
  taken = new Map();
  requests = [];
  behave = accept;
  vi.spyOn(process.stdout, "write").mockImplementation(note);
  vi.spyOn(process.stderr, "write").mockImplementation(note);
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  closeServer = () => new Promise((resolve) => {
    server.closeAllConnections();
    server.close(() => resolve());
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await closeServer();
  rmSync(folder, { recursive: true });
});

function note(text: string | Uint8Array): boolean {
  printed += String(text);
  return true;
}

/** What Heddle does: takes each key once and repeats its answer. */
function accept(sent: Sent, answer: Parameters<Behaviour>[1]): void {
  taken.set(sent.key, sent.body);
  answer.json(201, { message: "success" });
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const sent = { key: String(request.headers["idempotency-key"]), body: JSON.parse(Buffer.concat(chunks).toString()) as Sent["body"] };
  requests.push(sent);
  behave(sent, {
    json: (status, body, headers = {}) => response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body)),
    drop: () => request.socket.destroy(),
  });
}

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function run(file: string, options: Partial<ImportOptions> = {}): Promise<number> {
  return importFile(file, { map: [], delimiter: ",", batchSize: 75, concurrency: 1, deadline: 20, env: {}, url, key: "a-key-of-the-test", ...options });
}

function events(count: number, user = "u"): string {
  return Array.from({ length: count }, (_, at) => `{"type":"event","external_id":"${user}","name":"e${at}","time":"2026-01-01"}\n`).join("");
}

function namesTaken(): unknown[] {
  return [...taken.values()].flatMap((body) => (body["events"] ?? []).map((event) => event["name"]));
}

test("import sends NDJSON in batches of 75, in order, and cleans up", async () => {
  const file = write("a.ndjson", events(200));
  expect(await run(file)).toBe(0);
  expect(requests.map((sent) => sent.body["events"]?.length)).toEqual([75, 75, 50]);
  expect(requests[0]?.body["events"]?.[0]).toEqual({ external_id: "u", name: "e0", time: "2026-01-01" });
  expect(namesTaken()).toEqual(Array.from({ length: 200 }, (_, at) => `e${at}`));
  expect(existsSync(`${file}.heddle-progress`)).toBe(false);
  expect(existsSync(`${file}.errors.ndjson`)).toBe(false);
  expect(printed).toContain("200 objects (0 attributes, 200 events, 0 purchases)");
});

test("import takes a body of /users/track as a line, and lines that end in CR LF or not at all", async () => {
  const body = { events: [{ external_id: "a", name: "x", type: "kept" }], attributes: [{ external_id: "a", type: "kept too" }] };
  const file = write("a.ndjson", `\ufeff${JSON.stringify(body)}\r\n\r\n{"type":"purchase","external_id":"a","product_id":"p"}`);
  expect(await run(file)).toBe(0);
  expect([...taken.values()]).toEqual([{ attributes: body.attributes, events: body.events, purchases: [{ external_id: "a", product_id: "p" }] }]);
});

test("import sends the same Idempotency-Key for the same lines, other ones for another run", async () => {
  const file = write("a.ndjson", events(80));
  for (const name of ["", "", "again"]) await run(file, name === "" ? {} : { run: name });
  const keys = requests.map((sent) => sent.key);
  expect(keys.slice(0, 2)).toEqual(keys.slice(2, 4));
  expect(new Set(keys).size).toBe(4);
  for (const key of keys) expect(key).toMatch(/^[\x21-\x7e]{1,255}$/);
});

test("import never lets a user's object overtake an earlier one", async () => {
  const lines = [
    { type: "event", external_id: "a", name: "1" },
    { type: "attribute", external_id: "b", step: 2 },
    { type: "attribute", external_id: "a", step: 3 },
    { type: "purchase", external_id: "a", product_id: "4" },
    { type: "attribute", email: "a@example.com", step: 5 },
  ];
  await run(write("a.ndjson", lines.map((line) => `${JSON.stringify(line)}\n`).join("")));
  const seen = requests.map(({ body }) => Object.values(body).flat().map((object) => object["step"] ?? object["name"] ?? object["product_id"]));
  expect(seen).toEqual([[2, "1"], [3, "4"], [5]]);
});

test("import waits as long as Retry-After says, and tries 429 and 503 again with the same key", async () => {
  const statuses = [429, 503];
  const times: number[] = [];
  behave = (sent, answer) => {
    times.push(performance.now());
    const status = statuses.shift();
    if (status) answer.json(status, { message: "later" }, { "retry-after": status === 429 ? "1" : "0" });
    else accept(sent, answer);
  };
  expect(await run(write("a.ndjson", events(3)))).toBe(0);
  expect(requests).toHaveLength(3);
  expect(new Set(requests.map((sent) => sent.key)).size).toBe(1);
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990);
});

test("import survives dropped connections, also one that drops after the server took the batch", async () => {
  let calls = 0;
  behave = (sent, answer) => {
    calls += 1;
    if (calls % 3 === 2) taken.set(sent.key, sent.body);
    if (calls % 3 === 0) accept(sent, answer);
    else answer.drop();
  };
  expect(await run(write("a.ndjson", events(150)))).toBe(0);
  expect(namesTaken()).toHaveLength(150);
});

test("import gives up after its deadline, and goes on where it was when it runs again", async () => {
  const file = write("a.ndjson", `${events(150)}not json\n${events(75, "v")}`);
  behave = (sent, answer) => requests.length > 1 ? answer.json(503, { message: "down" }) : accept(sent, answer);
  await expect(run(file, { deadline: 0 })).rejects.toThrow(/Gave up.*503: down.*Run the same command again/);
  expect(JSON.parse(readFileSync(`${file}.heddle-progress`, "utf8"))).toMatchObject({ taken: { events: 75 }, errors: 0 });
  behave = accept;
  expect(await run(file)).toBe(1);
  expect(namesTaken()).toHaveLength(225);
  // The first batch was settled before, so it is not sent again; the second keeps its key.
  expect(requests.filter((sent) => sent.key === requests[0]?.key)).toHaveLength(1);
  expect(requests[2]?.key).toBe(requests[1]?.key);
  expect(readFileSync(`${file}.errors.ndjson`, "utf8")).toBe(`{"line":151,"type":"line","text":"The line is not valid JSON"}\n`);
  expect(printed).toContain("225 objects");
});

test("import refuses to go on with a progress of another file", async () => {
  const file = write("a.ndjson", events(150));
  behave = (_, answer) => answer.json(503, {});
  await expect(run(file, { deadline: 0 })).rejects.toThrow(/Gave up/);
  writeFileSync(file, events(151));
  await expect(run(file)).rejects.toThrow(/belongs to an import of another file/);
});

test("import reports refused objects by their lines, counts the others, and answers with failure", async () => {
  behave = (sent, answer) => {
    taken.set(sent.key, sent.body);
    answer.json(201, {
      message: "success",
      errors: [{ type: "'name' is required", input_array: "events", index: 1 }, { type: "bad", input_array: "attributes", index: 0 }],
    });
  };
  const file = write("a.ndjson", `${events(3)}\n{"type":"attribute","external_id":"z"}\n`);
  expect(await run(file)).toBe(1);
  expect(readFileSync(`${file}.errors.ndjson`, "utf8").trim().split("\n").map((line) => JSON.parse(line) as unknown)).toEqual([
    { line: 2, type: "events", text: "'name' is required" },
    { line: 5, type: "attributes", text: "bad" },
  ]);
  expect(printed).toContain("2 objects (0 attributes, 2 events, 0 purchases)");
});

test("import reports all objects of a batch of which nothing is valid", async () => {
  behave = (_, answer) => answer.json(400, { message: "Valid data must be provided", errors: [{ type: "bad", input_array: "events", index: 0 }] });
  const file = write("a.ndjson", events(1));
  expect(await run(file)).toBe(1);
  expect(readFileSync(`${file}.errors.ndjson`, "utf8")).toBe(`{"line":1,"type":"events","text":"bad"}\n`);
});

test("import finds the one object for which a whole batch is refused", async () => {
  behave = (sent, answer) => {
    const poisoned = sent.body["events"]?.some((event) => event["name"] === "e5");
    if (poisoned) answer.json(400, { message: "The JSON is nested too deep" });
    else accept(sent, answer);
  };
  const file = write("a.ndjson", events(20));
  expect(await run(file)).toBe(1);
  expect(namesTaken()).toEqual(Array.from({ length: 20 }, (_, at) => `e${at}`).filter((name) => name !== "e5"));
  expect(readFileSync(`${file}.errors.ndjson`, "utf8")).toBe(`{"line":6,"type":"events","text":"The JSON is nested too deep"}\n`);
});

test.each([
  [401, /API key is not accepted/],
  [403, /needs the permission users.track/],
  [404, /does not answer like Heddle/],
  [422, /--run NAME/],
])("import stops at once on %i", async (status, expected) => {
  behave = (_, answer) => answer.json(status, { message: "no" });
  await expect(run(write("a.ndjson", events(300)))).rejects.toThrow(expected);
  expect(requests).toHaveLength(1);
});

test("import with several requests at once keeps the order of each user", async () => {
  const users = Array.from({ length: 20 }, (_, at) => `user-${at}`);
  const lines = Array.from({ length: 600 }, (_, at) => `{"type":"event","external_id":"${users[(at * 7) % 20]}","name":"${at}"}\n`).join("");
  expect(await run(write("a.ndjson", lines), { concurrency: 4, batchSize: 10 })).toBe(0);
  const byUser = new Map<unknown, number[]>();
  for (const body of taken.values()) {
    for (const event of body["events"] ?? []) byUser.set(event["external_id"], [...byUser.get(event["external_id"]) ?? [], Number(event["name"])]);
  }
  expect([...byUser.values()].flat()).toHaveLength(600);
  for (const order of byUser.values()) expect(order).toEqual([...order].sort((a, b) => a - b));
});

const cdnow = ["external_id=customer_id", "time=date", "product_id==cd", "currency==USD", "price=dollar_value", "quantity==1", "properties.cds=number_of_cds:int"];

test("import reads columns apart by white space, days as noon, constants and fields within objects", async () => {
  const file = write("master.txt", " customer_id  date number_of_cds  dollar_value\r\n 00001 19970101  1   11.77\r\n 00002 19970112  5   77.00\r\n");
  expect(await run(file, { delimiter: "whitespace", type: "purchase", map: cdnow })).toBe(0);
  expect([...taken.values()][0]?.["purchases"]).toEqual([
    { external_id: "00001", time: "1997-01-01T12:00:00Z", product_id: "cd", currency: "USD", price: 11.77, quantity: 1, properties: { cds: 1 } },
    { external_id: "00002", time: "1997-01-12T12:00:00Z", product_id: "cd", currency: "USD", price: 77, quantity: 1, properties: { cds: 5 } },
  ]);
});

test("import reads CSV with quotes, line ends in cells and empty cells, and names the line of a bad row", async () => {
  const file = write("a.csv", `id,"first, name",age\n1,"Ann\nB",5\n2,,x\n3,"Cy"\n4,"Di ""D""",\n`);
  expect(await run(file, { type: "attribute", map: ["external_id=id", "first_name=first, name", "age=age:int"] })).toBe(1);
  expect([...taken.values()][0]?.["attributes"]).toEqual([
    { external_id: "1", first_name: "Ann\nB", age: 5 },
    { external_id: "4", first_name: `Di "D"` },
  ]);
  const errors = readFileSync(`${file}.errors.ndjson`, "utf8").trim().split("\n").map((line) => JSON.parse(line) as { line: number; text: string });
  expect(errors.map((error) => error.line)).toEqual([4, 5]);
  expect(errors[0]?.text).toContain(`"x" in the column "age" is not a value of the type int`);
});

test("import takes the mapping from a YAML file", async () => {
  const map = write("map.yaml", "external_id: id\nproduct_id: =cd\nprice: total\n");
  expect(await run(write("a.csv", "id,total\n7,1.50\n"), { type: "purchase", map: [map] })).toBe(0);
  expect([...taken.values()][0]?.["purchases"]).toEqual([{ external_id: "7", product_id: "cd", price: 1.5 }]);
});

test.each<[string, string, Partial<ImportOptions>, RegExp]>([
  ["no type", "a.csv", { map: ["external_id=id"] }, /needs --type/],
  ["no mapping", "a.csv", { type: "event" }, /needs --map/],
  ["an unknown column", "a.csv", { type: "event", map: ["external_id=idd"] }, /no column "idd"; its first row names id, total/],
  ["a field twice", "a.csv", { type: "event", map: ["a=id", "a=total"] }, /names the field "a" twice/],
  ["a bad constant", "a.csv", { type: "purchase", map: ["price==dear"] }, /not a value of the type number/],
  ["a long delimiter", "a.csv", { type: "event", map: ["a=id"], delimiter: "||" }, /--delimiter is one character/],
  ["no key", "a.ndjson", { key: "" }, /Give an API key/],
  ["a bad address", "a.ndjson", { url: "localhost:8080" }, /--url must be an http or https address/],
])("import refuses %s", async (_, name, options, expected) => {
  await expect(run(write(name, "id,total\n7,1.50\n"), options)).rejects.toThrow(expected);
});

test("import reports lines that are no text or no object", async () => {
  const bad = Buffer.concat([Buffer.from(`[1]\n{"no":"type"}\n`), Buffer.from([0x22, 0xff, 0x22, 0x0a])]);
  const file = write("a.ndjson", bad);
  expect(await run(file)).toBe(1);
  expect(requests).toHaveLength(0);
  const errors = readFileSync(`${file}.errors.ndjson`, "utf8").trim().split("\n").map((line) => (JSON.parse(line) as { text: string }).text);
  expect(errors.map((text) => text.slice(0, 20))).toEqual(["The line is not a JS", `The line has no "typ`, "The line is not vali"]);
});
