/** What one message of NATS may hold, as its server says, and records cut by it: publishers ask here. */
import { Buffer } from "node:buffer";
import { limits } from "../limits.ts";

/** A record, or one part of it: those of one record lie side by side, and the record is where its last part is. */
export interface PartMessage {
  readonly subject: string;
  readonly body: Uint8Array;
  /** Absent: the whole record. */
  readonly part?: readonly [index: number, count: number];
}

/** What the body of a message may hold where the server takes `max_payload` bytes, headers included. */
export function bodyBytesMaxOf(maxPayload: number): number {
  return maxPayload - limits.logMessageHeaderBytes;
}

/** Why a server cannot be used that takes so little; undefined where it takes enough. */
export function sizeProblem(maxPayload: number): string | undefined {
  if (maxPayload >= limits.logMessageBytesMin) return undefined;
  return `nats-server takes messages of ${maxPayload} bytes, Heddle needs ${limits.logMessageBytesMin}: ` +
    `set max_payload of every server to ${limits.logMessageBytesMin} or more and load its configuration again`;
}

/** How many messages a record of so many bytes takes. */
export function partsOf(bytes: number, bodyBytesMax: number): number {
  return Math.max(1, Math.ceil(bytes / bodyBytesMax));
}

/** The messages of a record, in order. */
export function cutRecord(subject: string, record: Uint8Array, bodyBytesMax: number): PartMessage[] {
  const count = partsOf(record.byteLength, bodyBytesMax);
  if (count === 1) return [{ subject, body: record }];
  return Array.from({ length: count }, (_, index) => ({
    subject,
    body: record.subarray(index * bodyBytesMax, (index + 1) * bodyBytesMax),
    part: [index, count] as const,
  }));
}

/** A record from the bodies of its parts, in order. */
export function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  return parts.length === 1 && only ? only : Buffer.concat(parts);
}

/** The header of a part. */
export const partHeader = "Heddle-Part";

export function partToHeader([index, count]: readonly [index: number, count: number]): string {
  return `${index}/${count}`;
}

/** Of a message without the header: a whole record. */
export function partFromHeader(text: string | undefined): { readonly index: number; readonly count: number } {
  const [index = 0, count = 1] = (text || "0/1").split("/").map(Number);
  return { index, count };
}
