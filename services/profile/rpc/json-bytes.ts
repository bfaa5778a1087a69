/** JSON values as the bytes that messages carry. */
import type { Json } from "../domain/track-object.ts";

const encoder = new TextEncoder();

export function toJsonBytes(value: Json): Uint8Array<ArrayBuffer> {
  return encoder.encode(JSON.stringify(value));
}
