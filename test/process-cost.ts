/** What a process has cost so far, as Linux counts it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

/** False where the system does not report it. */
export const costIsTold = existsSync("/proc/self/schedstat");

/** Milliseconds of CPU, all threads. */
export function cpuMs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const times = readdirSync(tasks).map((task) => Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]));
  return times.reduce((sum, ns) => sum + ns, 0) / 1e6;
}

/** Megabytes of memory: now, and the most since `forgetPeak`. */
export function memoryMb(pid: number): { now: number; peak: number } {
  const text = readFileSync(`/proc/${pid}/status`, "utf8");
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) / 1024;
  return { now: of("VmRSS"), peak: of("VmHWM") };
}

export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
