/** A server's verdict on one object of /users/track, for callers without a server. */
import { Refusal } from "../../../../platform/refusal.ts";
import { checkTrack, type InputArray } from "./check-track.ts";

/** Why the object would be refused; undefined where it would be taken. */
export function trackVerdict(array: InputArray, object: unknown): string | undefined {
  try {
    checkTrack({ [array]: [object] }, { objectsPerArrayMax: 0, objectsMax: 0, objectsPerUserMax: 0 });
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const [first] = (error.details?.["errors"] ?? []) as readonly { readonly type: string }[];
    return first?.type ?? error.message;
  }
}
