/** What of an embedded lane is applied next: reads ahead in each workspace, so that nobody waits for what concerns others. */
import { limits } from "../limits.ts";
import type { Lane, LanePlace, LaneRecord } from "./lane.ts";
import { isBefore, markOf } from "./mark.ts";
import { createPending, type Pending, type Waits } from "./pending.ts";

export interface LaneReaderParts {
  readonly lane: Lane;
  readonly concernOf: (record: LaneRecord) => RecordConcern;
}

/** Users or addresses that a record changes, those that anybody can tell; and whether one request says the same of very many. */
export type RecordConcern = Pick<Waits, "keys" | "isOfMany">;

export interface Turn {
  /** None: there is nothing for now. */
  readonly records: readonly LaneRecord[];
  /** Part of what one request says of very many. */
  readonly isOfMany: boolean;
  /** There may be something in what was not looked at yet. */
  readonly hasMore: boolean;
  /** What the lane said of itself when they were chosen. */
  readonly returns: number;
}

export interface LaneReader {
  /** How many users or addresses wait, of those that were read ahead. */
  readonly size: number;
  /** `takesMany`: whether what concerns very many has rested. Undefined where the lane is empty. */
  next(takesMany: boolean): Turn | undefined;
  /** They were taken out of the lane. */
  done(records: readonly LaneRecord[]): void;
  /** What was read has to be read again. */
  forget(): void;
  /** Somebody waits for these users or addresses: what they need goes first, until the returned function is called. */
  want(workspaceId: string, keys: readonly string[]): () => void;
  /** Whether everything of the workspace up to the place is applied; of these keys alone, where they are given. */
  isPast(workspaceId: string, place: LanePlace, keys?: readonly string[]): boolean;
  /** The same, for many at one moment. */
  pastOf(): LaneReader["isPast"];
}

export function createLaneReader(parts: LaneReaderParts): LaneReader {
  return new Reader(parts);
}

class Reader implements LaneReader {
  readonly #parts: LaneReaderParts;
  readonly #windows = new Map<string, Window>();
  readonly #wanted = new Map<string, Map<string, number>>();
  #returns: number;
  /** Workspaces take turns: the one that had the last. */
  #served = "";
  /** What concerns few and what concerns very many take turns, where both are there. */
  #hadMany = false;
  /** Who is waited for and who is not, too. */
  #first: "wanted" | "few" = "few";
  /** Workspaces that had nothing to do since something was found. */
  readonly #idle = new Set<string>();

  constructor(parts: LaneReaderParts) {
    this.#parts = parts;
    this.#returns = parts.lane.returns;
  }

  get size(): number {
    return this.#windows.values().reduce((sum, { pending }) => sum + pending.size, 0);
  }

