/** A record that waits, as a human reads it: what it says, how large it is, and its first bytes. */
import { type DescMessage, type Message, toJson } from "@bufbuild/protobuf";
import type { ShownRecord as ShownMessage } from "../../proto/gen/heddle/log/v1/shown_record_pb.ts";
import { limits } from "../limits.ts";

/** As heddle.log.v1.ShownRecord. */
export interface ShownRecord {
  /** Empty where this build cannot read it, or where it is too large. */
  readonly json: string;
  readonly size: number;
  readonly first: Uint8Array<ArrayBuffer>;
}

/** `read` gives what the bytes say, as JSON data; it throws where they say nothing. */
export function shownRecord(body: Uint8Array, read: (body: Uint8Array) => unknown): ShownRecord {
  const first = new Uint8Array(body.subarray(0, limits.shownFirstBytes));
  return { json: body.length > limits.shownBytesMax ? "" : jsonOf(body, read), size: body.length, first };
}

function jsonOf(body: Uint8Array, read: (body: Uint8Array) => unknown): string {
  try {
    return JSON.stringify(read(body));
  } catch {
    return "";
  }
}

/** With the names of the contract. */
export function messageJson(schema: DescMessage, message: Message): unknown {
  return toJson(schema, message, { useProtoFieldName: true });
}

/** As a service answered it. */
export function shownFrom(message: ShownMessage | undefined): ShownRecord {
  if (message === undefined) throw new Error("Expected a record in the answer, got none");
  const { json, size, first } = message;
  return { json, size, first: new Uint8Array(first) };
}
