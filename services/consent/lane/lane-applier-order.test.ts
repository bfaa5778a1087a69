/** Appliers of one lane that stop anywhere: within each user nothing overtakes, and no place is reported or kept before it is applied. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { limits } from "../../../platform/limits.ts";
import type { LogRecord } from "../../../platform/log/log.ts";
import { packRecords } from "../../../platform/log/packed-records.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { createGate } from "../../../platform/gate.ts";
import { type LaneApplying, startLaneApplier } from "./lane-applier.ts";
import type { LaneBody } from "../engine/lane-message.ts";
import { laneKey } from "./lane-window.ts";

/** No names: it has to be alone. */
interface Payload {
  readonly names: readonly string[];
  readonly isOfMany: boolean;
}

const name = fc.constantFrom("a", "b", "c", "d", "e", "f");
const said = fc.oneof(
  { weight: 6, arbitrary: fc.record({ names: fc.uniqueArray(name, { minLength: 1, maxLength: 2 }), isOfMany: fc.constant(false) }) },
  { weight: 5, arbitrary: fc.record({ names: fc.uniqueArray(name, { minLength: 2, maxLength: 4 }), isOfMany: fc.constant(true) }) },
  { weight: 1, arbitrary: fc.constant({ names: [], isOfMany: false }) },
);
const messages = fc.array(fc.array(said, { maxLength: 4 }), { minLength: 3, maxLength: 16, size: "max" });

/** What may happen while the lane is applied, one after the other. */
const events = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constant({ type: "send" as const }) },
    { weight: 5, arbitrary: fc.record({ type: fc.constant("pass" as const), ms: fc.constantFrom(1, 60, 1_100) }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant("ask" as const), names: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("fail" as const), isIn: fc.boolean() }) },
    { weight: 1, arbitrary: fc.constant({ type: "handOver" as const }) },
  ),
  { minLength: 10, maxLength: 40, size: "max" },
);

class World {
  readonly clock = fakeClock();
  readonly room = { users: 0, bytes: 0 };
  readonly #all: Payload[] = [];
  readonly #log: LogRecord[] = [];
  /** By message, the numbers of its records. */
  readonly #numbers = new Map<number, number[]>();
  readonly #applied = new Set<number>();
  readonly #listeners = new Set<(lane: number) => void>();
  readonly #faults: boolean[] = [];
  /** An applier tries again what throws, so what must not be is kept here. */
  readonly #wrong: string[] = [];
  #kept = 0;
  #applier = this.#start();

