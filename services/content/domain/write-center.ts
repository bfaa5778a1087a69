/** What all writes share: repeats of an Idempotency-Key, attempts against other writers, and the answer. */
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { isSameRequest } from "../../../platform/same-request.ts";
import { type Center, type CenterContent, sameContent, summaryOf } from "./center.ts";
import type { Caller, CenterAnswer, CenterChange, CenterDeps } from "./center-ports.ts";

export interface Written {
  readonly answer: CenterAnswer;
  /** The answer is that of an earlier request with the same key. */
  readonly replayed: boolean;
  /** A version was written. */
  readonly changed: boolean;
}

/** What an attempt would do; without `write` nothing changes. */
export interface Planned {
  readonly answer: CenterAnswer;
  readonly write?: NonNullable<CenterChange["write"]>;
}

/**
 * Answers a repeat from what is remembered; otherwise plans on what is there and commits, again from the start where
 * another writer was faster. Refuses IDEMPOTENCY_KEY_REUSED, ALREADY_EXISTS, STATE_CONFLICT.
 */
export async function writeCenter(deps: CenterDeps, caller: Caller, plan: () => Promise<Planned>): Promise<Written> {
  for (let attempt = 0; attempt < limits.contentAttemptsMax; attempt += 1) {
    const repeat = await repeatOf(deps, caller);
    if (repeat) return repeat;
    const { answer, write } = await plan();
    const changed = write !== undefined;
    if (!changed && caller.idempotency === undefined) return { answer, replayed: false, changed };
    const outcome = await deps.centers.commit(changeOf(caller, { answer, write, now: deps.clock.now() }));
    if (outcome === "committed") return { answer, replayed: false, changed };
    if (outcome === "name_taken") return (await repeatOf(deps, caller)) ?? refuseTaken();
  }
  throw new Refusal("STATE_CONFLICT", "Others change the preference center at the same time: read it and try again");
}

/** The next version of `before` with `content`; what is the same already is not written again. */
export function plannedUpdate(
  before: Center,
  content: CenterContent,
  of: { readonly caller: Caller; readonly now: number; readonly warnings: readonly string[]; readonly restoredFrom?: number },
): Planned {
  if (sameContent(before.content, content)) return { answer: { ...summaryOf(before), warnings: of.warnings } };
  const after: Center = { ...before, content, version: before.version + 1, updatedAt: Math.max(of.now, before.updatedAt) };
  return {
    answer: { ...summaryOf(after), warnings: of.warnings },
    write: { before, after, written: writtenBy(of.caller, after, of.restoredFrom) },
  };
}

export function writtenBy({ actor, requestId }: Caller, after: Center, restoredFrom?: number) {
  return { version: after.version, writtenAt: after.updatedAt, actor, requestId, ...(restoredFrom === undefined ? {} : { restoredFrom }) };
}

function refuseTaken(): never {
  throw new Refusal("ALREADY_EXISTS", "A preference center of this workspace has this name already");
}

async function repeatOf({ centers, clock }: CenterDeps, { workspaceId, idempotency }: Caller): Promise<Written | undefined> {
  const known = idempotency && (await centers.remembered(workspaceId, idempotency.requestHash, clock.now()));
  if (known === undefined) return undefined;
  if (idempotency && !isSameRequest(known, idempotency)) throw new Refusal("IDEMPOTENCY_KEY_REUSED");
  return { answer: known.answer, replayed: true, changed: false };
}

function changeOf(
  { workspaceId, idempotency }: Caller,
  { answer, write, now }: { readonly answer: CenterAnswer; readonly write: Planned["write"]; readonly now: number },
): CenterChange {
  return {
    workspaceId,
    now,
    ...(write === undefined ? {} : { write }),
    ...(idempotency === undefined ? {} : { remember: { ...idempotency, answer, expiresAt: now + limits.idempotencyKeepMs } }),
  };
}
