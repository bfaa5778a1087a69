/** The life of a process: start, run until a signal, drain within a deadline, exit with a code that says how it went. */
import process from "node:process";
import { type Clock, systemClock } from "./clock.ts";
import { limits } from "./limits.ts";
import type { Logger } from "./logger.ts";

export interface ProcessDeps<Started> {
  /** Undefined where it was asked to end before it started: then nothing is there to stop. */
  start(asked: AbortSignal): Promise<Started | undefined>;
  /** Ends what `start` gave: takes nothing new and finishes what it took. */
  stop(started: Started): Promise<void>;
  readonly drainMsMax: number;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** Where the end of the process and its signals come from; tests bring their own. */
  readonly exit?: (code: number) => void;
  readonly signals?: SignalSource;
}

interface SignalSource {
  on(name: string, listener: (detail: unknown) => void): unknown;
  off(name: string, listener: (detail: unknown) => void): unknown;
}

/**
 * Starts, waits for SIGTERM or SIGINT, drains, and exits: 0 when drained, 1 when the start failed, the drain failed
 * or passed `drainMsMax`, a second signal came, or something was thrown and not caught. A signal that follows the
 * first within `signalEchoMsMax` is its echo: Ctrl-C reaches us from the terminal and again from `npm start`.
 * A signal during the start stops as soon as that is done, or gives up waiting. Resolves with the exit code, for tests; a real exit comes first.
 */
export async function runUntilSignal<Started>(deps: ProcessDeps<Started>): Promise<number> {
  const { logger } = deps;
  const exit = deps.exit ?? ((code: number) => process.exit(code));
  const asked = new AbortController();
  const ended = Promise.withResolvers<number>();
  const clock = deps.clock ?? systemClock;
  const watch = watchSignals({ source: deps.signals ?? (process as SignalSource), clock }, {
    first: () => asked.abort(),
    second: () => ended.resolve(1),
    fault: (error) => {
      logger.error("uncaught", error);
      ended.resolve(1);
    },
  });
  const course = runCourse(deps, asked.signal);
  const code = await Promise.race([course, ended.promise]);
  watch.end();
  exit(code);
  return code;
}

async function runCourse<Started>(deps: ProcessDeps<Started>, asked: AbortSignal): Promise<number> {
  const { logger } = deps;
  let started: Started | undefined;
  try {
    started = await deps.start(asked);
  } catch (error) {
    logger.error("start_failed", error);
    return 1;
  }
  if (started === undefined) {
    logger.info("stopped");
    return 0;
  }
  if (!asked.aborted) await new Promise((done) => asked.addEventListener("abort", done, { once: true }));
  logger.info("stopping");
  const late = Promise.withResolvers<"late">();
  const cancel = (deps.clock ?? systemClock).after(deps.drainMsMax, () => late.resolve("late"));
  try {
    if ((await Promise.race([deps.stop(started), late.promise])) === "late") {
      logger.warn("drain_deadline_passed", { drainMsMax: deps.drainMsMax });
      return 1;
    }
    logger.info("stopped");
    return 0;
  } catch (error) {
    logger.error("stop_failed", error);
    return 1;
  } finally {
    cancel();
  }
}

/** Counts signals; an uncaught fault ends the process, whose state is no longer known. */
function watchSignals(
  from: { source: SignalSource; clock: Clock },
  on: { first: () => void; second: () => void; fault: (error: unknown) => void },
): { end(): void } {
  const { source, clock } = from;
  let firstAt: number | undefined;
  let failed = false;
  /** Only the first is reported: where reporting fails (a log without a reader), each one reported would cause the next. */
  function fault(error: unknown): void {
    if (failed) return;
    failed = true;
    on.fault(error);
  }
  function signalled(): void {
    if (firstAt === undefined) on.first();
    else if (clock.monotonic() - firstAt > limits.signalEchoMsMax) on.second();
    firstAt ??= clock.monotonic();
  }
  const listeners: [string, (detail: unknown) => void][] = [
    ["SIGTERM", signalled],
    ["SIGINT", signalled],
    ["uncaughtException", fault],
    ["unhandledRejection", fault],
  ];
  for (const [name, listener] of listeners) source.on(name, listener);
  return {
    end() {
      for (const [name, listener] of listeners) source.off(name, listener);
    },
  };
}
