/** How far a lane is applied, kept beside the lanes: a checkpoint a lane, which never moves back. */
import { Buffer } from "node:buffer";
import type { FencedSteps } from "../log/fenced-step.ts";
import type { RowWatermarks } from "./row-watermarks.ts";

export interface LanePositions {
  /** The last message of the lane up to which everything is applied; 0 at the start. */
  load(lane: number): Promise<number>;
  /** Keeps a position that was reached, unless a later one is kept; false where it may not be kept. */
  save(lane: number, position: number): Promise<boolean>;
  /** Forgets the positions before the last one that this process has seen. */
  trim(lane: number): Promise<void>;
}

export interface LanePositionDeps {
  /** What the position of a lane is called, beside the lanes and beside the rows. */
  readonly nameOf: (lane: number) => string;
  readonly subjectOf: (name: string) => string;
  /** Reached before the lanes may be trimmed up to there; without them only the lanes say how far rows are. */
  readonly watermarks?: RowWatermarks;
}

export function createLanePositions(steps: FencedSteps, { nameOf, subjectOf, watermarks }: LanePositionDeps): LanePositions {
  /** By lane: the checkpoint that the next one expects. */
  const known = new Map<number, { readonly sequence: number; readonly position: number }>();

  async function read(lane: number): Promise<{ readonly sequence: number; readonly position: number }> {
    const name = nameOf(lane);
    const found = await steps.checkpoint(subjectOf(name));
    const { position, rows } = found === undefined ? { position: 0, rows: 0 } : positionFromBytes(found.body);
    watermarks?.expect(new Map([[name, rows]]));
    const kept = { sequence: found?.sequence ?? 0, position };
    known.set(lane, kept);
    return kept;
  }

  return {
    load: async (lane) => (await read(lane)).position,
    async save(lane, position) {
      const { sequence, position: kept } = known.get(lane) ?? await read(lane);
      if (kept >= position) return true;
      const name = nameOf(lane);
      await watermarks?.reach(new Map([[name, position]]));
      const checkpointSubject = subjectOf(name);
      const outcome = await steps.publishStep({
        messages: [{ subject: checkpointSubject, body: positionToBytes(position, watermarks !== undefined) }],
        checkpointSubject,
        expectedLast: sequence,
      });
      if (outcome.kind !== "accepted") {
        // Another process saved the lane's position too, or no answer came: the next save sees what is there
        known.delete(lane);
        return false;
      }
      known.set(lane, { sequence: outcome.sequence, position });
      return true;
    },
    async trim(lane) {
      const last = known.get(lane);
      if (last !== undefined && last.sequence > 0) await steps.trimCheckpoints(subjectOf(nameOf(lane)), last.sequence);
    },
  };
}

/** `rows`: how far the watermark beside the rows is at least; 0 in what a build without watermarks wrote. */
export function positionFromBytes(body: Uint8Array): { readonly position: number; readonly rows: number } {
  const text = Buffer.from(body).toString();
  const position = Number(text);
  return { position, rows: text.endsWith(noted) ? position : 0 };
}

/** Builds without watermarks read the number all the same. */
function positionToBytes(position: number, isNoted: boolean): Uint8Array {
  return Buffer.from(`${position}${isNoted ? noted : ""}`);
}

const noted = "\n";
