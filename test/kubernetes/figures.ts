/** How the tests on a cluster tell what they measured: lines that begin with "figure:". */
import type { LoadResult } from "./load.ts";

export function figure(what: string, value: string): void {
  console.log(`figure: ${what}: ${value}`);
}

export function summary({ requests, writes, failed, failingSeconds, slowestMs, lost, reordered, repeated }: LoadResult): string {
  return `${requests} requests, ${writes} writes, ${failed} failed within ${failingSeconds} s, ${lost} lost, ${reordered} reordered, ` +
    `${repeated} repeated, slowest ${seconds(slowestMs)} s`;
}

export function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
