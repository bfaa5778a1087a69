/** How any service puts a checked request into its workspace's one order (heddle.intake.v1). */
import type { Clock } from "../clock.ts";
import type { Log } from "../log/log.ts";
import { partitionOf } from "../log/partition.ts";
import { type Reason, Refusal } from "../refusal.ts";
import type { RequestContext } from "../request-context.ts";
import { noTracer, traced, type Tracer } from "../telemetry/tracer.ts";
import type { IdempotencyEntry } from "./idempotency.ts";
import { encodeRecord, type IntakeBody } from "./record-bytes.ts";
import { checkedRecord, checkElements } from "./record-size.ts";
import { type Position, positionToToken } from "./position.ts";

export interface AppendDeps {
  readonly log: Pick<Log, "append" | "partitions">;
  readonly clock: Clock;
  readonly tracer?: Tracer | undefined;
}

export interface IntakeDeps extends AppendDeps {
  /** What the resolver decided of a request with an idempotency key; refuses IDEMPOTENCY_KEY_REUSED, OUTCOME_UNKNOWN. */
  readonly decided: (context: RequestContext, position: string) => Promise<{ readonly repeat: boolean }>;
}

export interface Submitted {
  /** The place in the log, as its token. */
  readonly position: string;
  /** This was a repeat, and did nothing. */
  readonly replayed: boolean;
}

/** What is asked, as the log keeps it. */
export interface Submission {
  readonly body: IntakeBody;
  /** Given where the client may send the request twice. */
  readonly idempotency?: IdempotencyEntry | undefined;
  /** `low` waits for normal ones. */
  readonly priority?: "normal" | "low";
}

/**
 * Resolves with the place of the request when it is durable. Refuses as Log.append does, BATCH_TOO_LARGE and BODY_TOO_LARGE. The append is a span of
 * its request's trace, and what happens to the record later is its child.
 */
export async function appendRecord(
  { log, clock, tracer = noTracer }: AppendDeps,
  context: RequestContext,
  submission: Submission,
): Promise<Position> {
  checkElements(submission.body);
  const partition = partitionOf(context.workspaceId, log.partitions);
  function append(from: RequestContext): Promise<number> {
    const record = encodeRecord(from, submission, clock.now());
    return log.append(partition, checkedRecord(record), submission.priority ?? "normal");
  }
  if (context.traceparent === "") return { partition, sequence: await append(context) };
  const attributes = { "heddle.partition": partition };
  const span = { name: "intake append", kind: "producer", traceparent: context.traceparent, attributes } as const;
  return { partition, sequence: await traced(tracer, span, (traceparent = "") => append({ ...context, traceparent })) };
}

/**
 * Resolves when the request is durable; one with an idempotency mark only when the resolver has decided it.
 * Refuses as `appendRecord` does, and behind that IDEMPOTENCY_KEY_REUSED, OUTCOME_UNKNOWN and DEADLINE_EXCEEDED alone.
 */
export async function submitTo(deps: IntakeDeps, context: RequestContext, submission: Submission): Promise<Submitted> {
  const position = positionToToken(await appendRecord(deps, context, submission));
  if (submission.idempotency === undefined) return { position, replayed: false };
  const { repeat } = await onceDurable(() => deps.decided(context, position));
  return { position, replayed: repeat };
}

/** What fails behind an append says of the request itself, or that its outcome is not known: never, as of a call that did nothing, that nothing was taken. */
export async function onceDurable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal) || saysOutcome.has(error.reason)) throw error;
    throw new Refusal("OUTCOME_UNKNOWN", undefined, { cause: error });
  }
}

const saysOutcome: ReadonlySet<Reason> = new Set(["IDEMPOTENCY_KEY_REUSED", "OUTCOME_UNKNOWN", "DEADLINE_EXCEEDED"]);
