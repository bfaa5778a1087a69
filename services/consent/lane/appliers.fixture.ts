/** Appliers of the mesh that break off anywhere and begin again: what both services of consent are tested with. */
import * as fc from "fast-check";
import type { WriteFault } from "../../../platform/cassandra/replicas.fixture.ts";
import type { LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { LaneBody } from "../engine/lane-message.ts";

/** Faults that a test chooses, each for one write or one publishing. */
export interface ApplierFaults {
  readonly write?: () => WriteFault | undefined;
  readonly publish?: () => "before" | "after" | undefined;
}

/** What dice() is made of. */
export const chances = fc.array(fc.nat({ max: 1_000 }), { minLength: 20, maxLength: 200, size: "max" });

/** Each number once, then one that no fault and no long batch comes from. */
export function dice(numbers: readonly number[]): () => number {
  let at = 0;
  return () => numbers[at++] ?? 11;
}

/** Some writes and publishings break off, before or after they are done. */
export function brokenOff(next: () => number): Required<ApplierFaults> {
  return {
    write() {
      const chance = next() % 12;
      if (chance > 1) return undefined;
      return chance === 0 ? { reached: [0, 1, 2], later: [], answer: "unknown" } : { reached: [], later: [], answer: "notDone" };
    },
    publish: () => (["before", "after"] as const)[next() % 12],
  };
}

/** Some writes reach one replica, and the others later. */
export function arrivingLate(next: () => number): ApplierFaults {
  return { write: () => next() % 6 === 1 ? { reached: [next() % 3], later: [0, 1, 2], answer: "unknown" } : undefined };
}

/** What was published, by hash. */
export function recordPublished({ publish: fault }: ApplierFaults) {
  const published = new Map<string, LedgerEntry>();
  async function publish(_: string, entries: readonly LedgerEntry[]): Promise<void> {
    await Promise.resolve();
    const when = fault?.();
    if (when === "before") throw new Refusal("LOG_UNAVAILABLE");
    for (const entry of entries) published.set(entry.hash, entry);
    if (when === "after") throw new Refusal("LOG_UNAVAILABLE");
  }
  return { published, publish };
}

interface Applier {
  apply(bodies: readonly LaneBody[]): Promise<void>;
}

/** Applies in batches cut by `next` until all of it went well; after a failure begins where `next` says, as a successor does. */
export async function stubborn({ apply }: Applier, bodies: readonly LaneBody[], next: () => number): Promise<void> {
  for (let at = 0; at < bodies.length;) {
    const end = at + 1 + next() % 7;
    try {
      await apply(bodies.slice(at, end));
      at = end;
    } catch {
      at = Math.max(0, at - next() % 5);
    }
  }
}
