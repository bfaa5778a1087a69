/** What of an embedded lane is applied next: reads ahead in each workspace, so that nobody waits for what concerns others. */
import { limits } from "../limits.ts";
import { type Lane, type LanePlace, type LaneRecord, usersIn } from "./lane.ts";
import { isBefore, type Mark } from "./mark.ts";
import { createPending, type Pending } from "./pending.ts";

export interface LaneReaderParts {
  readonly lane: Lane;
  /** Users or addresses that a record changes, those that anybody can tell. */
  readonly keysOf: (record: LaneRecord) => readonly string[];
}

export interface Turn {
  /** None: there is nothing for now. */
  readonly records: readonly LaneRecord[];
  /** Part of what one request says of very many. */
  readonly isOfMany: boolean;
  /** There may be more to read ahead. */
  readonly hasMore: boolean;
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
    const hasMore = windows.map(([, window]) => window.readAhead(each)).includes(true);
    // First it is found out who is behind it
    const many = takesMany && !hasMore ? windows.find(([, { pending }]) => pending.many > 0) : undefined;
    if (many !== undefined && !this.#hadMany) return this.#ofMany(many, hasMore);
    const records = windows.flatMap(([workspaceId, { pending }]) => pending.next(each, this.#wanted.get(workspaceId)?.keys() ?? []));
    if (many !== undefined && records.length === 0) return this.#ofMany(many, hasMore);
    const some = ofUsers(limits.laneReadUsersMax, records);
    // One record may fill the whole step: who had no room in it is next
    this.#served = some.at(-1)?.workspaceId ?? this.#served;
    this.#hadMany = false;
    return { records: some, isOfMany: false, hasMore };
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
    this.#forgetReturns();
    const window = this.#windows.get(workspaceId);
    if (keys !== undefined && window?.isRead(place)) return keys.every((key) => window.pending.isPast(key, markOf(place)));
    return this.#parts.lane.isPast(workspaceId, place);
  }

  #ofMany([workspaceId, { pending }]: readonly [string, Window], hasMore: boolean): Turn {
    this.#served = workspaceId;
    this.#hadMany = true;
    return { records: pending.nextOfMany(), isOfMany: true, hasMore };
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
  readAhead(few: number): boolean {
    const { lane, keysOf } = this.#parts;
    if (this.pending.few >= few || this.pending.size >= limits.laneAheadUsersMax) return false;
    const records = lane.read(this.#workspaceId, this.#through, limits.laneAheadRecords);
    for (const record of records) {
      const isOfMany = (record.users ?? 1) >= limits.fanOutUsersMin;
      this.pending.add(record, { mark: markOf(record), keys: keysOf(record), isOfMany });
    }
    // There are records, and none behind those that were read: they can only lie before them
    const isMissing = records.length === 0 && this.pending.size === 0 && this.#through !== undefined;
    this.#through = isMissing ? undefined : records.at(-1) ?? this.#through;
    return isMissing || records.length === limits.laneAheadRecords;
  }

  isRead(place: LanePlace): boolean {
    return this.#through !== undefined && !isBefore(markOf(this.#through), markOf(place));
  }
}

function markOf({ sequence, part }: LanePlace): Mark {
  return [sequence, part];
}

/** The first of the records, about `max` users; one record at least. */
function ofUsers(max: number, records: readonly LaneRecord[]): LaneRecord[] {
  let room = max;
  const tooMuch = records.findIndex((record, at) => (room -= usersIn([record])) < 0 && at > 0);
  return records.slice(0, tooMuch < 0 ? records.length : tooMuch);
}
