/** The lanes knew how far the intake was resolved: in lanes that begin anew, checkpoints say it again, so that what was resolved before is not done a second time. */
import { checkpointToBytes, firstCheckpoint } from "../lane/resolver-checkpoint.ts";
import type { FencedSteps } from "../log/fenced-step.ts";
import { checkpointSubject } from "../log/jetstream-stream.ts";

interface ResolvedPlaces {
  /** Of the lanes' stream. */
  readonly name: string;
  /** By partition of the intake. */
  readonly resolved: ReadonlyMap<number, number>;
  readonly now: number;
}

/** It can be done again. Throws where it is not known whether a checkpoint was written. */
export async function writeResolvedPlaces(
  steps: Pick<FencedSteps, "checkpoint" | "publishStep">,
  { name, resolved, now }: ResolvedPlaces,
): Promise<void> {
  for (const [partition, through] of resolved) {
    const subject = checkpointSubject(name, `resolve-${partition}`);
    // One that an earlier run wrote says the same
    if (await steps.checkpoint(subject) !== undefined) continue;
    const messages = [{ subject, body: checkpointToBytes({ ...firstCheckpoint, through, now }) }];
    const outcome = await steps.publishStep({ messages, checkpointSubject: subject, expectedLast: 0 });
    if (outcome.kind !== "unknown") continue;
    throw new Error(`It is not known whether the place of partition ${partition} was written: run this again`, { cause: outcome.cause });
  }
}
