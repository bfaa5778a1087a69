/** What a process tree has used, read from /proc: CPU time and resident memory. */
import { readdirSync, readFileSync } from "node:fs";

export interface Cost {
  /** Microseconds of user and system time. */
  readonly cpuUs: number;
  /** Bytes. */
  readonly residentBytes: number;
}

/** Linux counts process time in hundredths of a second. */
const tickUs = 10_000;
const pageBytes = 4096;

/** The cost so far of `pid` and all its descendants. */
export function costOf(pid: number): Cost {
  let cpuUs = 0;
  let residentBytes = 0;
  for (const member of treeOf(pid)) {
    const stat = statOf(member);
    cpuUs += (Number(stat[11]) + Number(stat[12])) * tickUs;
    residentBytes += Number(stat[21]) * pageBytes;
  }
  return { cpuUs, residentBytes };
}

function treeOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      parents.set(Number(entry), Number(statOf(Number(entry))[1]));
    } catch {
      // It ended while we looked.
    }
  }
  const tree = [pid];
  for (const member of tree) for (const [child, parent] of parents) if (parent === member) tree.push(child);
  return tree;
}

/** The fields after the command name, which may hold spaces. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}
