/** How a write enters the order of its workspace, and how it learns what became of it. */
import { type AppendDeps, appendRecord, type Submission } from "../../../platform/intake/intake.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { RequestContext } from "../../../platform/request-context.ts";
import type { Applied, Position, RecordOutcome } from "../domain/ports.ts";

export interface WriteDeps extends Omit<AppendDeps, "log"> {
  readonly intake: Pick<AppendDeps, "log">;
  readonly applied: Applied;
}

/** A write that is durable. */
export interface Written {
  readonly position: Position;
  /** The answer of the first request, where this one was a repeat and did nothing: in binary, base64. */
  readonly repeatOf?: string;
}

/** A write that the resolver has decided. */
export interface Decided extends Written {
  readonly outcome: RecordOutcome;
}

/**
 * Resolves when the request is durable; one with an idempotency mark only when the resolver has decided it.
 * Refuses as `appendRecord` does, and IDEMPOTENCY_KEY_REUSED, OUTCOME_UNKNOWN for a marked one.
 */
export async function submit(deps: WriteDeps, context: RequestContext, submission: Submission): Promise<Written> {
  const position = await append(deps, context, submission);
  return submission.idempotency === undefined ? { position } : await decidedRepeat(deps, position);
}

/** As `submit`, for requests whose answer reports what the resolver decided about each element. */
export async function submitDecided(deps: WriteDeps, context: RequestContext, submission: Submission): Promise<Decided> {
  const decided = await decide(deps, await append(deps, context, submission));
  // A repeat of a request that an earlier build decided has none where that build gave none
  if (decided.outcome.items === undefined && decided.repeatOf === undefined) throw new Refusal("OUTCOME_UNKNOWN");
  return decided;
}

/** Of a request with an idempotency mark, when the resolver has decided it. */
export async function decidedRepeat(deps: Pick<WriteDeps, "applied">, position: Position): Promise<Decided> {
  const decided = await decide(deps, position);
  // What was decided may be lost to this process alone; a guess could answer for another body
  if (decided.outcome.repeat === undefined) throw new Refusal("OUTCOME_UNKNOWN");
  return decided;
}

function append({ intake: { log }, clock, tracer }: WriteDeps, context: RequestContext, submission: Submission): Promise<Position> {
  return appendRecord({ log, clock, tracer }, context, submission);
}

/** Waits for the resolver. Refuses IDEMPOTENCY_KEY_REUSED, OUTCOME_UNKNOWN. */
async function decide({ applied }: Pick<WriteDeps, "applied">, position: Position): Promise<Decided> {
  if (!await applied.wait(position, limits.outcomeWaitMsMax)) throw new Refusal("OUTCOME_UNKNOWN");
  const outcome = applied.outcome(position) ?? {};
  if (outcome.setAside) throw new Error(`Record ${position.sequence} of partition ${position.partition} became a dead letter`);
  if (outcome.repeat?.kind === "reused") throw new Refusal("IDEMPOTENCY_KEY_REUSED");
  return outcome.repeat?.kind === "repeat" ? { position, outcome, repeatOf: outcome.repeat.answer } : { position, outcome };
}
