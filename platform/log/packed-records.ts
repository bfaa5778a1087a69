/** Several records in the body of one log record: each behind its length in four bytes, or all in one list of JSON. */
import { Buffer } from "node:buffer";
import { limits } from "../limits.ts";

/** Of what lies in one row of SQLite. */
export const rowBounds = { max: limits.rowPackedMax, bytesMax: limits.rowPackedBytesMax } as const;

export function packRecords(bodies: readonly Uint8Array[]): Uint8Array {
  const packed = Buffer.allocUnsafe(bodies.reduce((sum, { byteLength }) => sum + lengthBytes + byteLength, 0));
  let at = 0;
  for (const body of bodies) {
    packed.writeUInt32BE(body.byteLength, at);
    packed.set(body, at + lengthBytes);
    at += lengthBytes + body.byteLength;
  }
  return packed;
}

/** The bodies in order, as views of `packed`. Throws RangeError on bytes that end too soon. */
export function unpackRecords(packed: Uint8Array): Uint8Array[] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const bodies: Uint8Array[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = at + lengthBytes + bytes.readUInt32BE(at);
    if (end > bytes.length) throw new RangeError(`Expected packed records of ${end} bytes, got ${bytes.length}`);
    bodies.push(bytes.subarray(at + lengthBytes, end));
    at = end;
  }
  return bodies;
}

const lengthBytes = 4;

/** Of records that are JSON: the text of an object whose last field lists them; `head` goes up to the bracket that opens the list. */
export function packJson(head: string, records: readonly Uint8Array[]): Uint8Array {
  const joined = records.flatMap((record, at) => (at === 0 ? [record] : [comma, record]));
  return Buffer.concat([Buffer.from(head), ...joined, Buffer.from("]}")]);
}

const comma = Buffer.from(",");
