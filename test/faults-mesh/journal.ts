/** Clients that write without a pause and remember what was answered, and what must be there for it in the end. */
import { expect } from "vitest";
import { seededRandom } from "../random.ts";
import { fresh } from "../suite.ts";
import type { Mesh } from "./mesh.ts";

export const settledMsMax = 60_000;
const connections = 8;
const time = "2026-03-01T12:00:00Z";

/**
 * Strikes again and again while eight clients write. Fails unless, when all is settled, each write that was answered counts, and each
 * with a key exactly once. Resolves with what was answered.
 */
export async function underLoad(mesh: Mesh, strike: (kill: number) => Promise<void>, kills = 4): Promise<Answered> {
  const random = seededRandom(9);
  const load = { over: false };
  const clients = Array.from({ length: connections }, () => runClient(mesh, load));
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(1_000 + random() * 1_500);
    await strike(kill);
  }
  await pause(2_000);
  load.over = true;
  const journals = await Promise.all(clients);
  for (const journal of journals) {
    await expect.poll(() => eventsOf(mesh, journal), { timeout: settledMsMax, interval: 200 }).toBeGreaterThanOrEqual(journal.eventsAcked);
  }
  for (const journal of journals) await compare(mesh, journal);
  expect(Math.min(...journals.map((journal) => journal.keyedAcked))).toBeGreaterThan(kills);
  const sum = (of: (journal: Journal) => number) => journals.reduce((total, journal) => total + of(journal), 0);
  return { writes: sum((journal) => journal.keyedAcked + journal.eventsAcked), refused: sum((journal) => journal.refused) };
}

/** One connection's work: a keyed purchase repeated until it is answered, then an event without a key sent once. */
async function runClient(mesh: Mesh, load: { over: boolean }): Promise<Journal> {
  const journal: Journal = { id: fresh(), keyedAcked: 0, eventsSent: 0, eventsAcked: 0, refused: 0 };
  while (!load.over) {
    const key = fresh("key");
    const body = {
      purchases: [{ external_id: journal.id, product_id: "p", currency: "USD", price: 0.1, time }],
      attributes: [{ external_id: journal.id, n: { inc: 1 } }],
    };
    while (!(await accepted({ mesh, journal }, body, key))) await pause(50);
    journal.keyedAcked += 1;
    journal.eventsSent += 1;
    if (await accepted({ mesh, journal }, { events: [{ external_id: journal.id, name: "e", time }] })) journal.eventsAcked += 1;
  }
  return journal;
}

/** False when no answer came or one that says to try again. */
async function accepted({ mesh, journal }: Client, body: unknown, key?: string): Promise<boolean> {
  const headers = key === undefined ? {} : { headers: { "idempotency-key": key } };
  const answer = await mesh.post("/users/track", body, headers).catch(() => undefined);
  if (answer?.status === 201) return true;
  if (answer) expect([409, 429, 503, 504], answer.text).toContain(answer.status);
  journal.refused += 1;
  return false;
}

export async function eventsOf(mesh: Mesh, { id }: Pick<Journal, "id">): Promise<number> {
  const read = await mesh.post("/users/export/ids", { external_ids: [id] });
  return read.body.users?.[0]?.custom_events?.[0]?.count ?? 0;
}

async function compare(mesh: Mesh, journal: Journal): Promise<void> {
  const read = await mesh.post("/users/export/ids", { external_ids: [journal.id] });
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
  refused: number;
}

interface Client {
  readonly mesh: Mesh;
  readonly journal: Journal;
}

export interface Answered {
  /** Answered with 201. */
  readonly writes: number;
  /** Answered with a word to try again, or not at all. */
  readonly refused: number;
}
