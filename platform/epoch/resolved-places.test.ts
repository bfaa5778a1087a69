/** Places of lanes that begin anew are there before anything goes on. */
import { expect, test } from "vitest";
import { checkpointFromBytes } from "../lane/resolver-checkpoint.ts";
import type { FencedSteps, StepOutcome } from "../log/fenced-step.ts";
import { writeResolvedPlaces } from "./resolved-places.ts";

const places = { name: "lanes", resolved: new Map([[0, 7], [1, 9]]), now: 5 };

/** A stream that does not answer the first publish, which landed or not. */
function openSteps({ landed }: { readonly landed: boolean }) {
  const written = new Map<string, number>();
  const outcomes: StepOutcome["kind"][] = ["unknown"];
  const steps: Pick<FencedSteps, "checkpoint" | "publishStep"> = {
    async checkpoint(subject) {
      return written.has(subject) ? { sequence: 1, body: new Uint8Array() } : undefined;
    },
    async publishStep({ messages: [message], checkpointSubject }) {
      const kind = outcomes.shift() ?? "accepted";
      if (kind === "accepted" || landed) written.set(checkpointSubject, checkpointFromBytes(message?.body ?? new Uint8Array()).through);
      return kind === "unknown" ? { kind, cause: new Error("No answer") } : { kind: "accepted", sequence: 1, sequences: [1] };
    },
  };
  return { steps, written };
}

test.each([true, false])(
  "where it is not known whether a place was written (it was: %s) nothing goes on, and done again all are there",
  async (landed) => {
    const { steps, written } = openSteps({ landed });
    await expect(writeResolvedPlaces(steps, places)).rejects.toThrow("run this again");
    await writeResolvedPlaces(steps, places);
    expect(written).toEqual(new Map([["lanes.checkpoint.resolve-0", 7], ["lanes.checkpoint.resolve-1", 9]]));
  },
);
