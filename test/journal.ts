/** A client that writes without a pause and remembers what was answered, and what must be there for it in the end. */
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import type { Answer, CallOptions } from "./client.ts";
import { fresh } from "./suite.ts";

export interface Journal {
  readonly id: string;
  keyedAcked: number;
  eventsSent: number;
  eventsAcked: number;
  /** Answered with a word to try again, or not at all. */
  refused: number;
}

export interface JournalClient {
  post(path: string, body: unknown, options?: CallOptions): Promise<Answer>;
  /** Statuses that a client may see while things are killed, and after which it tries again. */
  readonly refusals: readonly number[];
  /** Before it tries again. */
  readonly pauseMs: number;
}

const time = "2026-03-01T12:00:00Z";

export function emptyJournal(): Journal {
  return { id: fresh(), keyedAcked: 0, eventsSent: 0, eventsAcked: 0, refused: 0 };
}

/** One connection's work: a keyed purchase repeated until it is answered, then an event without a key sent once. */
export async function writeJournal(client: JournalClient, load: { readonly over: boolean }, journal = emptyJournal()): Promise<Journal> {
  while (!load.over) {
    const key = fresh("key");
    const body = {
      purchases: [{ external_id: journal.id, product_id: "p", currency: "USD", price: 0.1, time }],
      attributes: [{ external_id: journal.id, n: { inc: 1 } }],
    };
    while (!(await accepted(client, journal, { body, key }))) await setTimeout(client.pauseMs);
    journal.keyedAcked += 1;
    journal.eventsSent += 1;
    if (await accepted(client, journal, { body: { events: [{ external_id: journal.id, name: "e", time }] } })) journal.eventsAcked += 1;
  }
  return journal;
}

/** False when no answer came or one that says to try again. */
async function accepted(client: JournalClient, journal: Journal, { body, key }: { body: unknown; key?: string }): Promise<boolean> {
  const options = key === undefined ? {} : { headers: { "idempotency-key": key } };
  const answer = await client.post("/users/track", body, options).catch(noAnswer);
  if (answer?.status === 201) return true;
  if (answer) expect(client.refusals, answer.text).toContain(answer.status);
  journal.refused += 1;
  return false;
}

/** What fetch throws where the connection broke. An answer that came and is not as documented, or no JSON, is a fault. */
function noAnswer(error: unknown): undefined {
  if (!(error instanceof TypeError)) throw error;
}

/** Each write that was answered counts, each with a key exactly once, and an event that was not answered once at most. */
export async function compareJournal(client: Pick<JournalClient, "post">, journal: Journal): Promise<void> {
  const read = await client.post("/users/export/ids", { external_ids: [journal.id] });
  const [user] = read.body.users ?? [];
  expect(user?.purchases?.[0]?.count).toBe(journal.keyedAcked);
  expect(user?.custom_attributes?.n).toBe(journal.keyedAcked);
  expect(user?.total_revenue).toBe(Math.round(journal.keyedAcked * 10) / 100);
  const events = user?.custom_events?.[0]?.count ?? 0;
  expect(events).toBeGreaterThanOrEqual(journal.eventsAcked);
  expect(events).toBeLessThanOrEqual(journal.eventsSent);
}
