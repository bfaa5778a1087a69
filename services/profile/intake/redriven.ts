/** An intake record that was set aside, as it goes into the log once more. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { sha256 } from "../../../platform/intake/idempotency.ts";
import { limits } from "../../../platform/limits.ts";
import { IdempotencySchema, IntakeRecordSchema } from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import type { Log } from "../../../platform/log/log.ts";
import type { IdentityWriter, SetAsideRecord } from "../domain/ports.ts";
import { decodeRecord } from "./record-message.ts";

/**
 * Under a key of its own, so that it takes effect once however often it is appended; one with the key of a client keeps that.
 * Undefined where this build cannot read the record.
 */
export function redrivenBody({ partition, sequence, body }: SetAsideRecord): Uint8Array | undefined {
  try {
    decodeRecord(sequence, body);
    const message = fromBinary(IntakeRecordSchema, body);
    const own = { keyHash: sha256(`redriven ${partition}.${sequence}`), bodyHash: sha256(body), keepMs };
    message.idempotency ??= create(IdempotencySchema, own);
    return toBinary(IntakeRecordSchema, message);
  } catch {
    return undefined;
  }
}

/** Behind all others of their partitions: what came after them was resolved without them. How many. */
export async function redriveSetAside(
  records: readonly SetAsideRecord[],
  intake: Pick<Log, "append">,
  identities: Pick<IdentityWriter, "forgetSetAside">,
): Promise<number> {
  let redriven = 0;
  for (const record of records) {
    const body = redrivenBody(record);
    if (body === undefined) continue;
    await intake.append(record.partition, body, "low");
    await identities.forgetSetAside(record);
    redriven += 1;
  }
  return redriven;
}

const keepMs = BigInt(limits.jobKeepMs);
