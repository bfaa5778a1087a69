/** How a write enters the order of its workspace, and how it learns what became of it. */
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Idempotency, IntakeBody } from "./intake-record.ts";
import type { Applied, Intake, Position, RecordOutcome } from "./ports.ts";

export interface WriteParts {
  readonly intake: Intake;
  readonly applied: Applied;
  readonly clock: Clock;
}

/** Who asks. */
export interface WriteRequest {
  readonly workspaceId: string;
  readonly requestId: string;
  readonly actor: string;
  /** Of the calling span; absent where the request is not recorded. */
  readonly traceparent?: string;
  /** Present when the client may send the request twice. */
  readonly idempotency?: Idempotency;
}

/** A write that is durable. */
export interface Written {
  readonly position: Position;
  /** The answer of the first request, where this one was a repeat and did nothing. */
  readonly repeatOf?: string;
}

/** A write that the resolver has decided. */
export interface Decided extends Written {
  readonly outcome: RecordOutcome;
}

/**
 * Resolves when the request is durable; one with an idempotency mark only when the resolver has decided it.
 * Refuses as Intake.append does, and IDEMPOTENCY_KEY_REUSED, OUTCOME_UNKNOWN for a marked one.
 */
export async function submit(
  parts: WriteParts,
  request: WriteRequest,
  what: { readonly body: IntakeBody; readonly priority?: "normal" | "low" },
): Promise<Written> {
  const position = await append(parts, request, what);
  if (request.idempotency === undefined) return { position };
  const decided = await decide(parts, position);
  // What was decided may be lost to this process alone; a guess could answer for another body
  if (decided.outcome.repeat === undefined) throw new Refusal("OUTCOME_UNKNOWN");
  return decided;
}

/** As `submit`, for requests whose answer tells what the resolver decided of each element. */
export async function submitDecided(parts: WriteParts, request: WriteRequest, body: IntakeBody): Promise<Decided> {
  const decided = await decide(parts, await append(parts, request, { body }));
  // A repeat of a request that an earlier build decided has none where that build gave none
  if (decided.outcome.items === undefined && decided.repeatOf === undefined) throw new Refusal("OUTCOME_UNKNOWN");
  return decided;
}

function append(
  { intake, clock }: WriteParts,
  request: WriteRequest,
  { body, priority }: { readonly body: IntakeBody; readonly priority?: "normal" | "low" },
): Promise<Position> {
  return intake.append({ ...request, receivedAt: clock.now(), body }, priority);
}

/** Waits for the resolver. Refuses IDEMPOTENCY_KEY_REUSED, OUTCOME_UNKNOWN. */
export async function decide({ applied }: Pick<WriteParts, "applied">, position: Position): Promise<Decided> {
  if (!await applied.wait(position, limits.outcomeWaitMsMax)) throw new Refusal("OUTCOME_UNKNOWN");
  const outcome = applied.outcome(position) ?? {};
  if (outcome.setAside) throw new Error(`Record ${position.sequence} of partition ${position.partition} was set aside`);
  if (outcome.repeat?.kind === "reused") throw new Refusal("IDEMPOTENCY_KEY_REUSED");
  return outcome.repeat?.kind === "repeat" ? { position, outcome, repeatOf: outcome.repeat.answer } : { position, outcome };
}
