/** The life of a process: which course ends with which code. */
import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { fakeClock } from "./clock.fixture.ts";
import { limits } from "./limits.ts";
import { type Logger, silentLogger } from "./logger.ts";
import { type ProcessDeps, runUntilSignal } from "./process.ts";

function stage(deps: Partial<ProcessDeps<string>> = {}) {
  const clock = fakeClock();
  const signals = new EventEmitter();
  const done: string[] = [];
  const logger: Logger = { ...silentLogger, error: (event) => done.push(event), warn: (event) => done.push(event) };
  const code = runUntilSignal({
    start: async () => {
      done.push("start");
      return "server";
    },
    stop: async (started) => {
      done.push(`stop ${started}`);
    },
    drainMsMax: 10_000,
    logger,
    clock,
    signals,
    exit: (exitCode) => done.push(`exit ${exitCode}`),
    ...deps,
  });
  return { clock, signals, done, code };
}

describe("runUntilSignal()", () => {
  test.each(["SIGTERM", "SIGINT"])("drains and exits 0 at %s", async (signal) => {
    const { signals, done, code } = stage();
    await Promise.resolve();
    expect(done).toEqual(["start"]);
    signals.emit(signal);
    expect(await code).toBe(0);
    expect(done).toEqual(["start", "stop server", "exit 0"]);
    expect(signals.eventNames()).toEqual([]);
  });

  test("stops after the start when the signal came during it", async () => {
    const start = Promise.withResolvers<string>();
    const { signals, done, code } = stage({ start: () => start.promise });
    signals.emit("SIGTERM");
    start.resolve("late server");
    expect(await code).toBe(0);
    expect(done).toEqual(["stop late server", "exit 0"]);
  });

  test("gives up waiting when the signal comes before it started, and has nothing to stop", async () => {
    const { signals, done, code } = stage({
      start: (asked) => new Promise((given) => asked.addEventListener("abort", () => given(undefined))),
    });
    signals.emit("SIGINT");
    expect(await code).toBe(0);
    expect(done).toEqual(["exit 0"]);
  });

  test("exits 1 at once at a second signal, but not at the echo of the first", async () => {
    const { clock, signals, done, code } = stage({ stop: () => new Promise(() => {}) });
    signals.emit("SIGINT");
    signals.emit("SIGINT");
    clock.advance(limits.signalEchoMsMax);
    signals.emit("SIGINT");
    await new Promise(setImmediate);
    expect(done).toEqual(["start"]);
    clock.advance(1);
    signals.emit("SIGTERM");
    expect(await code).toBe(1);
    expect(done).toEqual(["start", "exit 1"]);
  });

  test("exits 1 when the drain passes its deadline", async () => {
    const draining = Promise.withResolvers<void>();
    const { clock, signals, done, code } = stage({
      stop: () => {
        draining.resolve();
        return new Promise(() => {});
      },
    });
    signals.emit("SIGTERM");
    await draining.promise;
    clock.advance(10_000);
    expect(await code).toBe(1);
    expect(done).toEqual(["start", "drain_deadline_passed", "exit 1"]);
  });

  test.each<[string, Partial<ProcessDeps<string>>, string]>([
    ["the start fails", { start: () => Promise.reject(new Error("port taken")) }, "start_failed"],
    ["the drain fails", { stop: () => Promise.reject(new Error("planted")) }, "stop_failed"],
  ])("exits 1 and says so when %s", async (_, deps, event) => {
    const { signals, done, code } = stage(deps);
    signals.emit("SIGTERM");
    expect(await code).toBe(1);
    expect(done.slice(-2)).toEqual([event, "exit 1"]);
  });

  test.each(["uncaughtException", "unhandledRejection"])("exits 1 at an %s", async (name) => {
    const { signals, done, code } = stage();
    signals.emit(name, new Error("planted"));
    expect(await code).toBe(1);
    expect(done.slice(-2)).toEqual(["uncaught", "exit 1"]);
  });

  test("tells one uncaught fault: telling may be what fails", async () => {
    const { signals, done, code } = stage();
    for (let count = 0; count < 3; count += 1) signals.emit("uncaughtException", new Error("planted"));
    expect(await code).toBe(1);
    expect(done.filter((event) => event === "uncaught")).toEqual(["uncaught"]);
  });
});
