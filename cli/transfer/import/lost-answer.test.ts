/** heddle import where an answer was lost: of what may have been taken nothing is sent as something new. */
import { afterEach, beforeEach, expect, test } from "vitest";

import { openTarget, type Target } from "./server.fixture.ts";

let target: Target;

beforeEach(async () => {
  target = await openTarget();
});

afterEach(() => target.close());

function events(count: number): string {
  return Array.from({ length: count }, (_, at) => `{"type":"event","external_id":"u","name":"e${at}","time":"2026-01-01"}\n`).join("");
}

function namesTaken(): unknown[] {
  return [...target.taken.values()].flatMap((body) => (body["events"] ?? []).map((event) => event["name"]));
}

test.each([[401, "no"], [403, "no"], [404, "no such page"], [422, "no"], [400, "too many"], [413, "too large"]])(
  "import that gets a %i after an answer was lost sends that batch again as it was, and nothing twice",
  async (status, message) => {
    const file = target.write("a.ndjson", events(225));
    target.behave = (sent, answer) => {
      const nth = target.requests.length;
      if (nth === 1) return target.accept(sent, answer);
      if (nth > 2) return answer.json(status, { message });
      target.taken.set(sent.key, sent.body);
      answer.drop();
    };
    await expect(target.run(file)).rejects.toThrow(message);
    expect(target.requests).toHaveLength(3);
    target.behave = target.accept;
    expect(await target.run(file)).toBe(0);
    expect(namesTaken()).toEqual(Array.from({ length: 225 }, (_, at) => `e${at}`));
  },
);

test("import with another API key sends nothing of a request that the key of before may have done, and goes on with that key", async () => {
  const file = target.write("a.ndjson", events(150));
  target.behave = (sent, answer) => {
    if (target.requests.length === 1) return target.accept(sent, answer);
    target.taken.set(sent.key, sent.body);
    answer.drop();
  };
  await expect(target.run(file, { deadline: 0 })).rejects.toThrow(/Gave up/);
  target.behave = target.accept;
  await expect(target.run(file, { key: "another-key" })).rejects.toThrow(/lines 76 to 150.*another API key.*with the key of before/);
  expect(target.requests).toHaveLength(2);
  expect(await target.run(file)).toBe(0);
  expect(target.requests).toHaveLength(3);
  expect(namesTaken()).toHaveLength(150);
});

test("import with another API key says that it sent nothing where all was taken before", async () => {
  const file = target.write("a.ndjson", events(2));
  expect(await target.run(file)).toBe(0);
  expect(await target.run(file)).toBe(0);
  expect(target.printed()).not.toContain("Nothing was sent");
  expect(await target.run(file, { key: "another-key" })).toBe(0);
  expect(target.printed()).toContain(`Nothing was sent: all rows were taken before by ${target.url}, with another API key`);
  expect(target.requests).toHaveLength(1);
});

test("import over a slow link says so, and goes on in smaller requests; of one row it tells that it gave up", async () => {
  const file = target.write("a.ndjson", events(4));
  target.behave = (sent, answer) => {
    if ((sent.body["events"] ?? []).length > 1) answer.json(408, { message: "too slow" });
    else target.accept(sent, answer);
  };
  await expect(target.run(file)).rejects.toThrow(/408.*--batch-size/);
  expect(await target.run(file, { batchSize: 1 })).toBe(0);
  expect(namesTaken()).toEqual(["e0", "e1", "e2", "e3"]);
  target.behave = (_, answer) => answer.json(408, { message: "too slow" });
  await expect(target.run(target.write("b.ndjson", events(1)), { deadline: 0 })).rejects.toThrow(/Gave up.*408: too slow/);
});

test("import sends a request whose answer an earlier run did not get as it was, also where it does not arrive in time", async () => {
  const file = target.write("a.ndjson", events(4));
  target.behave = (sent, answer) => {
    target.taken.set(sent.key, sent.body);
    answer.drop();
  };
  await expect(target.run(file, { deadline: 0 })).rejects.toThrow(/Gave up/);
  target.behave = (_, answer) => answer.json(408, { message: "too slow" });
  await expect(target.run(file, { deadline: 0 })).rejects.toThrow(/Gave up.*408: too slow/);
  target.behave = target.accept;
  expect(await target.run(file)).toBe(0);
  expect(namesTaken()).toEqual(["e0", "e1", "e2", "e3"]);
});

test("import says what was taken in part also where the answer comes with the next run", async () => {
  const file = target.write("a.ndjson", events(1));
  target.behave = (_, answer) => answer.json(503, { message: "down" });
  await expect(target.run(file, { deadline: 0 })).rejects.toThrow(/Gave up/);
  target.behave = (_, answer) =>
    answer.json(201, {
      message: "success",
      errors: [{ type: "'properties' is too large", input_array: "events", index: 0, field: "properties" }],
    });
  expect(await target.run(file)).toBe(1);
  expect(target.requests).toHaveLength(2);
  expect(target.printed()).toContain("'properties' is too large");
  expect(target.printed()).toContain("of 1 some fields were not taken");
});

test("import that fails remembers the requests that are under way then", async () => {
  const lines = Array.from({ length: 10 }, (_, at) => `{"type":"event","external_id":"u${at}","name":"e${at}"}\n`);
  const file = target.write("a.ndjson", lines.join(""));
  let fail = (): void => {};
  target.behave = (sent, answer) => {
    if (target.requests.length === 1) {
      fail = () => answer.json(404, { message: "no" });
    } else {
      fail();
      setTimeout(() => target.accept(sent, answer), 100);
    }
  };
  await expect(target.run(file, { concurrency: 2, batchSize: 1 })).rejects.toThrow(/404/);
  const before = target.requests.slice(1).map(({ key }) => key);
  expect(before).toHaveLength(1);
  target.behave = target.accept;
  expect(await target.run(file, { concurrency: 2, batchSize: 1 })).toBe(0);
  const again = target.requests.slice(1 + before.length).map(({ key }) => key);
  expect(again.filter((key) => before.includes(key))).toEqual([]);
});
