/**
 * What was read of a lane and is not applied yet: what can go next, and up to which message all of it is applied. Records of
 * one user or address keep their order; a fan-out does not delay the records of others.
 */
import type { LogRecord } from "../../../platform/log/log.ts";
import { unpackRecords } from "../../../platform/log/packed-records.ts";
import { limits } from "../../../platform/limits.ts";
import type { Wanted } from "../../../platform/lane/applied-queries.ts";
import type { Concern, LaneBody } from "../engine/lane-message.ts";
import { Pending } from "./pending.ts";

/** One that was read, until it is applied. */
export interface WindowBody extends LaneBody {
  readonly message: Message;
}

interface Message {
  readonly sequence: number;
  /** Records of it that are not applied. */
  left: number;
}

/** Undefined: the record is applied alone, after all that stand before it and before all behind it. */
export type ConcernOf = (body: Uint8Array) => Concern | undefined;

/** A user or address of a workspace, as windows and the reads that wait for them name it. */
export function laneKey(workspaceId: string, name: string): string {
  return `${workspaceId}\n${name}`;
}

/** How much all windows of a process hold together. */
export interface WindowRoom {
  /** Users or addresses that are spoken of, each as often as it is. */
  users: number;
  bytes: number;
}

/** Keys that a caller waits for, and whether what they need or what concerns few is chosen first. */
type Choice = [wanted: Wanted, first: "wanted" | "few"];

export interface LaneWindowDeps {
  /** The last message up to which everything is applied. */
  readonly position: number;
  readonly concernOf: ConcernOf;
  readonly room: WindowRoom;
}

export class LaneWindow {
  /** The last message up to which everything is applied. */
  position: number;
  /** The last message that was read. */
  read: number;
  readonly #concernOf: ConcernOf;
  readonly #room: WindowRoom;
  /** Those that are not applied whole, and those behind them. */
  readonly #messages: Message[] = [];
  /** Records of one message that do not take part yet, in order. */
  #coming: WindowBody[] = [];
  /** Messages behind it, which are not unpacked before there is room for what is in them. */
  #packed: LogRecord[] = [];
  readonly #pending = new Pending<WindowBody>();
  #bytes = 0;

  constructor({ position, concernOf, room }: LaneWindowDeps) {
    this.position = position;
    this.read = position;
    this.#concernOf = concernOf;
    this.#room = room;
  }

  /** Nothing is left that concerns few, and there is room: what follows in the lane can be read. */
  get isOpen(): boolean {
    return this.#pending.few === 0 && !this.isBlocked;
  }

  /** Records of what one request says of very many. */
  get many(): number {
    return this.#pending.many;
  }

  /** Users or addresses of all records that take part, each as often as it is spoken of. */
  get users(): number {
    return this.#pending.size;
  }

  /** What was read does not all take part: for want of room, or because a record has to be applied alone. */
  get isBlocked(): boolean {
    return !this.#hasEnough() && (this.#coming.length > 0 || this.#packed.length > 0 || this.#isFull());
  }

  /** What follows those that were read, in order. Throws RangeError, as do `next` and `applied`, where a message is broken. */
  add(records: readonly LogRecord[]): void {
    for (const record of records) {
      this.#packed.push(record);
      this.read = record.sequence;
    }
    this.#fill();
    this.#advance();
  }

  /** What can go next, in the order of their places, of `max` users at most or one record. */
  next(max: number, ...choice: Choice): WindowBody[] {
    this.#fill();
    const [alone] = this.#coming;
    return this.#pending.size === 0 && alone !== undefined ? [alone] : this.#pending.next(max, ...choice);
  }

  /** The first records of fan-outs, of `max` users at most or one record, with all that has to go before them. */
  nextOfMany(max: number): WindowBody[] {
    return this.#pending.nextOfMany(max);
  }

  /** They were given by one of the two, and are in. */
  applied(bodies: readonly WindowBody[]): void {
    for (const { message } of bodies) message.left -= 1;
    if (bodies[0] !== undefined && bodies[0] === this.#coming[0]) this.#coming.shift();
    else this.#leave(bodies);
    this.#advance();
    this.#fill();
    this.#advance();
  }

  /** Whether everything of the keys up to the message is applied. */
  isPast(keys: readonly string[], message: number): boolean {
    if (message <= this.position) return true;
    const first = this.#coming[0]?.message ?? this.#packed[0];
    const takesPart = first === undefined ? message <= this.read : message < first.sequence;
    return takesPart && keys.every((key) => this.#pending.isPast(key, [message, Infinity]));
  }

  /** Forgets everything, and gives its room back. */
  close(): void {
    this.#room.users -= this.#pending.size;
    this.#room.bytes -= this.#bytes;
    this.#coming = [];
    this.#packed = [];
    this.position = 0;
    this.read = 0;
  }

  #fill(): void {
    do {
      let taken = 0;
      for (const coming of this.#coming) {
        if (this.#isFull() || this.#hasEnough()) break;
        const concern = this.#concernOf(coming.body);
        if (concern === undefined) break;
        this.#take(coming, concern);
        taken += 1;
      }
      if (taken > 0) this.#coming = this.#coming.slice(taken);
    } while (this.#coming.length === 0 && !this.#isFull() && !this.#hasEnough() && this.#unpack());
  }

  #unpack(): boolean {
    const [record] = this.#packed;
    if (record === undefined) return false;
    const { sequence } = record;
    const bodies = unpackRecords(record.body);
    this.#packed.shift();
    const message = { sequence, left: bodies.length };
    this.#messages.push(message);
    this.#coming = bodies.map((body, at) => ({ body, place: [sequence, at], message }));
    return true;
  }

  /** What may stay for long is copied: a body is a view of its whole message, which would stay with it. */
  #take({ body, ...coming }: WindowBody, { workspaceId, names, isOfMany, goesFirst = false }: Concern): void {
    const keys = names.map((name) => laneKey(workspaceId, name));
    const taken = { ...coming, body: isOfMany ? new Uint8Array(body) : body };
    this.#account(body.byteLength, () => this.#pending.add(taken, { mark: taken.place, keys, isOfMany, goesFirst }));
  }

  #leave(bodies: readonly WindowBody[]): void {
    const bytes = bodies.reduce((sum, { body }) => sum + body.byteLength, 0);
    this.#account(-bytes, () => this.#pending.remove(bodies));
  }

  #account(bytes: number, change: () => void): void {
    const before = this.#pending.size;
    change();
    this.#room.users += this.#pending.size - before;
    this.#room.bytes += bytes;
    this.#bytes += bytes;
  }

  /** However much the others hold, a window has room for one batch. */
  #isFull(): boolean {
    const { size } = this.#pending;
    if (size === 0) return false;
    if (this.#messages.length >= limits.laneWindowMessagesMax) return true;
    if (size < limits.laneBatchUsersMax && this.#bytes < limits.laneBytesMax) return false;
    return this.#room.users >= limits.laneWindowUsersMax || this.#room.bytes >= limits.laneWindowBytesMax;
  }

  /** There is enough to do for now: what follows is not unpacked before its time. */
  #hasEnough(): boolean {
    return this.#pending.few >= limits.laneBatchUsersMax;
  }

  #advance(): void {
    let done = 0;
    for (const { sequence, left } of this.#messages) {
      if (left > 0) break;
      this.position = sequence;
      done += 1;
    }
    if (done > 0) this.#messages.splice(0, done);
  }
}
