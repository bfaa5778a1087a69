/** An intake record that was set aside, as it goes into the log once more. */
import { sha256Hex } from "../../../platform/identifier.ts";
import { limits } from "../../../platform/limits.ts";
import type { SetAsideRecord } from "../domain/ports.ts";
import { decodeRecord, encodeRecord } from "./record-message.ts";

/**
 * Under a key of its own, so that it takes effect once however often it is appended; one with the key of a client keeps that.
 * Undefined where this build cannot read the record.
 */
export function redrivenBody({ partition, sequence, body }: SetAsideRecord): Uint8Array | undefined {
  try {
    const { sequence: _, ...entry } = decodeRecord(sequence, body);
    const own = { keyHash: sha256Hex(`redriven ${partition}.${sequence}`), bodyHash: sha256Hex(body), answer: "", keepMs };
    return encodeRecord({ ...entry, idempotency: entry.idempotency ?? own });
  } catch {
    return undefined;
  }
}

const keepMs = limits.jobKeepMs;
