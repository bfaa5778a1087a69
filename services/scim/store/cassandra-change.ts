/** A change of a user as the statements of one conditional write. */
import type { Statement } from "../../../platform/cassandra/session.ts";
import { limits } from "../../../platform/limits.ts";
import type { Remembered, UserChange, UserDeleted } from "../domain/ports.ts";
import type { User } from "../domain/user.ts";
import { deleteRow, type Kind, part, putBody, putKey, putPassingBody, putUser, updateState } from "./cassandra-statements.ts";
import { logBody, logKey } from "./cassandra-log.ts";
import { userBody } from "./rows.ts";

export interface Before {
  readonly users: number;
  /** null: there was none. */
  readonly changes: bigint | null;
  /** Unix milliseconds. */
  readonly at: number;
}

export function changeStatements(change: UserChange, { users, changes, at }: Before): readonly Statement[] {
  const { companyId: company_id, before, after, event, log, remember } = change;
  const next = (changes ?? 0n) + 1n;
  const state = { company_id, users: users + (after ? 1 : 0) - (before ? 1 : 0), changes: next, was: changes };
  return [
    part(updateState, state),
    ...userRows(change),
    ...(event ? [eventStatement(event, next)] : []),
    ...(log ? [passing(company_id, ["log", logKey(log, `${at}`)], { body: logBody(log), ms: limits.scimLogKeepMs })] : []),
    ...(remember ? [markStatement(company_id, remember, limits.idempotencyKeepMs)] : []),
  ];
}

/** A row that ends by itself. */
function passing(company_id: string, [kind, key]: readonly [Kind, string], { body, ms }: { body: unknown; ms: number }): Statement {
  return part(putPassingBody, { company_id, kind, key, body: JSON.stringify(body), ttl: Math.ceil(ms / 1000) });
}

export function markStatement(companyId: string, remember: Remembered, ms: number): Statement {
  return passing(companyId, ["mark", remember.requestHash], { body: withoutHash(remember), ms });
}

/** `change`: the number of the change that caused it. */
export function eventStatement(event: UserDeleted, change: bigint): Statement {
  return part(putBody, { company_id: event.companyId, kind: "event", key: eventKey(change), body: JSON.stringify(event) });
}

/** All rows of a user. */
export function userStatements(user: User): Statement[] {
  return rowsOf(user).map(([kind, key]) => put(user, kind, key));
}

/** Sorted as numbers are. */
function eventKey(change: bigint): string {
  return String(change).padStart(19, "0");
}

/** As JSON: what is undefined is not in it. */
function withoutHash(remember: Remembered): object {
  return { ...remember, requestHash: undefined };
}

function userRows({ before, after }: UserChange): Statement[] {
  if (before === after) return [];
  if (after === undefined) return before ? rowsOf(before).map(([kind, key]) => removed(before, kind, key)) : [];
  const kept = new Set(rowsOf(after).map((row) => row.join(" ")));
  const gone = before ? rowsOf(before).filter((row) => !kept.has(row.join(" "))) : [];
  return [...gone.map(([kind, key]) => removed(after, kind, key)), ...userStatements(after)];
}

/** Where a user stands. */
function rowsOf({ id, userNameKey, externalId }: User): readonly (readonly [Kind, string])[] {
  const always = [["id", id], ["name", userNameKey], ["key", userNameKey]] as const;
  return externalId === undefined ? always : [...always, ["ext", `${externalId}\u0000${id}`]];
}

function removed({ companyId }: User, kind: Kind, key: string): Statement {
  return part(deleteRow, { company_id: companyId, kind, key });
}

function put(user: User, kind: Kind, key: string): Statement {
  const { companyId: company_id, id, userNameKey: user_name_key, revision } = user;
  if (kind === "key") return part(putKey, { company_id, kind, key, id });
  return part(putUser, { company_id, kind, key, id, user_name_key, revision, body: userBody(user) });
}
