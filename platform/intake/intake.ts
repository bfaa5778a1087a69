/** How services that own consent put a checked request into its workspace's one order (heddle.intake.v1). */
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { IdempotencySchema, IntakeRecordSchema } from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../log/log.ts";
import { partitionOf } from "../log/partition.ts";
import { noTracer, traced, type Tracer } from "../telemetry/tracer.ts";
import { checkedRecord } from "./record-size.ts";
import { type Position, positionToToken } from "./position.ts";

export type IntakeBody = NonNullable<MessageInitShape<typeof IntakeRecordSchema>["body"]>;

/** Who asks: heddle.profile.v1.Scope as far as a write needs it. */
export interface Asker {
  readonly workspaceId: string;
  readonly requestId: string;
  readonly actor: string;
  readonly route: string;
  /** Empty: the request may not be repeated safely. */
  readonly idempotencyKey: string;
  /** Of the calling span; empty where the request is not recorded. */
  readonly traceparent?: string;
}

export interface IntakeParts {
  readonly log: Log;
  readonly clock: Clock;
  readonly tracer?: Tracer;
  /** What the resolver decided of a request with an idempotency key; refuses IDEMPOTENCY_KEY_REUSED, OUTCOME_UNKNOWN. */
  readonly decided: (asker: Asker, position: string) => Promise<{ readonly repeat: boolean }>;
}

export interface Submitted {
  /** The place in the log, as its token. */
  readonly position: string;
  /** This was a repeat, and did nothing. */
  readonly replayed: boolean;
}

export interface Submission {
  readonly body: IntakeBody;
  /** The whole request as bytes: a repeat with the same key must have the same. */
  readonly fingerprint: Uint8Array;
  readonly keepMs: number;
}

/**
 * Resolves when the request is durable; one with an idempotency key only when the resolver has decided it.
 * Refuses as Log.append and `decided` do.
 */
export async function submitTo(parts: IntakeParts, asker: Asker, submission: Submission): Promise<Submitted> {
  const { log, clock, tracer = noTracer, decided } = parts;
  const partition = partitionOf(asker.workspaceId, log.partitions);
  const span = {
    name: "intake append",
    kind: "producer",
    traceparent: asker.traceparent,
    attributes: { "heddle.partition": partition },
  } as const;
  const sequence = await traced(tracer, span, (traceparent = "") => {
    return log.append(partition, checkedRecord(encodeRecord({ ...asker, traceparent }, submission, clock.now())), "normal");
  });
  const place: Position = { partition, sequence };
  const position = positionToToken(place);
  if (asker.idempotencyKey === "") return { position, replayed: false };
  return { position, replayed: (await decided(asker, position)).repeat };
}

function encodeRecord(asker: Asker, { body, fingerprint, keepMs }: Submission, now: number): Uint8Array {
  const { workspaceId, requestId, actor, route, idempotencyKey, traceparent = "" } = asker;
  const origin = { requestId, actor, receivedAt: BigInt(now), traceparent };
  const message = create(IntakeRecordSchema, { workspaceId, origin, body });
  if (idempotencyKey !== "") {
    message.idempotency = create(IdempotencySchema, {
      keyHash: sha256(JSON.stringify([actor, route, idempotencyKey])),
      bodyHash: sha256(fingerprint),
      keepMs: BigInt(keepMs),
    });
  }
  return toBinary(IntakeRecordSchema, message);
}

function sha256(data: string | Uint8Array): Uint8Array {
  return Buffer.from(hash("sha256", data, "hex"), "hex");
}
