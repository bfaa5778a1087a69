/** What every log driver must do, sentence by sentence of the port; a driver joins by passing it. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { limits } from "../limits.ts";
import type { Log } from "./log.ts";

/** A log to be tested: new and empty, with a clock the suite moves, and a way to close it and open the same again. */
export interface LogUnderTest {
  readonly log: Log;
  readonly clock: { advance(ms: number): void };
  reopen(): Promise<Log>;
  dispose(): Promise<void>;
}

/** `open` gives a new log with at least 3 partitions. */
export function describeLog(driver: string, open: () => Promise<LogUnderTest>): void {
  describe(`log contract: ${driver}`, () => {
    let under: LogUnderTest;
    let log: Log;
    beforeEach(async () => {
      under = await open();
      log = under.log;
    });
    afterEach(() => under.dispose());

    describeOrder(() => log);
    describeReading(() => log);
    describePriority(() => ({ log, clock: under.clock }));

    test("append() is durable: a log opened again has the record, and counts on from it", async () => {
      const first = await log.append(1, bytesOf("kept"));
      log = await under.reopen();
      expect(await textsOf(log, 1)).toEqual(["kept"]);
      expect(await log.tail(1)).toBe(first);
      expect(await log.append(1, bytesOf("next"))).toBeGreaterThan(first);
    });

    test("trim() of everything leaves the tail, also when opened again, and no sequence is given twice", async () => {
      const last = await lastOf(log, 2, 5);
      await log.trim(2, last);
      expect(await textsOf(log, 2)).toEqual([]);
      log = await under.reopen();
      expect(await log.tail(2)).toBe(last);
      expect(await log.append(2, bytesOf("new"))).toBeGreaterThan(last);
    });

    test("close() makes what was appended before it durable, and what comes after is refused", async () => {
      const pending = log.append(0, bytesOf("last"));
      await log.close();
      await pending;
      await expect(log.append(0, bytesOf("late"))).rejects.toMatchObject({ reason: "LOG_UNAVAILABLE" });
      log = await under.reopen();
      expect(await textsOf(log, 0)).toEqual(["last"]);
    });
  });
}

function describeOrder(current: () => Log): void {
  test("append() gives sequences above 0 that rise in call order, also for appends that wait together", async () => {
    const sequences = await Promise.all(numbered(50).map((text) => current().append(0, bytesOf(text))));
    expect(sequences[0]).toBeGreaterThan(0);
    expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
    expect(await textsOf(current(), 0)).toEqual(numbered(50));
  });

  test("append() keeps one order a partition, each of its own", async () => {
    await Promise.all(numbered(30).map((text, index) => current().append(index % 3, bytesOf(text))));
    for (const partition of [0, 1, 2]) {
      expect(await textsOf(current(), partition)).toEqual(numbered(30).filter((_, index) => index % 3 === partition));
    }
  });

  test("append() takes an empty record and gives its bytes back as they were", async () => {
    const all = Uint8Array.from({ length: 256 }, (_, index) => index);
    await current().append(0, new Uint8Array());
    await current().append(0, all);
    const records = await current().read(0, 0, roomy);
    expect(records.map((record) => [...record.body])).toEqual([[], [...all]]);
  });

  test("tail() is 0 where there was never a record, then the sequence of the last", async () => {
    expect(await current().tail(0)).toBe(0);
    const last = await lastOf(current(), 0, 3);
    expect(await current().tail(0)).toBe(last);
    expect(await current().tail(1)).toBe(0);
  });

  test("append(), tail(), read() refuse a partition that is not there as a fault", async () => {
    const log = current();
    for (const partition of [-1, log.partitions, 0.5]) {
      expect(await thrownBy(() => log.append(partition, bytesOf("x")))).toBeInstanceOf(RangeError);
      expect(await thrownBy(() => log.tail(partition))).toBeInstanceOf(RangeError);
      expect(await thrownBy(() => log.read(partition, 0, roomy))).toBeInstanceOf(RangeError);
    }
  });
}

