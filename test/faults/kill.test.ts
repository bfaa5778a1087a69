/** kill -9 under load: nothing answered is lost, and what is repeated with its key counts once. */
import { expect, test } from "vitest";
import { startHeddle } from "../heddle.ts";
import type { Heddle } from "../heddle.ts";
import { seededRandom } from "../random.ts";
import { fresh } from "../suite.ts";

const kills = 10;
const connections = 16;
const time = "2026-03-01T12:00:00Z";

test("kill -9 under load ten times loses no answered write and repeats no keyed one", async () => {
  const random = seededRandom(9);
  const heddle = await startHeddle();
  try {
    const load = { over: false };
    const clients = Array.from({ length: connections }, () => runClient(heddle, load));
    for (let kill = 0; kill < kills; kill += 1) {
      await pause(100 + random() * 400);
      await heddle.restart("SIGKILL");
    }
    load.over = true;
    const journals = await Promise.all(clients);
    for (const journal of journals) await compare(heddle, journal);
    expect(Math.min(...journals.map((journal) => journal.keyedAcked))).toBeGreaterThan(kills);
  } finally {
    expect(await heddle.close()).toBe(0);
  }
});

test("what was answered before kill -9 is there at the first read after the restart", async () => {
  const heddle = await startHeddle();
  try {
    for (let round = 1; round <= 5; round += 1) {
      const ids = Array.from({ length: 20 }, () => fresh());
      const answers = await Promise.all(
        ids.map((external_id) => heddle.request("POST", "/users/track", { attributes: [{ external_id, round }] })),
      );
      expect(answers.map((answer) => answer.status)).toEqual(ids.map(() => 201));
      await heddle.restart("SIGKILL");
      const read = await heddle.request("POST", "/users/export/ids", { external_ids: ids });
      expect(read.body.users).toHaveLength(ids.length);
    }
  } finally {
    expect(await heddle.close()).toBe(0);
  }
});

/** One connection's work: a keyed purchase repeated until it is answered, then an event without a key sent once. */
async function runClient(heddle: Heddle, load: { over: boolean }): Promise<Journal> {
  const journal: Journal = { id: fresh(), keyedAcked: 0, eventsSent: 0, eventsAcked: 0 };
  while (!load.over) {
    const key = fresh("key");
    const body = {
      purchases: [{ external_id: journal.id, product_id: "p", currency: "USD", price: 0.1, time }],
      attributes: [{ external_id: journal.id, n: { inc: 1 } }],
    };
    while (!(await accepted(heddle, body, key))) await pause(20);
    journal.keyedAcked += 1;
    journal.eventsSent += 1;
    if (await accepted(heddle, { events: [{ external_id: journal.id, name: "e", time }] })) journal.eventsAcked += 1;
  }
  return journal;
}

/** False when no answer came or one that says to try again. */
async function accepted(heddle: Heddle, body: unknown, key?: string): Promise<boolean> {
  const answer = await heddle.request("POST", "/users/track", body, key === undefined ? {} : { headers: { "idempotency-key": key } }).catch(
    () => undefined,
  );
  if (answer && answer.status !== 201) expect([409, 429, 503], answer.text).toContain(answer.status);
  return answer?.status === 201;
}

async function compare(heddle: Heddle, journal: Journal): Promise<void> {
  const read = await heddle.request("POST", "/users/export/ids", { external_ids: [journal.id] });
  const [user] = read.body.users ?? [];
  expect(user?.purchases?.[0]?.count).toBe(journal.keyedAcked);
  expect(user?.custom_attributes?.n).toBe(journal.keyedAcked);
  expect(user?.total_revenue).toBe(Math.round(journal.keyedAcked * 10) / 100);
  const events = user?.custom_events?.[0]?.count ?? 0;
  expect(events).toBeGreaterThanOrEqual(journal.eventsAcked);
  expect(events).toBeLessThanOrEqual(journal.eventsSent);
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

interface Journal {
  readonly id: string;
  keyedAcked: number;
  eventsSent: number;
  eventsAcked: number;
}
