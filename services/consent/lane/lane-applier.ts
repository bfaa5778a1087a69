/**
 * The applier of one lane whose messages are packed records: reads it in order from its checkpoint, and moves
 * that only past what is saved and published. Order is kept within each user: one request about very many takes turns with
 * all others (docs/decisions/0027-order-within-a-user.md). Two appliers may run at the same time: each writes the same with
 * the same ages.
 */
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import { whenQuiet } from "../../../platform/quiet.ts";
import type { Log } from "../../../platform/log/log.ts";
import type { Logger } from "../../../platform/logger.ts";
import type { Gate } from "../../../platform/gate.ts";
import { type AppliedQueries, createAppliedQueries, type QueryApplied } from "../../../platform/lane/applied-queries.ts";
import { LaneCheckpoint } from "../../../platform/lane/lane-checkpoint.ts";
import type { LanePositions } from "../../../platform/lane/lane-positions.ts";
import type { LaneBody } from "../engine/lane-message.ts";
import { type ConcernOf, LaneWindow, type WindowBody, type WindowRoom } from "./lane-window.ts";
import { type Failures, type Reading, readOn } from "../../../platform/lane/read-on.ts";
import { troubleOf } from "../../../platform/faults/trouble.ts";

export interface LaneApplierDeps {
  /** The lane, as the layout numbers it. */
  readonly lane: number;
  /** What the log calls it, where that is not its number. */
  readonly name?: string;
  readonly lanes: Pick<Log, "read" | "trim" | "watch">;
  readonly positions: LanePositions;
  /** Bytes of the lane after which it is trimmed. */
  readonly trimBytes: number;
  readonly concernOf: ConcernOf;
  /** Everything is saved and published when it resolves. Throws what store and log throw; doing it again is harmless. */
  readonly apply: (bodies: readonly LaneBody[]) => Promise<void>;
  /** Absent: as lanes of the mesh. */
  readonly pace?: LanePace;
  /** Shared by the lanes of a process. */
  readonly gate: Gate;
  readonly room: WindowRoom;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Everything up to the message at `position` can be read. */
  readonly onApplied: (position: number) => void;
}

interface LanePace {
  /** Users or addresses that are taken together at most; and of a fan-out. */
  readonly usersMax: number;
  readonly fanOutUsersMax: number;
  /** How long without a notice until the lane is looked at, and how often the position is saved, in milliseconds. */
  readonly idleMs: number;
  readonly saveMs: number;
}

const meshPace: LanePace = {
  usersMax: limits.laneBatchUsersMax,
  fanOutUsersMax: limits.fanOutPieceUsersMax,
  idleMs: limits.laneIdleMsMax,
  saveMs: limits.lanePositionSaveMs,
};

export interface LaneApplying extends Reading {
  /** Users or addresses that a caller waits for go before others. */
  readonly ask: QueryApplied;
}

export function startLaneApplier(deps: LaneApplierDeps): LaneApplying {
  const applier = new LaneApplier(deps, () => reading.wake());
  const reading = readOn({
    clock: deps.clock,
    idleMs: (deps.pace ?? meshPace).idleMs,
    watch: (wake) =>
      deps.lanes.watch((changed) => {
        if (changed !== deps.lane) return;
        applier.noticed();
        wake();
      }),
  }, applier);
  return {
    ...reading,
    ask: applier.ask,
    async close() {
      await reading.close();
      await applier.close();
    },
  };
}

class LaneApplier {
  readonly ask: QueryApplied;
  readonly #deps: LaneApplierDeps;
  readonly #pace: LanePace;
  readonly #queries: AppliedQueries;
  /** Undefined: the lane has to be read again. */
  #window: LaneWindow | undefined;
  /** Something may follow in the lane, as far as is heard; without a notice it is looked for at a time. */
  #mayFollow = true;
  #lookAt = 0;
  /** The last look found something. */
  #hasRead = false;
  /** When fan-outs go on. */
  #manyAt = 0;
  #stopLooking = () => {};
  #first: "wanted" | "few" = "few";
  #published = 0;
  readonly #checkpoint: LaneCheckpoint;
  #applying = false;

  readonly #wake: () => void;

  constructor(deps: LaneApplierDeps, wake: () => void) {
    this.#deps = deps;
    this.#wake = wake;
    this.#pace = deps.pace ?? meshPace;
    this.#checkpoint = new LaneCheckpoint({ ...deps, name: deps.lane, saveMs: this.#pace.saveMs });
    this.#queries = createAppliedQueries({
      clock: deps.clock,
      isPast: (keys, message) => this.#window?.isPast(keys, message) ?? false,
      onAsk: ({ through }) => {
        // The notice of it may have been lost
        if (through > (this.#window?.read ?? 0)) this.noticed();
        wake();
      },
    });
    this.ask = this.#queries.ask;
  }

  noticed(): void {
    this.#mayFollow = true;
  }

