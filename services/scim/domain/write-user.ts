/** What all writes share: repeats of an Idempotency-Key, attempts against other writers, and the answer. */
import type { Fields } from "../../../platform/fields.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { isSameRequest } from "../../../platform/same-request.ts";
import type { Answer, Caller, IdempotencyEntry, ScimDeps, UserChange } from "./ports.ts";
import type { Project } from "./project-user.ts";
import { presented, type Renderer } from "./render-user.ts";
import type { User } from "./user.ts";

export interface Written extends Answer {
  readonly replayed: boolean;
  /** The request stands in the log. */
  readonly logged: boolean;
}

export interface Shown {
  readonly renderer: Renderer;
  readonly project: Project;
}

export function answerOf(user: User, { renderer, project }: Shown): Answer {
  return { userJson: shownJson(renderer.resource(user), project), id: user.id, etag: renderer.tag(user) };
}

function shownJson(resource: Fields, project: Project): string {
  return JSON.stringify(project(presented(resource)));
}

/** What an attempt would do. */
interface Planned {
  readonly change: Omit<UserChange, "remember">;
  readonly answer: Answer;
}

/**
 * Answers a repeat from what is remembered; otherwise plans on the users as they are and commits, again from the start where
 * another writer was faster. Refuses IDEMPOTENCY_KEY_REUSED, ALREADY_EXISTS, STATE_CONFLICT.
 */
export async function writeUser(deps: ScimDeps, caller: Caller, plan: () => Promise<Planned>): Promise<Written> {
  for (let attempt = 0; attempt < limits.scimAttemptsMax; attempt += 1) {
    const repeat = await repeatOf(deps, caller);
    if (repeat) return repeat;
    const { change, answer } = await plan();
    // Without a key there is nothing to remember, and what changes nothing need not be written
    if (!caller.idempotency && change.before === change.after) return { ...answer, replayed: false, logged: false };
    const outcome = await deps.users.commit(withMark(change, answer, { caller, now: deps.clock.now() }));
    if (outcome === "committed") {
      if (change.event) deps.published(caller.companyId);
      return { ...answer, replayed: false, logged: true };
    }
    if (outcome === "name_taken") return (await repeatOf(deps, caller)) ?? refuseTaken();
  }
  throw new Refusal("STATE_CONFLICT", "Others change the user at the same time: read it and try again");
}

function refuseTaken(): never {
  throw new Refusal("ALREADY_EXISTS", "User already exists in the database.");
}

async function repeatOf(deps: ScimDeps, { companyId, idempotency }: Caller): Promise<Written | undefined> {
  const known = idempotency && (await deps.users.remembered(companyId, idempotency.requestHash, deps.clock.now()));
  if (known === undefined) return undefined;
  if (idempotency && !isSameRequest(known, idempotency)) throw new Refusal("IDEMPOTENCY_KEY_REUSED");
  return { ...known.answer, replayed: true, logged: false };
}

function withMark(change: Omit<UserChange, "remember">, answer: Answer, of: { caller: Caller; now: number }): UserChange {
  const { idempotency } = of.caller;
  if (idempotency === undefined) return change;
  const remember: IdempotencyEntry = { ...idempotency, answer, expiresAt: of.now + limits.idempotencyKeepMs };
  return { ...change, remember };
}
