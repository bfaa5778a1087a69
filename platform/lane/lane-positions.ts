/** How far a lane is applied, kept beside the lanes: a checkpoint a lane, which never moves back. */
import { Buffer } from "node:buffer";
import type { FencedSteps } from "../log/fenced-step.ts";

export interface LanePositions {
  /** The last message of the lane up to which everything is applied; 0 at the start. */
  load(lane: number): Promise<number>;
  /** Keeps a position that was reached, unless a later one is kept; false where it may not be kept. */
  save(lane: number, position: number): Promise<boolean>;
}

export function createLanePositions(steps: FencedSteps, subjectOf: (lane: number) => string): LanePositions {
  /** By lane: the checkpoint that the next one expects. */
  const known = new Map<number, { readonly sequence: number; readonly position: number }>();

  async function read(lane: number): Promise<{ readonly sequence: number; readonly position: number }> {
    const found = await steps.checkpoint(subjectOf(lane));
    const kept = found === undefined
      ? { sequence: 0, position: 0 }
      : { sequence: found.sequence, position: Number(Buffer.from(found.body).toString()) };
    known.set(lane, kept);
    return kept;
  }

  return {
    load: async (lane) => (await read(lane)).position,
    async save(lane, position) {
      const { sequence, position: kept } = known.get(lane) ?? await read(lane);
      if (kept >= position) return true;
      const checkpointSubject = subjectOf(lane);
      const body = Buffer.from(String(position));
      const outcome = await steps.publishStep({
        messages: [{ subject: checkpointSubject, body }],
        checkpointSubject,
        expectedLast: sequence,
      });
      if (outcome.kind !== "accepted") {
        // Somebody else keeps the lane's position too, or no answer came: the next save sees what is there
        known.delete(lane);
        return false;
      }
      known.set(lane, { sequence: outcome.sequence, position });
      await steps.trimCheckpoints(checkpointSubject, outcome.sequence);
      return true;
    },
  };
}
