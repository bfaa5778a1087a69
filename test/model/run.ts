/** Many histories at once on one system: the first that differs is shrunk alone and reported with its seed. */
import * as fc from "fast-check";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { historyOf, type Step } from "./history.ts";
import { play } from "./player.ts";
import { type RealSystem, startSystem } from "./system.ts";

export interface RunOptions {
  readonly histories: number;
  readonly seed: number;
  readonly stepsMax?: number;
  /** Clients at once. */
  readonly clients?: number;
  readonly plant?: string;
  /** False: a failure is reported as it was found. */
  readonly shrink?: boolean;
}

export interface RunResult {
  readonly played: number;
  /** Of those, how many ended where a write without a key had no answer: they say nothing. */
  readonly givenUp: number;
  readonly crashes: number;
  readonly failure?: {
    readonly seed: number;
    readonly history: number;
    readonly steps: readonly Step[];
    readonly differences: readonly string[];
  };
}

export async function runHistories(options: RunOptions): Promise<RunResult> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-model-"));
  const system = await startSystem({ folder, ...(options.plant === undefined ? {} : { plant: options.plant }) });
  try {
    return await runOn(system, options);
  } finally {
    await system.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runOn(system: RealSystem, options: RunOptions): Promise<RunResult> {
  const histories = historiesOf(options);
  let next = 0;
  let givenUp = 0;
  let failed: { history: number; steps: readonly Step[]; differences: string[] } | undefined;
  const client = async (): Promise<void> => {
    while (!failed && next < options.histories) {
      const history = next++;
      const steps = histories(history);
      const differences = await play(system, steps, `h${history}-`);
      if (differences === undefined) givenUp += 1;
      else if (differences.length > 0) failed ??= { history, steps, differences };
    }
  };
  await Promise.all(Array.from({ length: options.clients ?? 16 }, client));
  const result = { played: next, givenUp, crashes: system.crashes };
  if (!failed) return result;
  if (options.shrink === false) return { ...result, failure: { seed: options.seed, ...failed } };
  const steps = await shrunk(system, failed.steps);
  const differences = await play(system, steps, `h${serial++}-`) ?? [];
  return {
    ...result,
    failure: { seed: options.seed, history: failed.history, steps, differences: differences.length > 0 ? differences : failed.differences },
  };
}

/** The nth history of a seed, made in chunks so that a long run needs no memory for all. */
function historiesOf(options: RunOptions): (n: number) => readonly Step[] {
  const chunkSize = 500;
  let chunk: readonly (readonly Step[])[] = [];
  let chunkAt = -1;
  return (n) => {
    const at = Math.floor(n / chunkSize);
    if (at !== chunkAt) chunk = fc.sample(historyOf(options.stepsMax ?? 30), { seed: options.seed + at, numRuns: chunkSize });
    chunkAt = at;
    return chunk[n % chunkSize] ?? [];
  };
}

/** Prefixes for replays while shrinking, apart from those of the histories. */
let serial = 500_000;

/** Drops steps, and parts of steps, as long as the rest still differs. A failure that needs a crash in flight may not shrink. */
async function shrunk(system: RealSystem, steps: readonly Step[]): Promise<readonly Step[]> {
  let smallest = steps;
  for (let again = true; again;) {
    again = false;
    for (const candidate of smaller(smallest)) {
      const differences = await play(system, candidate, `h${serial++}-`) ?? [];
      if (differences.length === 0) continue;
      smallest = candidate;
      again = true;
      break;
    }
  }
  return smallest;
}

function* smaller(steps: readonly Step[]): Generator<readonly Step[]> {
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < steps.length; at += size) yield [...steps.slice(0, at), ...steps.slice(at + size)];
  }
  for (const [at, step] of steps.entries()) {
    for (const part of smallerStep(step)) yield [...steps.slice(0, at), part, ...steps.slice(at + 1)];
  }
}

function* smallerStep(step: Step): Generator<Step> {
  if (step.type === "track" && step.objects.length > 1) {
    for (const at of step.objects.keys()) yield { ...step, objects: step.objects.toSpliced(at, 1) };
  }
  if (step.type === "merge" && step.updates.length > 1) {
    for (const at of step.updates.keys()) yield { ...step, updates: step.updates.toSpliced(at, 1) };
  }
  if (step.type !== "track") return;
  for (const [at, object] of step.objects.entries()) {
    if (object.kind !== "attribute") continue;
    for (const name of Object.keys(object.custom)) {
      const custom = Object.fromEntries(Object.entries(object.custom).filter(([key]) => key !== name));
      yield { ...step, objects: step.objects.with(at, { ...object, custom }) };
    }
    for (const name of Object.keys(object.fields)) {
      const fields = Object.fromEntries(Object.entries(object.fields).filter(([key]) => key !== name));
      yield { ...step, objects: step.objects.with(at, { ...object, fields }) };
    }
  }
}
