/**
 * The applier of one profile lane: reads it in order from its checkpoint, and moves that only past records that
 * are saved and whose effects are done. Two of them may run at the same time: each writes the same rows with the same ages.
 */
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import type { Log, LogRecord } from "../../../platform/log/log.ts";
import type { Logger } from "../../../platform/logger.ts";
import { isPassing } from "../../../platform/faults/passing.ts";
import { tracedRecords } from "../../../platform/telemetry/traced-records.ts";
import type { Tracer } from "../../../platform/telemetry/tracer.ts";
import type { LaneLayout } from "../../../platform/lane/layout.ts";
import type { Addressed, Announcement } from "../domain/resolve/lane-item.ts";
import type { UserChanges } from "../domain/ports.ts";
import { laneKeyOf } from "../../../platform/user-number.ts";
import type { Gate } from "../../../platform/gate.ts";
import type { TimeSlices } from "../../../platform/time-slices.ts";
import type { Outgoing } from "../events/outgoing.ts";
import { type Failures, type Reading, readOn } from "../../../platform/lane/read-on.ts";
import type { ApplyDeps } from "./slow-path.ts";
import { applyBatch, type SlowUser } from "./apply-batch.ts";
import type { LanePositions } from "../../../platform/lane/lane-positions.ts";
import { LaneCheckpoint } from "../../../platform/lane/lane-checkpoint.ts";
import { troubleOf } from "../../../platform/faults/trouble.ts";

export interface LaneDeps extends Omit<ApplyDeps, "holds" | "announce"> {
  readonly lane: number;
  readonly lanes: Pick<Log, "read" | "append" | "trim" | "watch">;
  readonly positions: LanePositions;
  /** Bytes of the lane after which it is trimmed. */
  readonly trimBytes: number;
  /** What `publish` still has to send. The position is kept only when that went out. */
  readonly outgoing: Pick<Outgoing, "waiting" | "settled" | "reset">;
  readonly layout: LaneLayout;
  readonly pack: (items: readonly Addressed[]) => Uint8Array;
  readonly unpack: (body: Uint8Array) => Addressed[];
  /** Shared by the lanes of a process: a store that all lanes ask at once answers none of them in time. */
  readonly gate: Gate;
  /** Of the thread, which batches of many lanes would keep for long. */
  readonly slices?: TimeSlices;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tracer?: Tracer;
  /**
   * Everything up to the message at `position` is saved and can be read: a user who waits for the partner of a merge
   * counts as not applied, for `laneWaitMsMax` at most.
   */
  readonly onApplied: (position: number) => void;
}

export interface LaneApplier extends Reading {
  /** A read waits for this message: the lane goes before others. */
  awaited(position: number): void;
}

export function applyLane(deps: LaneDeps): LaneApplier {
  const applier = new Applier(deps);
  const partition = deps.layout.profile(deps.lane);
  const reading = readOn({
    clock: deps.clock,
    idleMs: limits.laneIdleMsMax,
    watch: (wake) =>
      deps.lanes.watch((changed) => {
        if (changed === partition) wake();
      }),
  }, applier);
  return {
    ...reading,
    awaited: (position) => applier.awaited(position),
    async close() {
      await reading.close();
      await applier.close();
    },
  };
}

class Applier {
  readonly #deps: LaneDeps & ApplyDeps;
  /** Undefined: has to be read again. */
  #position: number | undefined;
  /** The last message that a read is known to wait for. */
  #awaited = 0;
  /** The last read found something. */
  #hasRead = false;
  /** By user: where the lane could be read before it began to wait, and when that was. */
  readonly #waiting = new Map<string, { readonly position: number; readonly since: number }>();
  /** Users who are blocked still, and for whom no reader waits any more, whatever comes for them. */
  readonly #overdue = new Set<string>();
  readonly #checkpoint: LaneCheckpoint;

  constructor(deps: LaneDeps) {
    this.#deps = { ...deps, holds: new Map(), announce: (workspaceId, item) => this.#announce(workspaceId, item) };
    this.#checkpoint = new LaneCheckpoint({ ...deps, name: deps.lane, lane: deps.layout.profile(deps.lane) });
  }

