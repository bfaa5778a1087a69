/** Places of the intake log as clients carry them (X-Heddle-Position): opaque text. */
import { Buffer } from "node:buffer";
import { Refusal } from "../refusal.ts";

/** A place in the intake log. */
export interface Position {
  readonly partition: number;
  readonly sequence: number;
}

export function positionToToken({ partition, sequence }: Position): string {
  return Buffer.from(`${partition}:${sequence}`).toString("base64url");
}

/** Undefined for empty text. Refuses POSITION_INVALID for text that no answer carried. */
export function positionFromToken(token: string): Position | undefined {
  if (token === "") return undefined;
  const match = /^(\d{1,9}):(\d{1,16})$/.exec(Buffer.from(token, "base64url").toString("latin1"));
  const position = { partition: Number(match?.[1]), sequence: Number(match?.[2]) };
  if (match === null || !Number.isSafeInteger(position.sequence) || positionToToken(position) !== token) {
    throw new Refusal("POSITION_INVALID", "Expected the X-Heddle-Position of an earlier answer, got something else");
  }
  return position;
}
