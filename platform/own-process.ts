/** What a process says of itself to operators: which build it runs, on what, and since when. */
import { hostname } from "node:os";
import process from "node:process";
import type { Clock } from "./clock.ts";
import { newId } from "./identifier.ts";

/** Of package.json. */
export const buildVersion = "0.1.0";

export interface OwnProcess {
  /** Of this life of it. */
  readonly id: string;
  /** As `heddle serve` names it; `heddle`: all of them in one process. */
  readonly part: string;
  readonly version: string;
  /** With its version. */
  readonly runtime: string;
  /** The machine, or the pod. */
  readonly host: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
}

export function ownProcess(part: string, clock: Clock): OwnProcess {
  const { deno, node } = process.versions;
  return {
    id: newId("proc_", clock),
    part,
    version: buildVersion,
    runtime: deno === undefined ? `Node ${node}` : `Deno ${deno}`,
    host: hostname(),
    startedAt: Math.round(clock.now() - process.uptime() * millis),
  };
}

const millis = 1_000;
