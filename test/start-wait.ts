/** Waiting for a process that starts: as long as it moves, however slow the machine is, and saying for what. */
import { type Clock, systemClock } from "../platform/clock.ts";
import { costIsTold, cpuMs } from "./process-cost.ts";

/** What can be seen of it from outside. */
export interface Starting {
  readonly name: string;
  readonly pid: number | undefined;
  /** All it printed so far, or the end of that. */
  printed(): string;
}

export interface Patience {
  /** How long it may neither print nor take CPU. */
  readonly stillMsMax: number;
  readonly clock: Clock;
  /** Milliseconds of CPU so far; undefined where the system does not report it. */
  readonly cpuMs: (pid: number) => number | undefined;
}

/** From now on `tell` hears every few seconds what is still waited for. */
export function tellWaits(tell: (line: string) => void): void {
  told = tell;
}

/** What `started` gives; rejects when it rejects, and when the process stands still: it may end it then. */
export async function whileItMoves<T>(started: Promise<T>, starting: Starting, patience: Patience = usual): Promise<T> {
  const { clock, stillMsMax } = patience;
  const beganAt = clock.monotonic();
  const still = Promise.withResolvers<never>();
  let cancel: () => void;
  let seen = look(starting, patience);
  let [movedAt, toldAt] = [beganAt, beganAt];
  function lookAgain(): void {
    cancel = clock.after(lookMs, lookAgain);
    const [now, at] = [look(starting, patience), clock.monotonic()];
    // The little that an idle process takes is no movement
    if (now.printed !== seen.printed || now.cpuMs - seen.cpuMs >= movingShare * (at - movedAt)) [seen, movedAt] = [now, at];
    if (at - toldAt >= tellMs) {
      told(`Waiting for ${starting.name}, ${Math.round((at - beganAt) / 1_000)} s: ${lastLine(now.printed)}`);
      toldAt = at;
    }
    if (at - movedAt < stillMsMax) return;
    still.reject(new Error(`${starting.name} is not ready and did nothing for ${stillMsMax} ms. It printed:\n${now.printed}`));
  }
  cancel = clock.after(lookMs, lookAgain);
  try {
    return await Promise.race([started, still.promise]);
  } finally {
    cancel();
  }
}

let told: (line: string) => void = () => {};
const lookMs = 1_000;
const tellMs = 5_000;
const movingShare = 0.02;
const usual: Patience = { stillMsMax: 120_000, clock: systemClock, cpuMs: (pid) => (costIsTold ? cpuMs(pid) : undefined) };

function look({ pid, printed }: Starting, patience: Patience): { readonly printed: string; readonly cpuMs: number } {
  return { printed: printed(), cpuMs: (pid === undefined ? undefined : cpuOf(pid, patience)) ?? 0 };
}

/** A process that has just ended has none. */
function cpuOf(pid: number, patience: Patience): number | undefined {
  try {
    return patience.cpuMs(pid);
  } catch {
    return undefined;
  }
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.slice(0, 200) || "it has said nothing yet";
}