  async turn(): Promise<"busy" | "idle" | number> {
    this.#applying = false;
    const window = this.#window ?? await this.#start();
    const isIn = await this.#readOn(window);
    if (isIn === "lost") return "busy";
    const few = await this.#applyNext(window);
    const many = await this.#applyOfMany(window);
    await this.#checkpoint.keep(window.position);
    if (isIn === "more" || few || many) return "busy";
    const now = this.#deps.clock.monotonic();
    if (window.many > 0) return Math.max(1, this.#manyAt - now);
    return Math.max(1, Math.min(this.#lookAt - now, this.#checkpoint.dueInMs(window.position)));
  }

  /** What could not be applied is still there, and so is all that was applied before its turn. */
  recover(error: unknown, { count, isLogged }: Failures): void {
    if (!this.#applying) this.#forget();
    if (isLogged) this.#deps.logger.error("applier_failed", error, { lane: this.#deps.name ?? this.#deps.lane, failures: count });
  }

  /** A successor goes on from what is kept. */
  async close(): Promise<void> {
    this.#stopLooking();
    const window = this.#window;
    try {
      if (window !== undefined) await this.#checkpoint.close(window.position);
    } catch (error) {
      this.#deps.logger.warn("lane_position_not_kept", { lane: this.#deps.name ?? this.#deps.lane, reason: troubleOf(error) });
    }
    this.#forget();
    this.#queries.close();
  }

  #forget(): void {
    this.#window?.close();
    this.#window = undefined;
    this.#mayFollow = true;
    this.#hasRead = false;
  }

  async #start(): Promise<LaneWindow> {
    const { concernOf, room, onApplied } = this.#deps;
    const position = await this.#checkpoint.load();
    const window = new LaneWindow({ position, concernOf, room });
    this.#window = window;
    this.#published = position;
    onApplied(position);
    this.#queries.settle();
    return window;
  }

  /** Reads what follows, where there is room. Lost: another applier is further, and the window begins anew. */
  async #readOn(window: LaneWindow): Promise<"more" | "nothing" | "lost"> {
    const { lane, lanes, positions, clock } = this.#deps;
    const now = clock.monotonic();
    if (!window.isOpen || (!this.#mayFollow && now < this.#lookAt)) return "nothing";
    this.#mayFollow = false;
    this.#lookAt = now + this.#pace.idleMs;
    const after = window.read;
    const read = await lanes.read(lane, after, { max: limits.laneRecordsMax, bytesMax: limits.laneBytesMax });
    const records = read.filter(({ sequence }) => sequence > after);
    const isEnd = records.length === 0;
    // The end of what was just read needs no second look
    if (isEnd && this.#hasRead) {
      this.#hasRead = false;
      return "nothing";
    }
    this.#hasRead = !isEnd;
    this.#mayFollow = !isEnd;
    // Where another applier is further, the lane may be trimmed there, and what was read may begin behind a gap
    if (!records[0]?.isNext && await positions.load(lane) > after) {
      this.#forget();
      return "lost";
    }
    if (isEnd) return "nothing";
    this.#checkpoint.count(records);
    window.add(records);
    this.#reportProgress(window);
    return "more";
  }

  async #applyNext(window: LaneWindow): Promise<boolean> {
    const { usersMax } = this.#pace;
    const max = window.many > 0 ? Math.min(usersMax, limits.laneBatchBesideManyUsersMax) : usersMax;
    // Neither those who ask nor those who write keep the others waiting for long
    this.#first = this.#first === "few" ? "wanted" : "few";
    return await this.#apply(window, window.next(max, this.#queries.wanted, this.#first)) !== undefined;
  }

  async #applyOfMany(window: LaneWindow): Promise<boolean> {
    const { clock } = this.#deps;
    if (window.many === 0 || clock.monotonic() < this.#manyAt) return false;
    const workedMs = await this.#apply(window, window.nextOfMany(this.#pace.fanOutUsersMax)) ?? 0;
    this.#manyAt = clock.monotonic() + restOf(workedMs, window);
    this.#stopLooking();
    // Where the thread is idle it goes on before its rest is over
    this.#stopLooking = whenQuiet(clock, workedMs * limits.fanOutQuietRestFactor, () => {
      this.#manyAt = 0;
      this.#wake();
    });
    return true;
  }

  /** How long it took, in milliseconds; undefined where there was nothing to do. */
  async #apply(window: LaneWindow, bodies: readonly WindowBody[]): Promise<number | undefined> {
    if (bodies.length === 0) return undefined;
    const { gate, apply, clock } = this.#deps;
    this.#applying = true;
    const workedMs = await gate.run(async () => {
      const began = clock.monotonic();
      await apply(bodies);
      return clock.monotonic() - began;
    });
    this.#applying = false;
    window.applied(bodies);
    this.#reportProgress(window);
    return workedMs;
  }

  #reportProgress(window: LaneWindow): void {
    if (window.position > this.#published) {
      this.#published = window.position;
      this.#deps.onApplied(window.position);
    }
    this.#queries.settle();
  }
}

/** It goes on sooner where no more can be read, as the records behind wait for all of it then, and where very many users are left. */
function restOf(workedMs: number, { isBlocked, users }: LaneWindow): number {
  if (isBlocked) return workedMs * limits.fanOutBlockedRestFactor;
  return Math.min(workedMs * limits.fanOutRestFactor, limits.fanOutRestMsMax) * Math.min(1, limits.laneRestUsersMax / users);
}
