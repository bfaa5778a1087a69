/** heddle import and Ctrl-C: what comes of its rows and of the report of an earlier run. */
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTarget, type Target } from "./server.fixture.ts";

let target: Target;

beforeEach(async () => {
  target = await openTarget();
});

afterEach(() => target.close());

test("import that is interrupted again and again sends every row once, equal rows too", async () => {
  const lines = Array.from({ length: 300 }, (_, at) => `{"type":"event","external_id":"user-${at % 20}","name":"${at % 100}"}\n`);
  const file = target.write("a.ndjson", lines.join(""));
  target.behave = (sent, answer) => {
    const turn = target.requests.length % 6;
    // Before the answer, which is lost then, and after it
    if (turn === 2) target.taken.set(sent.key, sent.body);
    if (turn === 2 || turn === 4) process.emit("SIGINT");
    else target.accept(sent, answer);
    if (turn === 5) process.emit("SIGINT");
  };
  let runs = 0;
  for (let code = "1"; code !== "0"; runs += 1) {
    code = await target.run(file, { concurrency: 3, batchSize: 7 }).then(String, String);
    expect(code).toMatch(/^0$|Interrupted/);
  }
  const names = [...target.taken.values()].flatMap((body) => (body["events"] ?? []).map((event) => Number(event["name"])));
  expect(runs).toBeGreaterThan(3);
  expect(names.sort((a, b) => a - b)).toEqual(lines.map((_, at) => Math.floor(at / 3)));
});

test("import that is interrupted leaves the report of an earlier run as it was; the run that comes to its end writes it anew", async () => {
  const lines = Array.from({ length: 20 }, (_, at) => `{"type":"event","external_id":"u","name":"${at}"}\n`).join("");
  const file = target.write("a.ndjson", `${lines}no json\n`);
  expect(await target.run(file, { batchSize: 5 })).toBe(1);
  const report = readFileSync(`${file}.errors.ndjson`, "utf8");
  expect(report).toContain("no json");
  target.write("a.ndjson", `${lines.replaceAll('"u"', '"v"')}no json\nno json either\n`);
  target.behave = () => process.emit("SIGINT");
  await expect(target.run(file, { batchSize: 5 })).rejects.toThrow("Interrupted");
  expect(readFileSync(`${file}.errors.ndjson`, "utf8")).toBe(report);
  target.behave = target.accept;
  expect(await target.run(file, { batchSize: 5 })).toBe(1);
  expect(readFileSync(`${file}.errors.ndjson`, "utf8")).toContain("no json either");
});
