/** The resolver's place: what a checkpoint says, and what it reports of the steps that led there. */
import { Buffer } from "node:buffer";
import { UnknownVersion } from "../record-version.ts";

/** What the checkpoint of an intake partition holds. */
export interface ResolverCheckpoint {
  /** The last intake record that is resolved whole. */
  readonly through: number;
  /**
   * Of the next record the first `taken` effects are in the lanes already, of so many (`effects`; absent: not known); it was
   * resolved at `now`, and has to be again, with as many users in a consent record (absent: one), and with numbers of their
   * own for what goes to profiles (absent: in common with consent), and with numbers for new users or without; `inLanes`:
   * with those that say the lane.
   */
  readonly inside?: {
    readonly taken: number;
    readonly effects?: number;
    readonly now: number;
    readonly usersPerRecord?: number;
    readonly ownParts?: true;
    readonly numbered?: true;
    readonly inLanes?: true;
  };
  /** The resolver's now, Unix milliseconds: it never steps back, whichever process resolves. */
  readonly now: number;
  /** The checkpoint up to which identity rows are written for certain; those of later ones have to be repeated. */
  readonly written: number;
  /** By lane, as the layout numbers them: the last message that steps before this one sent there; 0 or absent: none. */
  readonly tails: readonly number[];
  /** The keyspace has the mark of the checkpoint `written`; absent: a build resolved that kept no marks. */
  readonly noted?: true;
  /** Lanes that this step sent to, with how far before the checkpoint the message stands. */
  readonly touched: readonly (readonly [lane: number, back: number])[];
}

/** A step as it is reported to those that wait for it; its checkpoint is the message right behind it. */
export interface StepReport<Outcome = unknown> extends ResolverCheckpoint {
  /** No row that says who has which name changes with it; as a step goes out after the rows of the one before it were written, all names are decided once it is there. */
  readonly keepsNames?: true;
  readonly outcomes: readonly (readonly [sequence: number, outcome: Outcome])[];
}

export const firstCheckpoint: ResolverCheckpoint = { through: 0, now: 0, written: 0, tails: [], touched: [] };

export function checkpointToBytes(place: ResolverCheckpoint): Uint8Array {
  return Buffer.from(JSON.stringify({ v: version, ...place }));
}

/** Throws UnknownVersion on a place of another version, which only a newer Heddle can have written. */
export function checkpointFromBytes(body: Uint8Array): ResolverCheckpoint {
  return read<ResolverCheckpoint>(body);
}

export function stepReportFromBytes<Outcome = unknown>(body: Uint8Array): StepReport<Outcome> {
  return read<StepReport<Outcome>>(body);
}

/** The last message of each lane once the step whose checkpoint is at `sequence` is in. */
export function tailsAfter({ tails, touched }: ResolverCheckpoint, sequence: number): number[] {
  const after = [...tails];
  for (const [lane, back] of touched) {
    while (after.length <= lane) after.push(0);
    after[lane] = sequence - back;
  }
  return after;
}

function read<Kind extends ResolverCheckpoint>(body: Uint8Array): Kind {
  const { v, ...place } = JSON.parse(Buffer.from(body).toString()) as Kind & { v: number };
  if (v !== version) {
    throw new UnknownVersion(
      `Expected a checkpoint of version ${version}, got "${Number(v)}": run the build that wrote it, or a newer one`,
    );
  }
  return place as unknown as Kind;
}

const version = 1;
