/** Clients that write without a pause and remember what was answered, and what must be there for it in the end. */
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { compareJournal, type Journal, type JournalClient, writeJournal } from "../journal.ts";
import { seededRandom } from "../random.ts";
import type { Mesh } from "./mesh.ts";

export const settledMsMax = 60_000;
const connections = 8;

/**
 * Strikes again and again while eight clients write. Fails unless, when all is settled, each write that was answered counts, and each
 * with a key exactly once. Resolves with what was answered.
 */
export async function underLoad(mesh: Mesh, strike: (kill: number) => Promise<void>, kills = 4): Promise<Answered> {
  const random = seededRandom(9);
  const client: JournalClient = {
    post: (path, body, options) => mesh.post(path, body, options),
    refusals: [409, 429, 503, 504],
    pauseMs: 50,
  };
  const load = { over: false };
  const clients = Array.from({ length: connections }, () => writeJournal(client, load));
  for (let kill = 0; kill < kills; kill += 1) {
    await setTimeout(1_000 + random() * 1_500);
    await strike(kill);
  }
  await setTimeout(2_000);
  load.over = true;
  const journals = await Promise.all(clients);
  for (const journal of journals) {
    await expect.poll(() => eventsOf(mesh, journal), { timeout: settledMsMax, interval: 200 }).toBeGreaterThanOrEqual(journal.eventsAcked);
  }
  for (const journal of journals) await compareJournal(client, journal);
  expect(Math.min(...journals.map((journal) => journal.keyedAcked))).toBeGreaterThan(kills);
  const sum = (of: (journal: Journal) => number) => journals.reduce((total, journal) => total + of(journal), 0);
  return { writes: sum((journal) => journal.keyedAcked + journal.eventsAcked), refused: sum((journal) => journal.refused) };
}

export async function eventsOf(mesh: Mesh, { id }: Pick<Journal, "id">): Promise<number> {
  const read = await mesh.post("/users/export/ids", { external_ids: [id] });
  return read.body.users?.[0]?.custom_events?.[0]?.count ?? 0;
}

export interface Answered {
  /** Answered with 201. */
  readonly writes: number;
  /** Answered with a word to try again, or not at all. */
  readonly refused: number;
}
