/** heddle import against a small server of its own: batches, order, keys, retries, resumption and reports. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { openTarget, type Target } from "./server.fixture.ts";

let target: Target;

beforeEach(async () => {
  target = await openTarget();
});

afterEach(() => target.close());

function events(count: number, user = "u"): string {
  return Array.from({ length: count }, (_, at) => `{"type":"event","external_id":"${user}","name":"e${at}","time":"2026-01-01"}\n`).join(
    "",
  );
}

function refusedLines(file: string): Record<string, unknown>[] {
  const lines = readFileSync(`${file}.errors.ndjson`, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

function namesTaken(): unknown[] {
  return [...target.taken.values()].flatMap((body) => (body["events"] ?? []).map((event) => event["name"]));
}

test("import sends NDJSON in batches of 75, in order, and cleans up", async () => {
  const file = target.write("a.ndjson", events(200));
  expect(await target.run(file)).toBe(0);
  expect(target.requests.map((sent) => sent.body["events"]?.length)).toEqual([75, 75, 50]);
  expect(target.requests[0]?.body["events"]?.[0]).toEqual({ external_id: "u", name: "e0", time: "2026-01-01" });
  expect(namesTaken()).toEqual(Array.from({ length: 200 }, (_, at) => `e${at}`));
  expect(readdirSync(dirname(file)).sort()).toEqual(["a.ndjson", "a.ndjson.heddle-progress"]);
  expect(target.printed()).toContain("200 objects (0 attributes, 200 events, 0 purchases)");
});

test("import takes a body of /users/track as a line, and lines that end in CR LF or not at all", async () => {
  const body = { events: [{ external_id: "a", name: "x", type: "kept" }], attributes: [{ external_id: "a", type: "kept too" }] };
  const file = target.write("a.ndjson", `\ufeff${JSON.stringify(body)}\r\n\r\n{"type":"purchase","external_id":"a","product_id":"p"}`);
  expect(await target.run(file)).toBe(0);
  expect([...target.taken.values()]).toEqual([{
    attributes: body.attributes,
    events: body.events,
    purchases: [{ external_id: "a", product_id: "p" }],
  }]);
});

test("import sends a file once, the same keys where its memory is lost, other ones for another run", async () => {
  const file = target.write("a.ndjson", events(80));
  await target.run(file);
  await target.run(file);
  expect(target.requests).toHaveLength(2);
  rmSync(`${file}.heddle-progress`);
  await target.run(file);
  await target.run(file, { run: "again" });
  const keys = target.requests.map((sent) => sent.key);
  expect(keys.slice(0, 2)).toEqual(keys.slice(2, 4));
  expect(new Set(keys).size).toBe(4);
  for (const key of keys) expect(key).toMatch(/^[\x21-\x7e]{1,255}$/);
});

test("import has synced what it is about to send before a request goes out: a power cut of its machine forgets no request", async () => {
  const opened = new Set<DatabaseSync>();
  const { exec } = DatabaseSync.prototype;
  vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function note(this: DatabaseSync, sql) {
    opened.add(this);
    exec.call(this, sql);
  });
  const found: unknown[] = [];
  target.behave = (sent, answer) => {
    for (const database of opened) found.push(database.prepare("PRAGMA synchronous").get(), database.prepare("PRAGMA journal_mode").get());
    target.accept(sent, answer);
  };
  await target.run(target.write("a.ndjson", events(1)));
  // 2 is FULL: a commit returns once it is on the disk
  expect(found).toMatchObject([{ synchronous: 2 }, { journal_mode: "wal" }]);
});

test("import never lets a user's object overtake an earlier one", async () => {
  const lines = [
    { type: "event", external_id: "a", name: "1" },
    { type: "attribute", external_id: "b", step: 2 },
    { type: "attribute", external_id: "a", step: 3 },
    { type: "purchase", external_id: "a", product_id: "4" },
    { type: "attribute", email: "a@example.com", step: 5 },
  ];
  await target.run(target.write("a.ndjson", lines.map((line) => `${JSON.stringify(line)}\n`).join("")));
  const seen = target.requests.map(({ body }) =>
    Object.values(body).flat().map((object) => object["step"] ?? object["name"] ?? object["product_id"])
  );
  expect(seen).toEqual([[2, "1"], [3, "4"], [5]]);
});

test("import waits as long as Retry-After says, and tries 429 and 503 again with the same key", async () => {
  const statuses = [429, 503];
  const times: number[] = [];
  target.behave = (sent, answer) => {
    times.push(performance.now());
    const status = statuses.shift();
    if (status) answer.json(status, { message: "later" }, { "retry-after": status === 429 ? "1" : "0" });
    else target.accept(sent, answer);
  };
  expect(await target.run(target.write("a.ndjson", events(3)))).toBe(0);
  expect(target.requests).toHaveLength(3);
  expect(new Set(target.requests.map((sent) => sent.key)).size).toBe(1);
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990);
});

test("import survives dropped connections, also one that drops after the server took the batch", async () => {
  let calls = 0;
  target.behave = (sent, answer) => {
    calls += 1;
    if (calls % 3 === 2) target.taken.set(sent.key, sent.body);
    if (calls % 3 === 0) target.accept(sent, answer);
    else answer.drop();
  };
  expect(await target.run(target.write("a.ndjson", events(150)))).toBe(0);
  expect(namesTaken()).toHaveLength(150);
});

test("import gives up after its deadline, and goes on where it was when it runs again", async () => {
  const file = target.write("a.ndjson", `${events(150)}not json\n${events(75, "v")}`);
  target.behave = (sent, answer) => target.requests.length > 1 ? answer.json(503, { message: "down" }) : target.accept(sent, answer);
  await expect(target.run(file, { deadline: 0 })).rejects.toThrow(/Gave up.*503: down.*Run the same command again/);
  expect(namesTaken()).toHaveLength(75);
  target.behave = target.accept;
  expect(await target.run(file)).toBe(1);
  expect(namesTaken()).toHaveLength(225);
  // The first batch was settled before, so it is not sent again; the second keeps its key.
  expect(target.requests.filter((sent) => sent.key === target.requests[0]?.key)).toHaveLength(1);
  expect(target.requests[2]?.key).toBe(target.requests[1]?.key);
  expect(refusedLines(file)).toEqual([{ _heddle_error: "line 151: The line is not valid JSON", _heddle_text: "not json" }]);
  expect(target.printed()).toContain("225 objects");
});

test("import reports a line once, however often it begins anew", async () => {
  const file = target.write("a.ndjson", `not json\n${events(150)}`);
  target.behave = (sent, answer) => target.requests.length > 1 ? answer.json(503, {}) : target.accept(sent, answer);
  for (const _ of [1, 2]) await expect(target.run(file, { deadline: 0 })).rejects.toThrow(/Gave up/);
  target.behave = target.accept;
  expect(await target.run(file)).toBe(1);
  expect(refusedLines(file)).toHaveLength(1);
});

test("import of a file removes the report of an earlier import of it", async () => {
  const file = target.write("a.ndjson", events(1));
  writeFileSync(`${file}.errors.ndjson`, "{}\n");
  expect(await target.run(file)).toBe(0);
  expect(existsSync(`${file}.errors.ndjson`)).toBe(false);
});

test("import does not write over a report that somebody mends", async () => {
  const file = target.write("a.ndjson", "not json\n");
  expect(await target.run(file)).toBe(1);
  writeFileSync(`${file}.errors.ndjson`, events(1));
  await expect(target.run(file)).rejects.toThrow(/was changed since it was written: import it/);
  expect(readFileSync(`${file}.errors.ndjson`, "utf8")).toBe(events(1));
});

test("import refuses a memory that an earlier version left", async () => {
  const file = target.write("a.ndjson", events(1));
  writeFileSync(`${file}.heddle-progress`, JSON.stringify({ version: 1, done: [null] }));
  await expect(target.run(file)).rejects.toThrow(/not the memory of an import of this version.*delete/);
});

test("import refuses to go on at another server, which has nothing of the file", async () => {
  const file = target.write("a.ndjson", events(150));
  target.behave = (sent, answer) => target.requests.length > 1 ? answer.json(503, {}) : target.accept(sent, answer);
  await expect(target.run(file, { deadline: 0 })).rejects.toThrow(/Gave up/);
  const sent = target.requests.length;
  target.behave = target.accept;
  const elsewhere = target.url.replace("127.0.0.1", "localhost");
  await expect(target.run(file, { url: elsewhere })).rejects.toThrow(`belongs to an import to ${target.url}`);
  expect(target.requests).toHaveLength(sent);
});

test("import to an address where nothing listens leaves the file to the right one, given up or interrupted", async () => {
  const file = target.write("a.ndjson", events(1));
  const nobody = await serverOnce();
  nobody.close();
  await expect(target.run(file, { url: nobody.url, deadline: 0 })).rejects.toThrow(/Gave up.*ECONNREFUSED/);
  const ended = target.run(file, { url: nobody.url, deadline: 600 }).catch(String);
  await vi.waitFor(() => expect(target.printed()).toContain("Waiting"), { timeout: 10_000 });
  process.emit("SIGINT");
  expect(await ended).toContain("Interrupted");
  expect(await target.run(file)).toBe(0);
  expect(namesTaken()).toHaveLength(1);
});

test("import keeps what may have arrived for its server, also where nothing listens there any more", async () => {
  const file = target.write("a.ndjson", events(1));
  const { url } = await serverOnce();
  await expect(target.run(file, { url, deadline: 1 })).rejects.toThrow(/Gave up.*ECONNREFUSED/);
  await expect(target.run(file)).rejects.toThrow(`belongs to an import to ${url}`);
});

/** Drops its first request, and does not listen from then on. */
async function serverOnce(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((socket) => {
    server.close();
    socket.on("error", () => {}).once("data", () => socket.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

test("import reports refused objects by their lines, counts the others, and answers with failure", async () => {
  target.behave = (sent, answer) => {
    target.taken.set(sent.key, sent.body);
    answer.json(201, {
      message: "success",
      errors: [{ type: "'name' is required", input_array: "events", index: 1 }, { type: "bad", input_array: "attributes", index: 0 }],
    });
  };
  const file = target.write("a.ndjson", `${events(3)}\n{"type":"attribute","external_id":"z"}\n`);
  expect(await target.run(file)).toBe(1);
  expect(refusedLines(file)).toEqual([
    { _heddle_error: "line 2: 'name' is required", type: "event", external_id: "u", name: "e1", time: "2026-01-01" },
    { _heddle_error: "line 5: bad", type: "attribute", external_id: "z" },
  ]);
  expect(target.printed()).toContain("2 objects (0 attributes, 2 events, 0 purchases)");
});

test("import reports all objects of a batch of which nothing is valid", async () => {
  target.behave = (_, answer) =>
    answer.json(400, { message: "Valid data must be provided", errors: [{ type: "bad", input_array: "events", index: 0 }] });
  const file = target.write("a.ndjson", events(1));
  expect(await target.run(file)).toBe(1);
  expect(refusedLines(file)).toMatchObject([{ _heddle_error: "line 1: bad" }]);
});

test("import finds the one object for which a whole batch is refused", async () => {
  target.behave = (sent, answer) => {
    const isRefused = sent.body["events"]?.some((event) => event["name"] === "e5");
    if (isRefused) answer.json(400, { message: "The JSON is nested too deep" });
    else target.accept(sent, answer);
  };
  const file = target.write("a.ndjson", events(20));
  expect(await target.run(file)).toBe(1);
  expect(namesTaken()).toEqual(Array.from({ length: 20 }, (_, at) => `e${at}`).filter((name) => name !== "e5"));
  expect(refusedLines(file)).toMatchObject([{ _heddle_error: "line 6: The JSON is nested too deep", name: "e5" }]);
});

test.each([
  [401, /API key is not accepted/],
  [403, /needs the permission users.track/],
  [404, /does not answer like Heddle/],
  [422, /\.heddle-progress.*--run NAME/],
])("import stops at once on %i, and as nothing was taken the file may go to another server", async (status, expected) => {
  const file = target.write("a.ndjson", events(300));
  target.behave = (_, answer) => answer.json(status, { message: "no" });
  await expect(target.run(file)).rejects.toThrow(expected);
  expect(target.requests).toHaveLength(1);
  target.behave = target.accept;
  expect(await target.run(file, { url: target.url.replace("127.0.0.1", "localhost") })).toBe(0);
});

test("import with several requests at once keeps the order of each user", async () => {
  const users = Array.from({ length: 20 }, (_, at) => `user-${at}`);
  const lines = Array.from({ length: 600 }, (_, at) => `{"type":"event","external_id":"${users[(at * 7) % 20]}","name":"${at}"}\n`).join(
    "",
  );
  expect(await target.run(target.write("a.ndjson", lines), { concurrency: 4, batchSize: 10 })).toBe(0);
  const byUser = new Map<unknown, number[]>();
  for (const body of target.taken.values()) {
    for (const event of body["events"] ?? []) {
      byUser.set(event["external_id"], [...byUser.get(event["external_id"]) ?? [], Number(event["name"])]);
    }
  }
  expect([...byUser.values()].flat()).toHaveLength(600);
  for (const order of byUser.values()) expect(order).toEqual([...order].sort((a, b) => a - b));
});

test("import that is interrupted again and again sends every object once, in each user's order", async () => {
  const lines = Array.from({ length: 400 }, (_, at) => `{"type":"event","external_id":"user-${(at * 7) % 20}","name":"${at}"}\n`);
  const file = target.write("a.ndjson", lines.join(""));
  target.behave = (sent, answer) => {
    const turn = target.requests.length % 5;
    // Sometimes the answer is lost after the batch was taken: only its key shows that it is a repeat.
    if (turn === 3) target.taken.set(sent.key, sent.body);
    if (turn === 3 || turn === 4) answer.json(503, { message: "down" });
    else target.accept(sent, answer);
  };
  let runs = 0;
  for (let code = 1; code !== 0; runs += 1) code = await target.run(file, { concurrency: 3, batchSize: 7, deadline: 0 }).catch(() => 1);
  const events = [...target.taken.values()].flatMap((body) => body["events"] ?? []);
  expect(runs).toBeGreaterThan(3);
  expect(events.map((event) => Number(event["name"])).sort((a, b) => a - b)).toEqual(lines.map((_, at) => at));
  const orders = Map.groupBy(events, (event) => event["external_id"]);
  for (const order of orders.values()) {
    const names = order.map((event) => Number(event["name"]));
    expect(names).toEqual([...names].sort((a, b) => a - b));
  }
});

test("import sends nothing of an object with a number beyond the doubles, which would take its attribute away, and reports it as it is", async () => {
  const single = '{"type":"attribute","external_id":"a","score":1e400}';
  const within = '{"attributes":[{"external_id":"b","step":1},{"external_id":"c","deep":{"list":[-1e400]}}]}';
  const file = target.write("a.ndjson", `${single}\n${within}\n`);
  expect(await target.run(file)).toBe(1);
  expect([...target.taken.values()]).toEqual([{ attributes: [{ external_id: "b", step: 1 }] }]);
  const report = readFileSync(`${file}.errors.ndjson`, "utf8");
  for (const ending of [".errors.ndjson", ".heddle-progress"]) expect(statSync(`${file}${ending}`).mode & 0o777).toBe(0o600);
  expect(report).toBe(
    `{"_heddle_error":"line 1: A number is too large (in 'score')","type":"attribute","external_id":"a","score":1e400}\n` +
      `{"_heddle_error":"line 2: A number is too large (in 'deep')","attributes":[{"external_id":"c","deep":{"list":[-1e999]}}]}\n`,
  );
  expect(await target.run(`${file}.errors.ndjson`)).toBe(1);
  expect(readFileSync(`${file}.errors.ndjson.errors.ndjson`, "utf8").split("\n")[0]).toBe(report.split("\n")[0]?.replace("1e400", "1e999"));
  expect(target.requests).toHaveLength(1);
});

test("import reports lines that are no text or no object", async () => {
  const bad = Buffer.concat([Buffer.from(`[1]\n{"no":"type"}\n`), Buffer.from([0x22, 0xff, 0x22, 0x0a])]);
  const file = target.write("a.ndjson", bad);
  expect(await target.run(file)).toBe(1);
  expect(target.requests).toHaveLength(0);
  const errors = refusedLines(file).map((line) => String(line["_heddle_error"]));
  expect(errors.map((text) => text.slice(0, 28))).toEqual([
    "line 1: The line is not a JS",
    `line 2: The line has no "typ`,
    "line 3: The line is not vali",
  ]);
});
