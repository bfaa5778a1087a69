/** Lag of an embedded lane: what waits is counted, and the oldest says for how long. */
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { openDatabase } from "../sqlite/database.ts";
import { openSqliteLaneLag } from "./sqlite-lag.ts";
import { openSqliteLane } from "./sqlite.ts";

test("openSqliteLaneLag() counts what waits for its service, and how long the oldest of it has", async () => {
  const clock = fakeClock();
  const database = openDatabase({ path: ":memory:" });
  await openSqliteLane(database, "subscription");
  const meter = openSqliteLaneLag(database, "subscription", clock);
  async function put(service: string, sequence: number, key: string): Promise<void> {
    await database.write(() => {
      database.prepare("INSERT INTO lane_records (service, workspace_id, sequence, part, lane_key, body) VALUES (?, 'w', ?, 0, ?, x'00')")
        .run(service, sequence, key);
    });
  }
  expect(await meter.read()).toEqual({ lane: "subscription", records: 0, seconds: 0 });
  await put("subscription", 7, "a");
  await put("subscription", 7, "b");
  await put("messaging-status", 3, "c");
  expect(await meter.read()).toEqual({ lane: "subscription", records: 2, seconds: 0 });
  clock.advance(4_000);
  await put("subscription", 9, "d");
  expect(await meter.read()).toEqual({ lane: "subscription", records: 3, seconds: 4 });
  await database.write(() => {
    database.prepare("DELETE FROM lane_records WHERE service = 'subscription' AND sequence = 7").run();
  });
  clock.advance(1_000);
  expect(await meter.read()).toEqual({ lane: "subscription", records: 1, seconds: 1 });
  await database.write(() => {
    database.prepare("DELETE FROM lane_records WHERE service = 'subscription'").run();
  });
  expect(await meter.read()).toEqual({ lane: "subscription", records: 0, seconds: 0 });
  meter.close();
  await database.close();
});
