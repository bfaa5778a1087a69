/** The embedded lane in its table, and what a build before left in its own. */
import { expect, test } from "vitest";
import { limits } from "../limits.ts";
import { packRecords, unpackRecords } from "../log/packed-records.ts";
import { openDatabase } from "../sqlite/database.ts";
import { migrate } from "../sqlite/migrate.ts";
import { laneSchema, openSqliteLane, packLane, putLaneMessage } from "./sqlite.ts";

const all = { max: 10, bytesMax: 1_000 };

test("a lane gives messages in order, each service its own, and forgets them once everything up to there is in", async () => {
  const database = openDatabase({ path: ":memory:" });
  const [lane, other] = [await openSqliteLane(database, "a"), await openSqliteLane(database, "b")];
  expect([lane.tail(), await lane.positions.load(0)]).toEqual([0, 0]);
  for (const byte of [1, 2]) await lane.append(Uint8Array.of(byte));
  await other.append(Uint8Array.of(9));
  const read = await lane.log.read(0, 0, all);
  expect(read.map(({ sequence, body }) => [sequence, unpackRecords(body).map((one) => one[0])])).toEqual([[1, [1]], [2, [2]]]);
  expect((await lane.log.read(0, 1, all)).map(({ sequence }) => sequence)).toEqual([2]);
  expect(await lane.positions.save(0, 1)).toBe(true);
  expect((await lane.log.read(0, 0, all)).map(({ sequence }) => sequence)).toEqual([2]);
  const again = await openSqliteLane(database, "a");
  expect([await again.positions.load(0), again.tail(), other.tail()]).toEqual([1, 2, 3]);
  await lane.positions.save(0, 2);
  const empty = await openSqliteLane(database, "a");
  expect([lane.tail(), await empty.positions.load(0), empty.tail()]).toEqual([2, 3, 3]);
  await database.close();
});

test("numbers of messages are never given twice, so that a position of before is never ahead of a message", async () => {
  const database = openDatabase({ path: ":memory:" });
  const lane = await openSqliteLane(database, "a");
  await lane.append(Uint8Array.of(1));
  await lane.positions.save(0, lane.tail());
  const again = await openSqliteLane(database, "a");
  await again.append(Uint8Array.of(2));
  expect((await again.log.read(0, await again.positions.load(0), all)).map(({ sequence }) => sequence)).toEqual([2]);
  await database.close();
});

test("what a build before left in the lane is there, in order, byte for byte", async () => {
  const database = openDatabase({ path: ":memory:" });
  await migrate(database, "lane", laneSchema.slice(0, 2));
  const bodies = [[0, 255, 1], [0x27, 0, 0xc3, 0x28], []].map((bytes) => Uint8Array.from(bytes));
  const sql = "INSERT INTO lane_records (service, workspace_id, sequence, part, lane_key, users, body) VALUES (?, ?, ?, ?, ?, 1, ?)";
  await database.write(() => {
    const put = database.prepare(sql);
    put.run("a", "w", 7, 1, "u", bodies[1] ?? null);
    put.run("a", "w", 7, 0, "u", bodies[0] ?? null);
    put.run("a", "v", 9, 0, "u", bodies[2] ?? null);
    put.run("b", "v", 1, 0, "u", Uint8Array.of(5));
  });
  const lane = await openSqliteLane(database, "a");
  const read = await lane.log.read(0, await lane.positions.load(0), all);
  expect(read.flatMap(({ body }) => unpackRecords(body)).map((body) => [...body])).toEqual(bodies.map((body) => [...body]));
  await database.close();
});

test("a lane gives some messages at a time, by their bytes, and one however large it is", async () => {
  const database = openDatabase({ path: ":memory:" });
  const lane = await openSqliteLane(database, "a");
  const bytes = [limits.laneReadBytesMax / 2, limits.laneReadBytesMax / 4, limits.laneReadBytesMax / 2, 2 * limits.laneReadBytesMax, 1];
  for (const length of bytes) await lane.append(new Uint8Array(length));
  const reads: number[][] = [];
  for (let after = 0; after < bytes.length; after = reads.at(-1)?.at(-1) ?? Infinity) {
    reads.push((await lane.log.read(0, after, { max: 10, bytesMax: Infinity })).map(({ sequence }) => sequence));
  }
  expect(reads).toEqual([[1, 2], [3], [4], [5]]);
  await database.close();
});

test("packLane() cuts a step into messages of some size, and keeps the order", () => {
  const bodies = Array.from({ length: 10 }, (_, at) => new Uint8Array(limits.laneMessageBytes / 4).fill(at));
  const messages = packLane([...bodies, new Uint8Array(2 * limits.laneMessageBytes).fill(99)]);
  expect(messages.map((message) => unpackRecords(message).map((body) => body[0]))).toEqual([[0, 1, 2, 3], [4, 5, 6, 7], [8, 9], [99]]);
  expect(packLane([])).toEqual([]);
});

test("a step's message is one that the lane reads", async () => {
  const database = openDatabase({ path: ":memory:" });
  const lane = await openSqliteLane(database, "a");
  const heard: number[] = [];
  const stop = lane.log.watch((partition) => heard.push(partition));
  await database.write(() => void database.prepare(putLaneMessage).run("a", packRecords([Uint8Array.of(1), Uint8Array.of(2)])));
  lane.notify();
  stop();
  lane.notify();
  expect(heard).toEqual([0]);
  expect((await lane.log.read(0, 0, all)).flatMap(({ body }) => unpackRecords(body)).map((body) => body[0])).toEqual([1, 2]);
  await database.close();
});
