/** The client's queue against the real server, killed with -9 under load and gone for a while: nothing added is lost, nothing counts twice. */
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { Heddle, type Loss } from "../../client/index.ts";
import { startHeddle } from "../heddle.ts";
import { seededRandom } from "../random.ts";
import { fresh } from "../suite.ts";

const kills = 6;
const users = 8;

test("kill -9 six times under a client's queue: each object counts once, none is told as lost, and reads see them", async () => {
  const random = seededRandom(23);
  const server = await startHeddle();
  const losses: Loss[] = [];
  const heddle = new Heddle({
    url: server.url,
    key: server.key,
    queue: { intervalMs: 20, objectsMax: 100_000, onLoss: (loss) => losses.push(loss) },
  });
  const ids = Array.from({ length: users }, () => fresh());
  const load = { over: false };
  try {
    const adding = addUntil(heddle, ids, load);
    for (let kill = 0; kill < kills; kill += 1) {
      await setTimeout(100 + random() * 300);
      await server.kill();
      // Gone for a while: the queue goes on taking objects
      if (kill % 2 === 0) await setTimeout(500);
      await server.restart();
    }
    load.over = true;
    const rounds = await adding;
    await heddle.flush();
    expect([losses, heddle.queued]).toEqual([[], 0]);
    expect(rounds).toBeGreaterThan(kills);
    const { users: read } = await heddle.exportUsers({ external_ids: ids });
    expect(read.map((user) => [user.custom_attributes?.["n"], user.custom_events?.[0]?.count])).toEqual(ids.map(() => [rounds, rounds]));
    await heddle.shutdown();
  } finally {
    expect(await server.close()).toBe(0);
  }
});

/** How many times each user was given one event and one more of `n`. */
async function addUntil(heddle: Heddle, ids: readonly string[], load: { readonly over: boolean }): Promise<number> {
  let rounds = 0;
  while (!load.over) {
    const taken = heddle.enqueue({
      attributes: ids.map((external_id) => ({ external_id, n: { inc: 1 } })),
      events: ids.map((external_id) => ({ external_id, name: "e", time: "2026-03-01T12:00:00Z" })),
    });
    expect(taken).toBe(true);
    rounds += 1;
    await setTimeout(10);
  }
  return rounds;
}

test("many writes at once, killed with -9 between: each that resolved is there, with one key each none counts twice", async () => {
  const server = await startHeddle();
  const heddle = new Heddle({ url: server.url, key: server.key });
  const id = fresh();
  try {
    const writes = Array.from({ length: 200 }, () => heddle.trackUsers({ attributes: [{ external_id: id, n: { inc: 1 } }] }));
    const answered = Promise.all(writes);
    await Promise.race(writes);
    await server.restart("SIGKILL");
    expect(await answered).toHaveLength(writes.length);
    const { users: [user] } = await heddle.exportUsers({ external_ids: [id] });
    expect(user?.custom_attributes).toEqual({ n: writes.length });
  } finally {
    expect(await server.close()).toBe(0);
  }
});
