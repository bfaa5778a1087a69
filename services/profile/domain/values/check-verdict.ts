/** Why an object of /users/track, or a field of one, is not taken: thrown by the checks, gathered here, reported by checkTrack alone. */
import { limits } from "../../../../platform/limits.ts";

/** The message is the text that the client reads as `type`. */
export class Verdict extends Error {}

/** Of a field that is left out of an object that stands without it too: the documents say that it is ignored. */
export class Ignored extends Verdict {}

export interface FieldFault {
  /** The key of the object as it was sent, cut to `quotedCharsMax`. */
  readonly field: string;
  readonly text: string;
}

/** Fields that are not taken of an object that is: the first `fieldFaultsPerObjectMax`, and how many there are. */
export class FieldFaults {
  readonly list: FieldFault[] = [];
  count = 0;
  /** The first that refuses an object with nothing else left. */
  refusal: Verdict | undefined;

  /** Gathers what a check has thrown; rethrows what is no Verdict. */
  add(field: string, error: unknown): void {
    if (!(error instanceof Verdict)) throw error;
    if (!(error instanceof Ignored)) this.refusal ??= error;
    this.note(field, error.message);
  }

  note(field: string, text: string): void {
    this.count += 1;
    if (this.list.length < limits.fieldFaultsPerObjectMax) this.list.push({ field: quoted(field), text });
  }
}

/** The texts of the checks that fail, `fieldFaultsPerObjectMax` at most; rethrows what is no Verdict. */
export function verdictsOf(checks: readonly (() => unknown)[]): string[] {
  const texts: string[] = [];
  for (const check of checks) {
    if (texts.length === limits.fieldFaultsPerObjectMax) break;
    try {
      check();
    } catch (error) {
      if (!(error instanceof Verdict)) throw error;
      if (!texts.includes(error.message)) texts.push(error.message);
    }
  }
  return texts;
}

/** A name that a client chose, in a length that an answer can hold. */
export function quoted(text: string): string {
  return text.length <= limits.quotedCharsMax ? text : `${text.slice(0, limits.quotedCharsMax).toWellFormed()}…`;
}
