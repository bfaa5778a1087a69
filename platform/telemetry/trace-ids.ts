/** Ids of traces and spans: random bytes in hex, never all zero (W3C Trace Context). */
import { Buffer } from "node:buffer";
import { randomFillSync } from "node:crypto";

const traceIdBytes = 16;
const spanIdBytes = 8;
/** Drawn at once: asking for few random bytes costs as much as asking for many. */
const pool = Buffer.alloc(2_048);
let used = pool.length;

export function newTraceId(): string {
  return draw(traceIdBytes);
}

export function newSpanId(): string {
  return draw(spanIdBytes);
}

function draw(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const id = pool.toString("hex", used, used + bytes);
  used += bytes;
  return /^0+$/.test(id) ? draw(bytes) : id;
}