  next(takesMany: boolean): Turn | undefined {
    this.#forgetReturns();
    const workspaces = this.#turn();
    if (workspaces.length === 0) {
      this.#windows.clear();
      return undefined;
    }
    const each = Math.ceil(limits.laneReadUsersMax / workspaces.length);
    const windows = workspaces.map((workspaceId) => [workspaceId, this.#windowOf(workspaceId)] as const);
    const hasMore = this.#readAhead(windows, each);
    // First it is found out who is behind it
    const many = takesMany && !hasMore ? windows.find(([, { pending }]) => pending.many > 0) : undefined;
    if (many !== undefined && !this.#hadMany) return this.#ofMany(many);
    const records = this.#ofFew(windows, each);
    if (many !== undefined && records.length === 0) return this.#ofMany(many);
    if (records.length === 0) return this.#found({ records, isOfMany: false, hasMore: this.#lookOn(workspaces) || hasMore });
    this.#served = records.at(-1)?.workspaceId ?? this.#served;
    return this.#found({ records, isOfMany: false, hasMore });
  }

  done(records: readonly LaneRecord[]): void {
    for (const [workspaceId, own] of Map.groupBy(records, (record) => record.workspaceId)) {
      this.#windows.get(workspaceId)?.pending.remove(own);
    }
  }

  forget(): void {
    this.#windows.clear();
  }

  want(workspaceId: string, keys: readonly string[]): () => void {
    // So many are served in their turn
    if (keys.length > limits.laneWantedKeysMax) return () => {};
    const counts = this.#wanted.get(workspaceId) ?? new Map<string, number>();
    this.#wanted.set(workspaceId, counts);
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    return () => {
      for (const key of keys) {
        const count = (counts.get(key) ?? 0) - 1;
        if (count > 0) counts.set(key, count);
        else counts.delete(key);
      }
      if (counts.size === 0 && this.#wanted.get(workspaceId) === counts) this.#wanted.delete(workspaceId);
    };
  }

  isPast(workspaceId: string, place: LanePlace, keys?: readonly string[]): boolean {
    return this.pastOf()(workspaceId, place, keys);
  }

  pastOf(): LaneReader["isPast"] {
    this.#forgetReturns();
    const firsts = new Map<string, LanePlace | undefined>();
    return (workspaceId, place, keys) => {
      const window = this.#windows.get(workspaceId);
      if (keys !== undefined && window?.isRead(place)) return keys.every((key) => window.pending.isPast(key, markOf(place)));
      if (!firsts.has(workspaceId)) firsts.set(workspaceId, this.#parts.lane.first(workspaceId));
      const first = firsts.get(workspaceId);
      return first === undefined || isBefore(markOf(place), markOf(first));
    };
  }

  #ofMany([workspaceId, { pending }]: readonly [string, Window]): Turn {
    this.#served = workspaceId;
    return this.#found({ records: pending.nextOfMany(), isOfMany: true, hasMore: false });
  }

  /** One record may fill the whole step: whose workspace had no room in it is next. */
  #ofFew(windows: readonly (readonly [string, Window])[], each: number): LaneRecord[] {
    this.#first = this.#first === "wanted" ? "few" : "wanted";
    const records = windows.flatMap(([workspaceId, { pending }]) =>
      pending.next(each, this.#wanted.get(workspaceId) ?? nobody, this.#first)
    );
    return ofUsers(limits.laneReadUsersMax, records);
  }

  #found(turn: Omit<Turn, "returns">): Turn {
    this.#hadMany = turn.isOfMany;
    if (turn.records.length > 0) this.#idle.clear();
    return { ...turn, returns: this.#returns };
  }

  /** Goes on to the workspaces behind these, which have nothing to do, until all were looked at; true as long as it does. */
  #lookOn(workspaces: readonly string[]): boolean {
    const isRound = workspaces.every((id) => this.#idle.has(id));
    if (isRound || workspaces.length < limits.laneWorkspacesPerRead) {
      this.#idle.clear();
      return false;
    }
    for (const id of workspaces) this.#idle.add(id);
    this.#served = workspaces.at(-1) ?? "";
    return true;
  }

  #readAhead(windows: readonly (readonly [string, Window])[], few: number): boolean {
    for (const [workspaceId] of this.#windows) {
      if (this.size < limits.laneAheadUsersMax || windows.some(([id]) => id === workspaceId)) break;
      this.#windows.delete(workspaceId);
    }
    const room = limits.laneAheadUsersMax - this.size;
    return windows.map(([, window]) => window.readAhead(few, room > 0)).includes(true);
  }

  /** What is put back lies before what was read. */
  #forgetReturns(): void {
    const { returns } = this.#parts.lane;
    if (returns !== this.#returns) this.forget();
    this.#returns = returns;
  }

  /** Some of the workspaces that have records, beginning behind the one that was served last. */
  #turn(): string[] {
    const { lane } = this.#parts;
    const after = lane.workspaces(this.#served, limits.laneWorkspacesPerRead);
    const room = limits.laneWorkspacesPerRead - after.length;
    const before = room === 0 || this.#served === "" ? [] : lane.workspaces("", room).filter((id) => id <= this.#served);
    return [...after, ...before];
  }

  #windowOf(workspaceId: string): Window {
    const window = this.#windows.get(workspaceId) ?? new Window(workspaceId, this.#parts);
    this.#windows.delete(workspaceId);
    this.#windows.set(workspaceId, window);
    // Those of the turn are the last
    for (const other of this.#windows.keys()) {
      if (this.#windows.size <= limits.laneWindowsMax) break;
      this.#windows.delete(other);
    }
    return window;
  }
}

/** What was read of one workspace. */
class Window {
  readonly pending: Pending<LaneRecord> = createPending();
  readonly #workspaceId: string;
  readonly #parts: LaneReaderParts;
  #through: LaneRecord | undefined;

  constructor(workspaceId: string, parts: LaneReaderParts) {
    this.#workspaceId = workspaceId;
    this.#parts = parts;
  }

  /** Until there are `few` records that concern few, some records at a time; true where there may be more. */
  readAhead(few: number, hasRoom: boolean): boolean {
    const { lane, concernOf } = this.#parts;
    if (this.pending.few >= few || (!hasRoom && this.pending.size > 0)) return false;
    const records = lane.read(this.#workspaceId, this.#through, limits.laneAheadRecords);
    for (const record of records) this.pending.add(record, { mark: markOf(record), ...concernOf(record) });
    // There are records, and none behind those that were read: they can only lie before them
    const isMissing = records.length === 0 && this.pending.size === 0 && this.#through !== undefined;
    this.#through = isMissing ? undefined : records.at(-1) ?? this.#through;
    return isMissing || records.length === limits.laneAheadRecords;
  }

  isRead(place: LanePlace): boolean {
    return this.#through !== undefined && !isBefore(markOf(this.#through), markOf(place));
  }
}

const nobody: ReadonlySet<string> = new Set();

/** The first of the records, about `max` users; one record at least. */
function ofUsers(max: number, records: readonly LaneRecord[]): LaneRecord[] {
  let room = max;
  const tooMuch = records.findIndex(({ users = 1 }, at) => (room -= users) < 0 && at > 0);
  return records.slice(0, tooMuch < 0 ? records.length : tooMuch);
}