  /** A wake-up and no more: where it cannot be sent, the partner waits on, which `heddle log status` shows and a redrive ends. */
  async #announce(workspaceId: string, item: Announcement): Promise<void> {
    const { lanes, layout, pack, logger } = this.#deps;
    try {
      await lanes.append(layout.profile(layout.laneOf(workspaceId, laneKeyOf(workspaceId, item.userId))), pack([{ workspaceId, item }]));
    } catch (error) {
      if (isPassing(error)) throw error;
      const { userId, mark: [sequence, part] } = item;
      logger.error("announcement_not_sent", error, { workspaceId, userId, sequence, part });
    }
  }

  async turn(): Promise<"busy" | number> {
    const after = this.#position ?? await this.#start();
    const { lanes, layout, lane, positions } = this.#deps;
    const read = await lanes.read(layout.profile(lane), after, { max: limits.laneRecordsMax, bytesMax: limits.laneBytesMax });
    const records = read.filter((record) => record.sequence > after);
    const last = records.at(-1);
    // Where another applier is further, the lane may be trimmed there, and what was read may begin behind a gap, or be nothing; the end of what was just read needs no look
    const needsLook = last === undefined ? !this.#hasRead : !records[0]?.isNext;
    this.#hasRead = last !== undefined;
    if (needsLook && await positions.load(lane) > after) return this.#startAnew();
    if (last !== undefined) {
      await this.#apply(records, after);
      this.#position = last.sequence;
      this.#checkpoint.count(records);
    }
    this.#reportProgress();
    await this.#keep();
    return last === undefined ? this.#restMs() : "busy";
  }

  awaited(position: number): void {
    this.#awaited = Math.max(this.#awaited, position);
  }

  /** A successor goes on from what is saved. */
  async close(): Promise<void> {
    if (this.#position === undefined) return;
    try {
      await this.#deps.outgoing.settled();
      await this.#checkpoint.close(this.#position);
    } catch (error) {
      this.#deps.logger.warn("lane_position_not_kept", { lane: this.#deps.lane, reason: troubleOf(error) });
    }
  }

  recover(error: unknown, { count, isLogged }: Failures): void {
    this.#startAnew();
    if (isLogged) this.#deps.logger.error("applier_failed", error, { lane: this.#deps.lane, failures: count });
  }

  async #start(): Promise<number> {
    const position = await this.#checkpoint.load();
    this.#position = position;
    this.#reportProgress();
    return position;
  }

  #startAnew(): "busy" {
    this.#position = undefined;
    this.#deps.outgoing.reset();
    this.#deps.cache.clear();
    this.#deps.holds.clear();
    this.#overdue.clear();
    return "busy";
  }

  async #apply(records: readonly LogRecord[], after: number): Promise<void> {
    const { outgoing } = this.#deps;
    if (outgoing.waiting > limits.eventsWaitingMax) await outgoing.settled();
    // Asked again and again: a read may come while they wait for their turn
    const isUrgent = this.#isAwaitedAfter.bind(this, after);
    const applied = await this.#deps.gate.run(async () => {
      await this.#deps.slices?.next(isUrgent);
      return await this.#applyTraced(records.flatMap(({ body }) => this.#deps.unpack(body)));
    }, isUrgent);
    for (const user of applied) {
      this.#report(user);
      this.#noteWaiting(user, after);
    }
  }

  /** Rows are written in the spans of their requests. */
  async #applyTraced(items: readonly Addressed[]): Promise<SlowUser[]> {
    const { tracer, lane, profiles } = this.#deps;
    if (!tracer?.on) return await applyBatch(this.#deps, items);
    return await tracedRecords({ tracer, lane: `profile-${lane}` }, items, (writing) => {
      const traced = { ...profiles, save: (changes: UserChanges) => writing(() => profiles.save(changes)) };
      return applyBatch({ ...this.#deps, profiles: traced }, items);
    });
  }

  #isAwaitedAfter(position: number): boolean {
    return this.#awaited > position;
  }

  #noteWaiting({ workspaceId, userId, blocked, blockedBy }: SlowUser, after: number): void {
    const key = `${workspaceId} ${userId}`;
    if (!blocked) {
      this.#waiting.delete(key);
      this.#overdue.delete(key);
    } else if (blockedBy?.hasFailed) this.#waitNoMore(key);
    else if (!this.#overdue.has(key) && !this.#waiting.has(key)) {
      this.#waiting.set(key, { position: after, since: this.#deps.clock.monotonic() });
    }
  }

  #waitNoMore(key: string): void {
    this.#waiting.delete(key);
    this.#overdue.add(key);
  }

  #reportProgress(): void {
    const now = this.#deps.clock.monotonic();
    let readable = this.#position ?? 0;
    for (const [key, { position, since }] of this.#waiting) {
      if (now - since > limits.laneWaitMsMax) this.#waitNoMore(key);
      else readable = Math.min(readable, position);
    }
    this.#deps.onApplied(readable);
  }

  #report({ workspaceId, userId, blockedBy }: SlowUser): void {
    if (!blockedBy?.hasFailed) return;
    const { reason, mark } = blockedBy;
    this.#deps.logger.error("user_held", new Error(reason), { workspaceId, userId, sequence: mark[0], part: mark[1] });
  }

  async #keep(): Promise<void> {
    const position = this.#position ?? 0;
    if (!this.#checkpoint.isDue(position)) return;
    await this.#deps.outgoing.settled();
    await this.#checkpoint.keep(position);
  }

  #restMs(): number {
    const waiting = this.#waiting.size > 0 ? limits.laneWaitMsMax : limits.laneIdleMsMax;
    return Math.min(waiting, Math.max(1, this.#checkpoint.dueInMs(this.#position ?? 0)));
  }
}
