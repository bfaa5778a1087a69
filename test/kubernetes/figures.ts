/** How the tests on a cluster report what they measured: rows of the table in docs/kubernetes.md. */
import { appendFileSync } from "node:fs";
import { env } from "node:process";
import type { LoadResult } from "./load.ts";

export const tableHead = [
  "| command or step | took (s) | requests, kept-alive + new connections | failed, the same | for at most (s) | lost, reordered, repeated | slowest (s) |",
  "| --- | --- | --- | --- | --- | --- | --- |",
].join("\n");

/** A row of the table, printed and kept in the file HEDDLE_FIGURES for all.ts, which prints all. `took`: milliseconds. */
export function figure(what: string, { took, load, says = "", failed = "" }: Figure): void {
  const cells = load
    ? [both(load, "requests"), both(load, "failed"), load.failingSeconds, exactness(load), seconds(load.slowestMs)]
    : [says, failed, "", "", ""];
  const row = `| ${[what, took === undefined ? "" : seconds(took), ...cells].join(" | ")} |`;
  console.log(row);
  if (env.HEDDLE_FIGURES !== undefined) appendFileSync(env.HEDDLE_FIGURES, `${row}\n`);
}

function both({ kept, fresh }: LoadResult, what: "requests" | "failed"): string {
  return [kept, fresh].map((one) => one[what].toLocaleString("en")).join(" + ");
}

function exactness({ lost, reordered, repeated }: LoadResult): string {
  return [lost, reordered, repeated].join(", ");
}

export function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

export interface Figure {
  readonly took?: number;
  readonly load?: LoadResult;
  /** In the place of the requests. */
  readonly says?: string;
  readonly failed?: string;
}
