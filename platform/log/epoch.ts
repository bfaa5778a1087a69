/** An epoch of the log: which log it is, how often it began anew, and from where each stream counts in it. */
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import { Unusable } from "../unusable.ts";

export const streamKinds = ["intake", "lanes", "events"] as const;
export type StreamKind = (typeof streamKinds)[number];

export interface Epoch {
  /** Made with the first streams of an installation, and kept by all that come after. */
  readonly logId: string;
  /** 0 for the first. */
  readonly number: number;
  /** The first sequence of the epoch in each stream: what lies below is of an earlier one. */
  readonly from: Readonly<Record<StreamKind, number>>;
}

/** What a stream says of itself. */
export interface FoundStream {
  readonly name: string;
  /** Undefined in a stream that a build made which had no epochs. */
  readonly logId: string | undefined;
  readonly number: number;
  /** The first sequence that it gave. */
  readonly first: number;
  /** The last sequence that it gave; `first` - 1 where it gave none. */
  readonly last: number;
}

/**
 * Where an epoch begins that lies above all that was given `through`. Within the room of an epoch it begins the further on
 * the later it is: two that begin behind the same place, as where one backup is restored twice, are apart by
 * `epochSequencesPerSecond` for each second between them. The last room is used again and again in this way. Throws Unusable where
 * more was given in it than that, as the ages of rows have no room above.
 */
export function beginAbove(through: number, now: number): number {
  const room = Math.min(epochAbove(through), limits.logEpochsMax);
  const begin = room * sequencesPerEpoch + offsetAt(now) + 1;
  if (begin > through) return begin;
  throw new Unusable(
    `A log can begin anew ${limits.logEpochsMax} times, and this would be once more: the ages of rows have no room above ${through}. ${newInstallation}`,
  );
}

/** The same for the places of events, which are no ages of rows and have more room. */
export function beginEventsAbove(through: number, now: number): number {
  const number = epochAbove(through);
  if (number > eventEpochsMax) {
    throw new Unusable(`Events can begin anew ${eventEpochsMax} times, and this would be once more. ${newInstallation}`);
  }
  return number * sequencesPerEpoch + offsetAt(now) + 1;
}

const newInstallation = "Export the users (heddle export), and import them into a new installation (heddle import)";

/** The first epoch whose sequences all lie above `through`. */
function epochAbove(through: number): number {
  return through === 0 ? 0 : Math.floor(through / sequencesPerEpoch) + 1;
}

/** Half of an epoch at most, which leaves as many sequences above. */
function offsetAt(now: number): number {
  const seconds = Math.max(0, now - firstDay) / 1_000;
  return Math.min(Math.floor(seconds * limits.epochSequencesPerSecond), sequencesPerEpoch / 2);
}

/** Refuses POSITION_INVALID for a place below `from`, the first of the log's epoch: whether it was lost is unknown. */
export function refuseEarlier(sequence: number, from: number): void {
  if (sequence >= from) return;
  const what = "This X-Heddle-Position is of an earlier epoch of the log: the log was lost or put back since, and the write may be lost";
  throw new Refusal("POSITION_INVALID", `${what}. Read without it, and write again what is missing`);
}

/** Epochs of before began at these, too. */
const sequencesPerEpoch = 2 ** 40;
/** Sequences stay whole numbers that JavaScript can count. */
const eventEpochsMax = 2 ** 13 - 2;
const firstDay = Date.UTC(2026, 0, 1);