function describeReading(current: () => Log): void {
  for (const reading of [{}, { current: true }]) {
    const how = reading.current ? ", current" : "";
    test(`read() gives what is above \`after\`, in order, at most \`max\`${how}`, async () => {
      const sequences = await Promise.all(numbered(6).map((text) => current().append(0, bytesOf(text))));
      const records = await current().read(0, sequences[1] ?? 0, { max: 3, bytesMax: 1000, ...reading });
      expect(records.map((record) => record.sequence)).toEqual(sequences.slice(2, 5));
      expect(await current().read(0, sequences[5] ?? 0, { ...roomy, ...reading })).toEqual([]);
    });

    test(`read() stops before \`bytesMax\` is passed, but gives the first record whatever its size${how}`, async () => {
      for (const text of ["12345678", "12", "34", "56"]) await current().append(0, bytesOf(text));
      const first = await current().read(0, 0, { max: 10, bytesMax: 4, ...reading });
      expect(first.map(textOf)).toEqual(["12345678"]);
      const next = await current().read(0, first[0]?.sequence ?? 0, { max: 10, bytesMax: 4, ...reading });
      expect(next.map(textOf)).toEqual(["12", "34"]);
    });
  }

  test("trim() forgets up to and including `through`, and nothing of another partition", async () => {
    const sequences = await Promise.all(numbered(4).map((text) => current().append(0, bytesOf(text))));
    await current().append(1, bytesOf("other"));
    await current().trim(0, sequences[1] ?? 0);
    expect(await textsOf(current(), 0)).toEqual(["2", "3"]);
    expect(await textsOf(current(), 1)).toEqual(["other"]);
  });

  test("trim() beyond the tail takes no record that comes later", async () => {
    const last = await lastOf(current(), 0, 2);
    await Promise.all([current().trim(0, last + 100), current().append(0, bytesOf("meanwhile"))]);
    await current().append(0, bytesOf("later"));
    expect(await textsOf(current(), 0)).toEqual(["meanwhile", "later"]);
  });

  test("watch() calls back once something new may be read, until it is stopped", async () => {
    const seen: number[] = [];
    const first = new Promise<void>((resolve) => {
      const stop = current().watch((partition) => {
        seen.push(partition);
        stop();
        resolve();
      });
    });
    await current().append(2, bytesOf("news"));
    await first;
    expect(await textsOf(current(), seen[0] ?? -1)).toEqual(["news"]);
    await current().append(2, bytesOf("more"));
    await current().append(2, bytesOf("more"));
    expect(seen).toEqual([2]);
  });
}

function describePriority(current: () => { log: Log; clock: LogUnderTest["clock"] }): void {
  test("append() of low priority comes after the normal ones that wait with it", async () => {
    const { log } = current();
    const low = numbered(3).map((text) => log.append(0, bytesOf(`low ${text}`), "low"));
    const normal = numbered(3).map((text) => log.append(0, bytesOf(text)));
    await Promise.all([...low, ...normal]);
    expect(await textsOf(log, 0)).toEqual(["0", "1", "2", "low 0", "low 1", "low 2"]);
  });

  test("append() of low priority waits for normal ones no longer than its time", async () => {
    const { log, clock } = current();
    let done = false;
    const low = log.append(0, bytesOf("low"), "low").then(() => (done = true));
    for (let round = 0; round < 5; round += 1) await Promise.all([log.append(0, bytesOf("a")), afterNext(log)]);
    expect(done).toBe(false);
    clock.advance(limits.lowPriorityWaitMsMax);
    for (let round = 0; round < 3; round += 1) await Promise.all([log.append(0, bytesOf("b")), afterNext(log)]);
    expect(done).toBe(true);
    await low;
  });

  /** Keeps a normal append waiting while the one before it is written, as steady load does. */
  async function afterNext(log: Log): Promise<void> {
    const first = log.append(1, bytesOf("load"));
    await first.then(() => log.append(1, bytesOf("load")));
  }
}

const roomy = { max: 10_000, bytesMax: 1_000_000 };

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index));
}

async function lastOf(log: Log, partition: number, count: number): Promise<number> {
  const sequences = await Promise.all(numbered(count).map((text) => log.append(partition, bytesOf(text))));
  return sequences.at(-1) ?? 0;
}

async function textsOf(log: Log, partition: number): Promise<string[]> {
  return (await log.read(partition, 0, roomy)).map(textOf);
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function textOf(record: { body: Uint8Array }): string {
  return new TextDecoder().decode(record.body);
}

/** What `call` throws at once or rejects with. */
async function thrownBy(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error;
  }
}
