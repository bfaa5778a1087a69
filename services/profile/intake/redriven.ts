/** Dead letters of the intake: how many wait, with the blocked users, and as what they go into the log once more. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { sha256 } from "../../../platform/intake/idempotency.ts";
import { limits } from "../../../platform/limits.ts";
import { IdempotencySchema, IntakeRecordSchema } from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import type { Backlog } from "../../../platform/telemetry/work-metrics.ts";
import type { Log } from "../../../platform/log/log.ts";
import { pagesBehind } from "../../../platform/pages-behind.ts";
import type { DeadLetter, DeadLetterId, DeadLetterRecord, IdentityWriter, ProfileStore } from "../domain/ports.ts";
import { decodeRecord } from "./record-message.ts";

/** How much waits for an operator, up to what one look shows: of all partitions, or of the one with the workspaces that it owns. */
export async function countBacklog(
  profiles: Pick<ProfileStore, "listBlocked" | "listSetAside">,
  only?: { readonly partition: number; readonly owns: (workspaceId: string) => boolean },
): Promise<Backlog> {
  const blocked = await profiles.listBlocked(limits.heldRedriveMax);
  const deadLetters = await profiles.listSetAside(limits.heldRedriveMax, only && beginning(only.partition));
  return {
    blockedUsers: blocked.filter(({ workspaceId }) => !only || only.owns(workspaceId)).length,
    deadLetters: deadLetters.filter(({ partition }) => !only || partition === only.partition).length,
  };
}

/**
 * What is tried at once, as it goes into the log: of each partition, or of the one, the first `heldRedriveMax` that this build can read. What is set
 * aside again then stands behind those that were not tried yet.
 */
export async function* lettersToAppend(
  profiles: DeadLetters,
  partition?: number,
): AsyncGenerator<DeadLetterRecord> {
  if (partition !== undefined) return void (yield* ofPartition(profiles, partition));
  for (let next: number | undefined = 0; next !== undefined;) {
    const [first] = await profiles.listSetAside(1, beginning(next));
    if (first !== undefined) yield* ofPartition(profiles, first.partition);
    next = first && first.partition + 1;
  }
}

type DeadLetters = Pick<ProfileStore, "listSetAside" | "loadDeadLetter">;

/** Nothing is read behind the last that is tried: those of a partition may be very many. Each is read by itself, as it may be large. */
async function* ofPartition(profiles: DeadLetters, partition: number): AsyncGenerator<DeadLetterRecord> {
  let found = 0;
  const first = beginning(partition);
  for await (const page of pagesBehind<DeadLetter>((last) => profiles.listSetAside(limits.heldRedriveMax, last ?? first))) {
    for (const letter of page) {
      if (letter.partition !== partition || found === limits.heldRedriveMax) return;
      const record = await profiles.loadDeadLetter(letter);
      const body = record && redrivenBody(record);
      if (body === undefined) continue;
      found += 1;
      yield { ...letter, body };
    }
  }
}

/** The place before all of a partition. */
function beginning(partition: number): DeadLetterId {
  return { partition, sequence: -1 };
}

/**
 * Under a key of its own, so that it takes effect once however often it is appended; one with the key of a client keeps that.
 * Undefined where this build cannot read the record.
 */
function redrivenBody({ partition, sequence, body }: DeadLetterRecord): Uint8Array | undefined {
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

/** Of these what was there before the first of its partition: not what a resolver that runs beside sets aside again meanwhile. */
export async function* alreadyThere(records: AsyncIterable<DeadLetterRecord>, intake: Pick<Log, "tail">): AsyncGenerator<DeadLetterRecord> {
  const tails = new Map<number, number>();
  for await (const record of records) {
    const tail = tails.get(record.partition) ?? await intake.tail(record.partition);
    tails.set(record.partition, tail);
    if (record.sequence <= tail) yield record;
  }
}

/** Appends what lettersToAppend() gives, behind all others of their partitions: what came after them was resolved without them. How many. */
export async function appendAgain(
  records: AsyncIterable<DeadLetterRecord>,
  intake: Pick<Log, "append">,
  identities: Pick<IdentityWriter, "forgetSetAside">,
): Promise<number> {
  let redriven = 0;
  for await (const record of records) {
    await intake.append(record.partition, record.body, "low");
    await identities.forgetSetAside(record);
    redriven += 1;
  }
  return redriven;
}

const keepMs = BigInt(limits.jobKeepMs);
