/** The rows of a backup in the mesh's store of dashboard users: a company is read and written within its own partition. */
import type { Row, Session, Statement } from "../../../platform/cassandra/session.ts";
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { LogEntry, Remembered, RequestLog, UserDeleted, Users } from "../domain/ports.ts";
import { eventStatement, markStatement, userStatements } from "./cassandra-change.ts";
import { requestStatements } from "./cassandra-log.ts";
import { type Kind, part, plain, putCompany, selectBodiesUp, selectState, updateState } from "./cassandra-statements.ts";
import type { ScimMove, ScimRows } from "./moved-rows.ts";
import { usersOf } from "./moved-users.ts";

interface Parts {
  readonly session: Session;
  readonly users: Users;
  readonly log: RequestLog;
  readonly clock: Clock;
}

export function cassandraScimMove(parts: Parts): ScimMove {
  const { session, users, log } = parts;
  return {
    async *read(companyIds) {
      for (const companyId of companyIds) {
        yield* usersOf(users, companyId);
        yield { companyId, events: (await bodiesOf(session, companyId, "event")).map(({ body }) => body as UserDeleted) };
        yield* logOf(log, companyId);
        yield { companyId, remembered: (await bodiesOf(session, companyId, "mark")).map(rememberedFromBody) };
        yield { companyId, census: await users.census(companyId) };
      }
    },
    async write({ log: moved, ...rows }) {
      if (moved) await writeLog(parts, moved);
      for (const some of inWrites(rows)) await writeRows(parts, some);
    },
  };
}

interface Body {
  readonly key: string;
  readonly body: unknown;
}

async function bodiesOf(session: Session, companyId: string, kind: Kind): Promise<Body[]> {
  const found: Body[] = [];
  for (let after = "";;) {
    const asked = { company_id: companyId, kind, after, max: limits.movedRowsPerPage };
    const rows: readonly Row[] = await session.execute(plain(selectBodiesUp, asked));
    for (const row of rows) found.push({ key: String(row["key"]), body: JSON.parse(String(row["body"])) });
    if (rows.length < limits.movedRowsPerPage) return found;
    after = found.at(-1)?.key ?? "";
  }
}

function rememberedFromBody({ key, body }: Body): Remembered {
  return { ...(body as Omit<Remembered, "requestHash">), requestHash: key };
}

async function* logOf(log: RequestLog, companyId: string): AsyncGenerator<ScimRows> {
  const entries = (await log.newest({ companyId, limit: limits.scimLogEntriesMax })).toReversed();
  for (let at = 0; at < entries.length; at += limits.movedRowsPerPage) {
    yield { companyId, log: { first: at + 1, entries: entries.slice(at, at + limits.movedRowsPerPage) } };
  }
}

/** With the places they had, so that a repeat finds the same rows. They end when they would have ended. */
async function writeLog({ session, clock }: Parts, { first, entries }: NonNullable<ScimRows["log"]>): Promise<void> {
  const now = clock.now();
  const placed = entries.map((entry: LogEntry, at) => ({ entry, place: `moved ${first + at}` }));
  const kept = placed.filter(({ entry }) => entry.at + limits.scimLogKeepMs > now);
  for (let at = 0; at < kept.length; at += limits.movedEntriesPerWrite) {
    for (const statements of requestStatements(kept.slice(at, at + limits.movedEntriesPerWrite), now).values()) {
      await session.batch(statements);
    }
  }
}

/** What a conditional write takes at once. */
function* inWrites(rows: Omit<ScimRows, "log">): Generator<Omit<ScimRows, "log">> {
  const { companyId, users = [], events = [], remembered = [], census } = rows;
  const size = limits.movedEntriesPerWrite;
  for (let at = 0; at < users.length; at += size) yield { companyId, users: users.slice(at, at + size) };
  for (let at = 0; at < remembered.length; at += size) yield { companyId, remembered: remembered.slice(at, at + size) };
  if (events.length > 0) yield { companyId, events };
  if (census !== undefined && census.changes > 0) yield { companyId, census };
}

/** On the condition of every change, as these rows are never written otherwise. */
async function writeRows({ session, clock }: Parts, rows: Omit<ScimRows, "log">): Promise<void> {
  const company = { company_id: rows.companyId };
  if (rows.events) await session.execute(plain(putCompany, { ...company, stamp: BigInt(clock.now()) * 1000n }));
  const statements = statementsOf(rows, clock.now());
  for (let attempt = 0; attempt < limits.scimAttemptsMax; attempt += 1) {
    const [state] = await session.execute({ ...plain(selectState, company), serial: true });
    const was = (state?.["changes"] ?? null) as bigint | null;
    const there = { users: Number(state?.["users"] ?? 0), changes: 0 };
    const { users, changes } = rows.census ?? there;
    const next = [(was ?? 0n) + 1n, BigInt(changes)].reduce((one, other) => one > other ? one : other);
    if (await session.conditional([part(updateState, { ...company, users, changes: next, was }), ...statements])) return;
  }
  throw new Refusal("STORE_UNAVAILABLE", "Others change users of the company at the same time", { retryAfterSeconds: 1 });
}

function statementsOf({ companyId, users = [], events = [], remembered = [] }: Omit<ScimRows, "log">, now: number): Statement[] {
  const marks = remembered.filter(({ expiresAt }) => expiresAt > now);
  return [
    ...users.flatMap(userStatements),
    ...events.map((event, at) => eventStatement(event, BigInt(at + 1))),
    ...marks.map((mark) => markStatement(companyId, mark, mark.expiresAt - now)),
  ];
}
