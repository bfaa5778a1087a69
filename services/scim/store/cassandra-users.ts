/** Users in Cassandra: a company is one partition, and each change one conditional write on the number of changes before it. */
import type { Row, Session, Statement } from "../../../platform/cassandra/session.ts";
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Census, PageStart, Remembered, UserChange, Users } from "../domain/ports.ts";
import type { User } from "../domain/user.ts";
import { changeStatements } from "./cassandra-change.ts";
import {
  type Kind,
  plain,
  putCompany,
  selectBody,
  selectKeysDown,
  selectKeysUp,
  selectRevision,
  selectState,
  selectUser,
  selectUsersBetween,
  selectUsersDown,
  selectUsersUp,
} from "./cassandra-statements.ts";
import { userFromRow, type UserRow } from "./rows.ts";

/**
 * Several processes may write at once. Within this one, changes of a company stand in a line: they would only make each other try again.
 * The line is as long as requests are under way.
 */
export function openCassandraUsers({ session, clock }: { readonly session: Session; readonly clock: Clock }): Users {
  const lines = new Map<string, Promise<unknown>>();

  async function users(cql: string, values: Statement["values"]): Promise<User[]> {
    return (await session.execute(plain(cql, values))).map((row) => userFromRow(row as unknown as UserRow));
  }
  async function user(companyId: string, kind: Kind, key: string): Promise<User | undefined> {
    return (await users(selectUser, { company_id: companyId, kind, key }))[0];
  }

  return {
    byId: (companyId, id) => user(companyId, "id", id),
    byUserName: (companyId, key) => user(companyId, "name", key),
    async byExternalId(companyId, externalId) {
      const values = { company_id: companyId, kind: "ext", first: `${externalId}\u0000`, end: `${externalId}\u0001` };
      return (await users(selectUsersBetween, values)).filter((found) => found.externalId === externalId);
    },
    page: (companyId, { after, descending, limit }) =>
      users(descending ? selectUsersDown : selectUsersUp, {
        company_id: companyId,
        kind: "name",
        after: after ?? edgeOf(descending),
        max: limit,
      }),
    skip: (companyId, from) => skip(session, companyId, from),
    async census(companyId) {
      const { users: count, changes } = await stateOf(session, companyId, { settled: false });
      return { users: count, changes: Number(changes ?? 0n) };
    },
    async remembered(companyId, requestHash, now) {
      const [row] = await session.execute(plain(selectBody, { company_id: companyId, kind: "mark", key: requestHash }));
      const mark = rememberedFromRow(requestHash, row);
      return mark && mark.expiresAt > now ? mark : undefined;
    },
    commit(change) {
      const before = lines.get(change.companyId) ?? Promise.resolve();
      const mine = before.then(() => commit({ session, clock }, change));
      const settled = mine.catch(() => {}).finally(() => {
        if (lines.get(change.companyId) === settled) lines.delete(change.companyId);
      });
      lines.set(change.companyId, settled);
      return mine;
    },
  };
}

/** Keys are compared by their bytes: none is empty, and none begins with a character after the last. */
function edgeOf(descending: boolean): string {
  return descending ? "\u{10ffff}" : "";
}

async function skip(session: Session, companyId: string, from: Omit<PageStart, "limit"> & { readonly count: number }) {
  const cql = from.descending ? selectKeysDown : selectKeysUp;
  let after = from.after ?? edgeOf(from.descending);
  for (let left = from.count; left > 0;) {
    const max = Math.min(left, limits.scimSkipPageKeys);
    const rows = await session.execute(plain(cql, { company_id: companyId, kind: "key", after, max }));
    if (rows.length < max) return undefined;
    after = String(rows.at(-1)?.["key"]);
    left -= rows.length;
  }
  return after;
}

interface State extends Pick<Census, "users"> {
  /** null: the company has no row yet. */
  readonly changes: bigint | null;
}

/** `settled`: every change that was begun is in it or will never be, and reads after it see what is in it. */
async function stateOf(session: Session, companyId: string, { settled }: { readonly settled: boolean }): Promise<State> {
  const [row] = await session.execute({ ...plain(selectState, { company_id: companyId }), ...(settled ? { serial: true } : {}) });
  return { users: Number(row?.["users"] ?? 0), changes: (row?.["changes"] ?? null) as bigint | null };
}

/**
 * Looks, then writes on the condition that nothing changed since the first look. Refuses STORE_UNAVAILABLE where others are faster
 * every time, OUTCOME_UNKNOWN where nobody knows.
 */
async function commit(parts: { readonly session: Session; readonly clock: Clock }, change: UserChange) {
  const { session, clock } = parts;
  const { companyId } = change;
  if (change.event) await session.execute(plain(putCompany, { company_id: companyId, stamp: BigInt(clock.now()) * 1000n }));
  for (let attempt = 0; attempt < limits.scimAttemptsMax; attempt += 1) {
    const state = await stateOf(session, companyId, { settled: true });
    const obstacle = await obstacleTo(session, change);
    if (obstacle) return obstacle;
    if (await session.conditional(changeStatements(change, { ...state, at: clock.now() }))) return "committed";
  }
  throw new Refusal("STORE_UNAVAILABLE", "Others change users of the company at the same time", { retryAfterSeconds: 1 });
}

async function obstacleTo(session: Session, change: UserChange): Promise<"repeated" | "changed" | "name_taken" | undefined> {
  const { companyId, before, after, remember } = change;
  const [mark, revision, namesake] = await Promise.all([
    remember && session.execute(plain(selectBody, { company_id: companyId, kind: "mark", key: remember.requestHash })),
    before && session.execute(plain(selectRevision, { company_id: companyId, kind: "id", key: before.id })),
    after && !before && session.execute(plain(selectRevision, { company_id: companyId, kind: "key", key: after.userNameKey })),
  ]);
  if (remember && isRemembered(change, remember, mark?.[0])) return "repeated";
  if (before) return revision?.[0]?.["revision"] === before.revision ? undefined : "changed";
  return namesake && namesake.length > 0 ? "name_taken" : undefined;
}

/** A mark whose time is over gives way. */
function isRemembered({ log }: UserChange, { requestHash, expiresAt }: Remembered, row: Row | undefined): boolean {
  const now = log?.at ?? expiresAt - limits.idempotencyKeepMs;
  const kept = rememberedFromRow(requestHash, row);
  return kept !== undefined && kept.expiresAt > now;
}

function rememberedFromRow(requestHash: string, row: Row | undefined): Remembered | undefined {
  if (row === undefined) return undefined;
  return { requestHash, ...(JSON.parse(String(row["body"])) as Omit<Remembered, "requestHash">) };
}
