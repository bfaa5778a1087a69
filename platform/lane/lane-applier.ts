/**
 * The applier of one lane whose messages are packed records: reads it in order from a position kept beside it, and moves
 * that only past what is saved and published. Two of them may run at the same time: each writes the same with the same ages.
 */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Log, LogRecord } from "../log/log.ts";
import { unpackRecords } from "../log/packed-records.ts";
import type { Logger } from "../logger.ts";
import type { Gate, Rest } from "./gate.ts";
import type { LanePositions } from "./lane-positions.ts";
import { type Reading, readOn } from "./read-on.ts";

/** A record of the lane, with its place there. */
export interface LaneBody {
  readonly body: Uint8Array;
  /** Of the message in the lane log, and of the record in the message. */
  readonly place: readonly [sequence: number, at: number];
}

export interface LaneApplierParts {
  /** The lane, as the layout numbers it. */
  readonly lane: number;
  readonly lanes: Pick<Log, "read" | "trim" | "watch">;
  readonly positions: LanePositions;
  /** Everything is saved and published when it resolves. Throws what store and log throw; doing it again is harmless. */
  readonly apply: (bodies: readonly LaneBody[], rest: Rest) => Promise<void>;
  /** Shared by the lanes of a process. */
  readonly gate: Gate;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Everything up to the message at `position` can be read. */
  readonly onApplied: (position: number) => void;
}

export function startLaneApplier(parts: LaneApplierParts): Reading {
  return readOn({
    clock: parts.clock,
    idleMs: limits.laneIdleMsMax,
    watch: (wake) =>
      parts.lanes.watch((changed) => {
        if (changed === parts.lane) wake();
      }),
  }, new LaneApplier(parts));
}

class LaneApplier {
  readonly #parts: LaneApplierParts;
  /** Undefined: has to be read again. */
  #position: number | undefined;
  #kept = 0;
  #keepAt = 0;

  constructor(parts: LaneApplierParts) {
    this.#parts = parts;
  }

  async turn(): Promise<"busy" | "idle"> {
    const after = this.#position ?? await this.#start();
    const { lanes, lane, positions, gate, apply, onApplied } = this.#parts;
    const read = await lanes.read(lane, after, { max: limits.laneRecordsMax, bytesMax: limits.laneBytesMax });
    const records = read.filter((record: LogRecord) => record.sequence > after);
    const last = records.at(-1);
    if (last === undefined) {
      await this.#keep();
      return "idle";
    }
    // Where somebody else is further, the lane may be trimmed there, and what was read may begin behind a gap
    if (await positions.load(lane) > after) {
      this.#position = undefined;
      return "busy";
    }
    await gate.run((rest) => apply(records.flatMap(bodiesOf), rest));
    this.#position = last.sequence;
    onApplied(last.sequence);
    if (this.#parts.clock.monotonic() >= this.#keepAt) await this.#keep();
    return "busy";
  }

  recover(error: unknown, failures: number): void {
    this.#position = undefined;
    this.#parts.logger.error("applier_failed", error, { lane: this.#parts.lane, failures });
  }

  async #start(): Promise<number> {
    const position = await this.#parts.positions.load(this.#parts.lane);
    this.#position = position;
    this.#kept = position;
    this.#parts.onApplied(position);
    return position;
  }

  /** The lane is trimmed behind the position only once that is kept. */
  async #keep(): Promise<void> {
    const position = this.#position ?? 0;
    const { lane, lanes, positions, clock } = this.#parts;
    this.#keepAt = clock.monotonic() + limits.lanePositionSaveMs;
    if (position <= this.#kept) return;
    if (!await positions.save(lane, position)) return;
    this.#kept = position;
    await lanes.trim(lane, position);
  }
}

function bodiesOf({ sequence, body }: LogRecord): LaneBody[] {
  return unpackRecords(body).map((record, at) => ({ body: record, place: [sequence, at] }));
}
