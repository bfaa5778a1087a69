/**
 * When an applier saves how far its lane is applied, and trims the lane behind that: by time and by bytes, never by record. What a
 * successor applies once more costs less than a synced write for each record.
 */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Log, LogRecord } from "../log/log.ts";
import type { LanePositions } from "./lane-positions.ts";

export interface LaneCheckpointDeps {
  /** As the layout numbers them. */
  readonly lane: number;
  /** As `positions` names it. */
  readonly name: number;
  readonly lanes: Pick<Log, "trim">;
  readonly positions: LanePositions;
  readonly clock: Clock;
  /** How often the position is saved. */
  readonly saveMs?: number;
  /** Bytes of the lane after which it is trimmed; see `laneTrimBytes`. */
  readonly trimBytes: number;
}

/** A quarter of the stream at most lies behind what is applied, whatever the number of its partitions. */
export function laneTrimBytes(stream: { readonly bytesMax: number; readonly partitions: number }): number {
  return Math.min(limits.laneTrimBytesMax, Math.floor(stream.bytesMax / stream.partitions / 4));
}

export class LaneCheckpoint {
  readonly #deps: LaneCheckpointDeps;
  readonly #saveMs: number;
  #saved = 0;
  #trimmed = 0;
  #saveAt: number;
  #trimAt: number;
  /** After a save that was refused. */
  #notBefore = 0;
  /** Read since the lane was trimmed. */
  #bytes = 0;

  constructor(deps: LaneCheckpointDeps) {
    this.#deps = deps;
    const now = deps.clock.monotonic();
    this.#saveMs = deps.saveMs ?? limits.lanePositionSaveMs;
    this.#saveAt = now + this.#saveMs;
    this.#trimAt = now + limits.laneTrimMs;
  }

  /** The position that is saved, which every later one counts from. */
  async load(): Promise<number> {
    const { name, positions } = this.#deps;
    this.#saved = await positions.load(name);
    return this.#saved;
  }

  /** Counts what was read of the lane. */
  count(records: readonly LogRecord[]): void {
    for (const { body } of records) this.#bytes += body.byteLength + limits.logMessageStoredBytes;
  }

  /** Whether `keep` would do anything. */
  isDue(position: number): boolean {
    return this.dueInMs(position) <= 0;
  }

  /** Milliseconds until it would; Infinity where nothing is left to do. */
  dueInMs(position: number): number {
    const now = this.#deps.clock.monotonic();
    const trimAt = this.#bytes >= this.#deps.trimBytes ? now : this.#trimAt;
    const save = position > this.#saved ? this.#saveAt : Infinity;
    const trim = position > this.#trimmed ? trimAt : Infinity;
    return Math.max(0, this.#notBefore - now, Math.min(save, trim) - now);
  }

  /** Saves the position up to which everything is applied and published, and trims the lane behind it, each where it is due. */
  async keep(position: number): Promise<void> {
    const { lane, name, lanes, positions, clock, trimBytes } = this.#deps;
    if (!this.isDue(position) || !await this.#save(position)) return;
    if (this.#bytes < trimBytes && clock.monotonic() < this.#trimAt) return;
    // The lane is trimmed behind the position only once that is saved
    await lanes.trim(lane, position);
    await positions.trim(name);
    this.#trimmed = position;
    this.#bytes = 0;
    this.#trimAt = clock.monotonic() + limits.laneTrimMs;
  }

  /** Saves the position now. */
  async close(position: number): Promise<void> {
    await this.#save(position);
  }

  async #save(position: number): Promise<boolean> {
    const { name, positions, clock } = this.#deps;
    if (position > this.#saved) {
      this.#saveAt = clock.monotonic() + this.#saveMs;
      if (!await positions.save(name, position)) {
        this.#notBefore = clock.monotonic() + limits.lanePositionRetryMs;
        return false;
      }
      this.#saved = position;
    }
    return position <= this.#saved;
  }
}
