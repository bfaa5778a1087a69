/** What the bench sends, and that it notices an object that is there twice or not at all. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { bodyKinds, bodyOf, picked } from "./bench/bodies.ts";
import { loadsOf } from "./bench/loads.ts";
import { RowsOfLoad } from "./bench/mesh-work.ts";
import { Tally } from "./bench/tally.ts";

const choice = { users: 100 };

test("each combination that is asked for is a load, and what there is not is refused", () => {
  const all = loadsOf({ ...choice, body: "events,purchases", objects: "1,75", connections: "1,128", picks: "zipf,hot" });
  expect(new Set(all.map(({ name }) => name)).size).toBe(16);
  expect(loadsOf({ ...choice, objects: "25" }).map(({ name }) => name)).toEqual(["mixed, 25 a request, 32 connections, zipf"]);
  expect(loadsOf(choice).map(({ objects, connections }) => [objects, connections])).toEqual([[75, 16], [1, 32], [1, 1], [75, 1]]);
  expect(() => loadsOf({ ...choice, body: "clicks" })).toThrow(`--body is of events, attributes, purchases, mixed, not "clicks"`);
  expect(() => loadsOf({ ...choice, connections: "129" })).toThrow(`--connections is from 1 to 128, not "129"`);
});

test("a body has as many objects as were asked for, about those who were picked", () => {
  for (const kind of bodyKinds) {
    for (const objects of [1, 25, 75]) {
      const body = JSON.parse(bodyOf(kind, 3, { objects, pick: (n) => `u${n}` }).toString()) as Record<string, { external_id: string }[]>;
      const ids = Object.values(body).flat().map(({ external_id }) => external_id);
      expect(ids, kind).toEqual(Array.from({ length: objects }, (_, i) => `u${3 * objects + i}`));
    }
  }
});

test("Zipf names few users often and reaches them all, new users are never named again, in no load", () => {
  const counts = new Map<string, number>();
  const pick = picked("zipf", 100, "1");
  for (let n = 0; n < 20_000; n += 1) counts.set(pick(n), (counts.get(pick(n)) ?? 0) + 1);
  const sorted = [...counts.values()].toSorted((one, other) => other - one);
  expect(sorted.length).toBeGreaterThan(90);
  expect((sorted[0] ?? 0) / (sorted[49] ?? 1)).toBeGreaterThan(20);
  const fresh = ["1", "2"].flatMap((run) => Array.from({ length: 500 }, (_, n) => picked("new", 100, run)(n)));
  expect(new Set(fresh).size).toBe(1_000);
});

test("one object too many or too few is noticed, with its user", async () => {
  const tally = new Tally();
  tally.add(bodyOf("events", 0, { objects: 3, pick: () => "ann" }));
  tally.add(bodyOf("attributes", 0, { objects: 2, pick: (n) => ["ann", "bob"][n] ?? "" }));
  tally.add(bodyOf("purchases", 0, { objects: 1, pick: () => "eve" }));
  const bob = { external_id: "bob", custom_attributes: { visits: 1 } };
  const users = [{ external_id: "ann", custom_events: [{ count: 2 }, { count: 1 }], custom_attributes: { visits: 1 } }, bob];
  async function found(eve: readonly object[]): Promise<object> {
    return await tally.check(await exporting([...users, ...eve]), "key");
  }
  expect(await found([{ external_id: "eve", purchases: [{ count: 1 }] }])).toEqual({ isRight: true, text: "all" });
  const twice = { isRight: false, text: "NOT: eve was sent 1 and has 2" };
  expect(await found([{ external_id: "eve", purchases: [{ count: 2 }] }])).toEqual(twice);
  expect(await found([])).toEqual({ isRight: false, text: "NOT: eve was sent 1 and has 0" });
});

test("where an answer does not say whether the request was taken, what is there proves nothing", async () => {
  const tally = new Tally();
  const { make, onAnswer } = tally.counting(
    () => ({ path: "/", headers: {}, body: bodyOf("events", 0, { objects: 1, pick: () => "ann" }) }),
    () => true,
  );
  make(0);
  await onAnswer(0, { status: 500, headers: {}, body: Buffer.from("") });
  expect(await tally.check("http://127.0.0.1:9", "key")).toMatchObject({
    isRight: false,
    text: expect.stringContaining("NOT KNOWN, as 1 answers"),
  });
});

test("the rows of a load are those that came meanwhile, an object", () => {
  const rows = new RowsOfLoad();
  rows.add(100, [new Map([["write users", 10]]), new Map([["write users", 60], ["read users", 5]])]);
  rows.add(100, [new Map([["write users", 60]]), new Map([["write users", 110]])]);
  expect([rows.of("write"), rows.of("read")]).toEqual([0.5, 0.025]);
  expect(rows.text()).toBe("0.50 written, 0.03 read: write users 0.500, read users 0.025");
});

/** The address of a server that exports these users. */
async function exporting(users: readonly object[]): Promise<string> {
  const server = createServer((request, response) => void request.resume().on("end", () => response.end(JSON.stringify({ users }))));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
