/** Texts that may have a NUL in them, such as the key of an alias: under Deno a column that is read as a text ends at it. */
import { Buffer } from "node:buffer";

/** The text whose bytes a statement read with `CAST(column AS BLOB)`. Throws for any other value. */
export function textOfBytes(value: unknown): string {
  if (!(value instanceof Uint8Array)) throw new TypeError(`Expected the bytes of a text, not a ${typeof value}`);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("utf8");
}
