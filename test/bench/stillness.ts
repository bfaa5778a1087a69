/** How busy the machine is with what is not measured: Linux tells the time of all cores, and that of each process. */
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { costOf } from "./process-cost.ts";

const tickUs = 10_000;
/** Of a core, beside what is measured and what measures: more than the housekeeping of a system. */
export const otherCoresMax = 0.1;

/**
 * Call what it gives at the end: cores that were busy with other things, on average. `pids`, this process and its children that ended are not other
 * things.
 */
export function watchOthers(pids: readonly number[]): () => number {
  const began = performance.now();
  const before = othersUs(pids);
  return () => Math.max(0, othersUs(pids) - before) / ((performance.now() - began) * 1_000);
}

function othersUs(pids: readonly number[]): number {
  const measured = [...new Set(pids)].reduce((sum, pid) => sum + costOf(pid).cpuUs, 0);
  return busyUs() - measured - ownUs();
}

/** Of this process, and of its children that it waited for. */
function ownUs(): number {
  const text = readFileSync("/proc/self/stat", "utf8");
  const [user = 0, system = 0, children = 0, systemOfChildren = 0] = text.slice(text.lastIndexOf(")") + 2).split(" ").slice(11, 15).map(
    Number,
  );
  return (user + system + children + systemOfChildren) * tickUs;
}

/** Time of all cores in which they did something: all but idle and waiting for a disk. */
function busyUs(): number {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, soft = 0, stolen = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + interrupts + soft + stolen) * tickUs;
}

export function machineText(): string {
  return `${cpus().length} cores, ${cpus()[0]?.model ?? "of a kind that is not said"}`;
}