  send(message: readonly Payload[]): void {
    const sequence = 3 * (this.#log.length + 1);
    const numbers = message.map((one) => this.#all.push(one) - 1);
    this.#numbers.set(sequence, numbers);
    this.#log.push({ sequence, body: packRecords(numbers.map((number) => Uint8Array.of(number))) });
    for (const listener of this.#listeners) listener(0);
  }

  fail(isIn: boolean): void {
    this.#faults.push(isIn);
  }

  ask(names: readonly string[]): void {
    const through = this.#log.at(-1)?.sequence ?? 0;
    const meant = this.#upTo(through).filter((number) => this.#said(number).names.some((one) => names.includes(one)));
    const keys = names.map((one) => laneKey("w", one));
    const told = (isIn: boolean) => isIn && this.#check(meant.filter((number) => !this.#applied.has(number)), "it was said to be in");
    void this.#applier.ask({ through, keys, ms: 2_000 }).then(told);
  }

  /** The one before may be in the middle of something. */
  async handOver(): Promise<void> {
    const before = this.#applier;
    this.#applier = this.#start();
    await this.pass(1);
    await before.close();
  }

  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    for (let times = 0; times < 12; times += 1) await new Promise<void>((resolve) => setImmediate(resolve));
  }

  async end(): Promise<void> {
    this.#faults.length = 0;
    for (let times = 0; times < 200 && this.#applied.size < this.#all.length; times += 1) await this.pass(limits.readerRetryMsMax);
    expect(this.#applied.size).toBe(this.#all.length);
    await this.pass(limits.laneIdleMsMax);
    expect(this.#kept).toBe(this.#log.at(-1)?.sequence ?? 0);
    await this.#applier.close();
    expect(this.room).toEqual({ users: 0, bytes: 0 });
    expect(this.#wrong).toEqual([]);
  }

  #start(): LaneApplying {
    return startLaneApplier({
      lane: 0,
      clock: this.clock,
      logger: silentLogger,
      gate: createGate(1),
      room: this.room,
      lanes: {
        read: (_, after, { max }) => Promise.resolve(this.#log.filter(({ sequence }) => sequence > after).slice(0, Math.min(max, 3))),
        trim: (_, through) => Promise.resolve(this.#isIn(through)),
        watch: (listener) => {
          this.#listeners.add(listener);
          return () => this.#listeners.delete(listener);
        },
      },
      positions: {
        load: () => Promise.resolve(this.#kept),
        save: (_, position) => {
          this.#isIn(position);
          this.#kept = Math.max(this.#kept, position);
          return Promise.resolve(true);
        },
        trim: () => Promise.resolve(),
      },
      trimBytes: 1,
      concernOf: (body) => {
        const one = this.#said(body[0] ?? -1);
        return one.names.length === 0 ? undefined : { workspaceId: "w", ...one };
      },
      apply: (bodies) => this.#apply(bodies),
      onApplied: (position) => this.#isIn(position),
    });
  }

  async #apply(bodies: readonly LaneBody[]): Promise<void> {
    const fault = this.#faults.shift();
    for (const { body: [number = -1] } of bodies) {
      await Promise.resolve();
      if (fault === false) throw new Error("planted");
      this.#mayGo(number);
      this.#applied.add(number);
    }
    if (fault !== undefined) throw new Error("planted");
  }

  /** Everything before it that it has to wait for is in; what is in already goes as often as it likes. */
  #mayGo(number: number): void {
    if (this.#applied.has(number)) return;
    const { names } = this.#said(number);
    const isBefore = (other: Payload) => names.length === 0 || other.names.length === 0 || other.names.some((one) => names.includes(one));
    const waited = [...this.#all.entries()].filter(([at, other]) => at !== number && isBefore(other)).map(([at]) => at);
    this.#check(waited.filter((at) => at < number && !this.#applied.has(at)), `${number} did not wait for it`);
    this.#check(waited.filter((at) => at > number && this.#applied.has(at)), `it did not wait for ${number}`);
  }

  #check(wrong: readonly number[], why: string): void {
    for (const number of wrong) this.#wrong.push(`${number}: ${why}`);
  }

  #isIn(position: number): void {
    this.#check(this.#upTo(position).filter((number) => !this.#applied.has(number)), `it is not in, and ${position} is told`);
  }

  #upTo(position: number): number[] {
    return [...this.#numbers].flatMap(([sequence, numbers]) => (sequence <= position ? numbers : []));
  }

  #said(number: number): Payload {
    const one = this.#all[number];
    if (one === undefined) throw new Error(`Expected a record below ${this.#all.length}, got ${number}`);
    return one;
  }
}

test("an applier that stops anywhere, or is taken over in the middle", async () => {
  await fc.assert(
    fc.asyncProperty(messages, events, async (all, happening) => {
      const world = new World();
      const left = [...all];
      for (const event of happening) {
        if (event.type === "send") world.send(left.shift() ?? []);
        if (event.type === "pass") await world.pass(event.ms);
        if (event.type === "ask") world.ask(event.names);
        if (event.type === "fail") world.fail(event.isIn);
        if (event.type === "handOver") await world.handOver();
      }
      for (const message of left) world.send(message);
      await world.end();
    }),
    { numRuns: 60 },
  );
});
