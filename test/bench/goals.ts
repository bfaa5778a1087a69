/** What Heddle aims at in cost and time, and how a program of the bench says what it measured of it. `table.ts` runs them all and prints one table. */
import { appendFileSync, readFileSync } from "node:fs";
import { env } from "node:process";

export interface Goal {
  readonly figure: string;
  /** No more than that. */
  readonly must: number;
  readonly aim: number;
  /** Of bare packages: where it is more than the must, no program made of them comes to that. */
  readonly isFloor?: true;
}

/** By what `noteFigure` calls them, in the order of the table. */
export const goals = {
  "one-75-10000": { figure: "one process, 75 a request, CPU / three reads and an upsert: 10,000 users", must: 1.6, aim: 1.2 },
  "one-75-100000": { figure: "the same, 100,000 users", must: 2.0, aim: 1.4 },
  "one-1-100000": { figure: "one process, 1 a request, 32 connections, CPU / node:http with one object", must: 3, aim: 2.2 },
  "one-chain-100000": {
    figure: "beside that: node:http and SQLite bare with no user in memory, each object durable, then applied",
    must: 3,
    aim: 2.2,
    isFloor: true,
  },
  "one-1000000": { figure: "one process, 75 a request, CPU of 1,000,000 users / of 10,000", must: 1.8, aim: 1.5 },
  "one-10000000": { figure: "the same, 10,000,000 users", must: 3, aim: 2 },
  "one-idle": { figure: "one process with one workspace, memory while nothing happens / bare Node's", must: 2.2, aim: 1.6 },
  "one-start": { figure: "one process with one workspace, start to first accepted write, ms", must: 300, aim: 150 },
  "mesh-75": { figure: "mesh, 75 a request, CPU / what the same rows and bytes take of bare servers", must: 1.8, aim: 1.3 },
  "chain-75": { figure: "floor of that: the same packages bare, CPU / the same", must: 1.8, aim: 1.3, isFloor: true },
  "core-75": {
    figure: "and beside them Heddle's resolver and lanes with all rows and logs in memory",
    must: 1.8,
    aim: 1.3,
    isFloor: true,
  },
  "mesh-1": { figure: "mesh, 1 a request, 32 connections, 63 workspaces, CPU / node:http with one object", must: 18, aim: 12 },
  "chain-1": { figure: "floor of that: the same packages bare, CPU / node:http with one object", must: 18, aim: 12, isFloor: true },
  "mesh-1-few": { figure: "the same with 4 workspaces, whose rows meet in one write", must: 18, aim: 12 },
  "chain-1-few": { figure: "floor of that", must: 18, aim: 12, isFloor: true },
  "mesh-alone-p50": { figure: "mesh, 1 a request, 1 connection, p50 / one synced publish", must: 4, aim: 2.5 },
  "chain-alone-p50": { figure: "floor of that: the same packages bare, p50 / one synced publish", must: 4, aim: 2.5, isFloor: true },
  "mesh-alone-cpu": { figure: "mesh, 1 a request, 1 connection, CPU us", must: 3_000, aim: 1_500 },
  "chain-alone-cpu": { figure: "floor of that: the same packages bare, CPU us", must: 3_000, aim: 1_500, isFloor: true },
  "messages-request": { figure: "mesh, NATS messages of a request of one object", must: 20, aim: 12 },
  "messages-idle": { figure: "mesh, NATS messages a second while nothing happens", must: 10, aim: 3 },
  "readable-one": { figure: "one process, answered to readable at 80 %, p99 ms", must: 100, aim: 25 },
  "readable-mesh": { figure: "mesh, answered to readable at 80 %, p99 ms", must: 250, aim: 100 },
  "behind-others-one": { figure: "one process, one workspace sends more than can be applied: lag of another, p99 ms", must: 250, aim: 100 },
  "behind-own-one": { figure: "its own lag, largest, ms", must: 30_000, aim: 5_000 },
  "behind-others-mesh": { figure: "mesh, the same: lag of another, p99 ms", must: 250, aim: 100 },
  "behind-own-mesh": { figure: "its own lag, largest, ms", must: 30_000, aim: 5_000 },
  "mesh-idle": { figure: "mesh, Heddle's own processes while nothing happens, % of a core", must: 3, aim: 1 },
  "mesh-two": { figure: "mesh, saturated, objects a second of one profile process / of two on the same cores", must: 1, aim: 1 },
  "chain-two": { figure: "floor of that: the same packages bare, one part / two", must: 1, aim: 1, isFloor: true },
  "export-50-one": { figure: "one process, export of 50 ids, p99 ms", must: 5, aim: 3 },
  "status-50-one": { figure: "one process, status of 50 ids, p99 ms", must: 5, aim: 3 },
  "export-50-mesh": { figure: "mesh, export of 50 ids, p99 ms", must: 15, aim: 10 },
  "status-50-mesh": { figure: "mesh, status of 50 ids, p99 ms", must: 15, aim: 10 },
  "gets-50-mesh": {
    figure: "floor of that: the statements of a status of 50 ids from one bare process, p99 ms",
    must: 15,
    aim: 10,
    isFloor: true,
  },
  backup: { figure: "one process, backup of 1,000,000 users, s", must: 60, aim: 60 },
  restore: { figure: "one process, restore of 1,000,000 users, s", must: 120, aim: 120 },
  "after-kill": { figure: "one process, start after kill -9 in a minute of load, until all is applied, s", must: 5, aim: 5 },
} as const satisfies Record<string, Goal>;

/** Kept in the file HEDDLE_FIGURES where there is one, for the table of all of them. A name that is no goal's is nothing. */
export function noteFigure(name: string, value: number | undefined): void {
  if (env["HEDDLE_FIGURES"] !== undefined && value !== undefined && Number.isFinite(value)) {
    appendFileSync(env["HEDDLE_FIGURES"], `${JSON.stringify([name, value])}\n`);
  }
}

/** What was noted in the file, the last of each name. */
export function notedFigures(file: string): Map<string, number> {
  return new Map(readFileSync(file, "utf8").split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as [string, number]));
}
