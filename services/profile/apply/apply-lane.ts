/**
 * The applier of one profile lane: reads it in order from a position kept beside it, and moves that only past what is
 * saved and owed to nobody. Two of them may run at the same time: each writes the same rows with the same ages.
 */
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import type { Log, LogRecord } from "../../../platform/log/log.ts";
import type { Logger } from "../../../platform/logger.ts";
import type { Tracer } from "../../../platform/telemetry/tracer.ts";
import type { Addressed } from "../domain/lane-item.ts";
import type { Gate } from "../../../platform/lane/gate.ts";
import type { Outgoing } from "../events/outgoing.ts";
import { type Reading, readOn } from "../../../platform/lane/read-on.ts";
import type { ApartParts } from "./apply-apart.ts";
import { type ApartUser, applyBatch } from "./apply-batch.ts";
import type { LanePositions } from "../../../platform/lane/lane-positions.ts";
import { tracedBatch } from "./traced-batch.ts";

export interface LaneParts extends Omit<ApartParts, "holds"> {
  readonly lane: number;
  readonly lanes: Pick<Log, "read" | "append" | "trim" | "watch">;
  readonly positions: LanePositions;
  /** What `publish` still has to send. The position is kept only when that went out. */
  readonly outgoing: Pick<Outgoing, "waiting" | "settled" | "reset">;
  readonly unpack: (body: Uint8Array) => Addressed[];
  /** Shared by the lanes of a process: a store that everybody asks at once answers nobody in time. */
  readonly gate: Gate;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tracer?: Tracer;
  /**
   * Everything up to the message at `position` is saved and can be read: a user who waits for the partner of a merge
   * counts as not applied, for `laneWaitMsMax` at most.
   */
  readonly onApplied: (position: number) => void;
}

export function applyLane(parts: LaneParts): Reading {
  const applier = new Applier(parts);
  const partition = parts.layout.profile(parts.lane);
  return readOn({
    clock: parts.clock,
    idleMs: limits.laneIdleMsMax,
    watch: (wake) =>
      parts.lanes.watch((changed) => {
        if (changed === partition) wake();
      }),
  }, applier);
}

class Applier {
  readonly #parts: LaneParts & ApartParts;
  /** Undefined: has to be read again. */
  #position: number | undefined;
  /** By user: where the lane could be read before it began to wait, and when that was. */
  readonly #waiting = new Map<string, { readonly position: number; readonly since: number }>();
  #kept = 0;
  #keepAt = 0;

  constructor(parts: LaneParts) {
    this.#parts = { ...parts, holds: new Map() };
  }

  async turn(): Promise<"busy" | "idle"> {
    const after = this.#position ?? await this.#start();
    const { lanes, layout, lane, positions } = this.#parts;
    const read = await lanes.read(layout.profile(lane), after, { max: limits.laneRecordsMax, bytesMax: limits.laneBytesMax });
    const records = read.filter((record) => record.sequence > after);
    const last = records.at(-1);
    // Where somebody else is further, the lane may be trimmed there, and what was read may begin behind a gap
    if (last !== undefined && await positions.load(lane) > after) return this.#startAnew();
    if (last === undefined) {
      await this.#keep();
      this.#tell();
      return "idle";
    }
    await this.#apply(records, after);
    this.#position = last.sequence;
    this.#tell();
    if (this.#parts.clock.monotonic() >= this.#keepAt) await this.#keep();
    return "busy";
  }

  recover(error: unknown, failures: number): void {
    this.#startAnew();
    this.#parts.logger.error("applier_failed", error, { lane: this.#parts.lane, failures });
  }

  async #start(): Promise<number> {
    const position = await this.#parts.positions.load(this.#parts.lane);
    this.#position = position;
    this.#kept = position;
    this.#tell();
    return position;
  }

  #startAnew(): "busy" {
    this.#position = undefined;
    this.#parts.outgoing.reset();
    this.#parts.cache.clear();
    this.#parts.holds.clear();
    return "busy";
  }

  async #apply(records: readonly LogRecord[], after: number): Promise<void> {
    const { outgoing } = this.#parts;
    if (outgoing.waiting > limits.eventsWaitingMax) await outgoing.settled();
    const items = records.flatMap(({ body }) => this.#parts.unpack(body));
    const applied = await this.#parts.gate.run(() => {
      return tracedBatch(this.#parts, items, (profiles) => applyBatch({ ...this.#parts, profiles }, items));
    });
    for (const user of applied) {
      this.#report(user);
      this.#noteWaiting(user, after);
    }
  }

  #noteWaiting({ workspaceId, userId, held, blocked }: ApartUser, after: number): void {
    const key = `${workspaceId} ${userId}`;
    if (!held || blocked?.isPoison) this.#waiting.delete(key);
    else if (!this.#waiting.has(key)) this.#waiting.set(key, { position: after, since: this.#parts.clock.monotonic() });
  }

  #tell(): void {
    const now = this.#parts.clock.monotonic();
    let readable = this.#position ?? 0;
    for (const [key, { position, since }] of this.#waiting) {
      if (now - since > limits.laneWaitMsMax) this.#waiting.delete(key);
      else readable = Math.min(readable, position);
    }
    this.#parts.onApplied(readable);
  }

  #report({ workspaceId, userId, blocked }: ApartUser): void {
    if (!blocked?.isPoison) return;
    const { reason, mark } = blocked;
    this.#parts.logger.error("user_held", new Error(reason), { workspaceId, userId, sequence: mark[0], part: mark[1] });
  }

  /** The lane is trimmed behind the position only once that is kept. */
  async #keep(): Promise<void> {
    const position = this.#position ?? 0;
    const { lane, lanes, layout, positions, clock } = this.#parts;
    this.#keepAt = clock.monotonic() + limits.lanePositionSaveMs;
    if (position <= this.#kept) return;
    await this.#parts.outgoing.settled();
    if (!await positions.save(lane, position)) return;
    this.#kept = position;
    await lanes.trim(layout.profile(lane), position);
  }
}
