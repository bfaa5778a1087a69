/** Access kept in Cassandra for all gateways of an installation: a set in memory that answers every request, and its rows. */
import { readAll, type Row, type Session, type Statement } from "../../platform/cassandra/session.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/identifier.ts";
import { limits } from "../../platform/limits.ts";
import type { Logger } from "../../platform/logger.ts";
import { Refusal } from "../../platform/refusal.ts";
import type { Access } from "./access.ts";
import type { AccessAdmin, AccessPlan } from "./admin.ts";
import { findHolder, type Held, holdRows } from "./held.ts";
import type { AccessNotices } from "./notices.ts";
import { dropId, type PutWrite, rowId, rowsOf, withWrites } from "./row-set.ts";
import type { AccessWrite } from "./rows.ts";

export interface CassandraAccessOptions {
  /** Of the gateways' keyspace. */
  readonly session: Session;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Installations that share a keyspace know nothing of each other. */
  readonly installation: string;
  /** Where given, changes are told and heard of at once; without it they are asked for. */
  readonly notices?: AccessNotices;
}

/**
 * Reads all rows and holds them in memory. What another process writes is seen at once by notice, and within
 * `accessRefreshMs` and one read without; while the store is away the last known set serves.
 * Refuses with STORE_UNAVAILABLE where the store cannot be read at the start.
 */
export async function openCassandraAccess(options: CassandraAccessOptions): Promise<Access & AccessAdmin> {
  const { session, clock, logger, installation, notices } = options;
  let current = await readSet(session, installation, clock);
  let reading: Promise<void> = Promise.resolve();
  let there = true;
  let closed = false;
  let stopRefresh: (() => void) | undefined;

  async function readIfChanged(): Promise<void> {
    const [row] = await session.execute({ cql: selectVersion, values: { installation }, idempotent: true });
    if (text(row?.["version"]) !== current.version) current = await readSet(session, installation, clock);
  }
  /** One after the other: an earlier answer never replaces a later one. */
  async function refresh(): Promise<void> {
    reading = reading.then(readIfChanged, readIfChanged);
    await reading;
  }
  async function refreshQuietly(): Promise<void> {
    try {
      await refresh();
      if (!there) logger.info("access_store_back");
      there = true;
    } catch (error) {
      if (there && !closed) logger.warn("access_store_away", { cause: String(error) });
      there = false;
    }
  }
  function refreshLater(): void {
    stopRefresh = clock.after(limits.accessRefreshMs, () => void refreshQuietly().finally(() => closed || refreshLater()));
  }
  /** Whoever wrote may have a clock ahead of ours; a revocation of now is not one of later. */
  function now(): number {
    return clock.now() + current.aheadMs;
  }

  refreshLater();
  const deafen = notices?.listen(() => void refreshQuietly());
  return {
    findApiKey: (secret) => findHolder(current.held.keys, secret, now()),
    findScimToken: (secret) => findHolder(current.held.tokens, secret, now()),
    workspace: (id) => current.held.workspaces.get(id),
    allowsOrigin: (origin) => current.held.origins.has(origin),
    refresh,
    close() {
      closed = true;
      stopRefresh?.();
      deafen?.();
    },
    rows: () => current.held.rows,
    declared: (workspaceId, kind) => current.held.rows.declared.filter((row) => row.workspaceId === workspaceId && row.kind === kind),
    async transact(plan) {
      const { result, changed } = await transact({ session, clock, installation }, plan);
      if (changed) await notices?.tell();
      // It is written, whatever becomes of the reading: a secret that was made must reach whoever asked
      await refreshQuietly();
      return result;
    },
  };
}

/** All rows as of one version. */
interface AccessSet {
  readonly version: string;
  readonly held: Held;
  /** How far the clock of whoever wrote last is ahead of ours, at least. */
  readonly aheadMs: number;
}

async function readSet(session: Session, installation: string, clock: Clock): Promise<AccessSet> {
  const select: Statement = { cql: selectRows, values: { installation }, idempotent: true };
  for (let attempt = 0; attempt < limits.accessAttemptsMax; attempt += 1) {
    const rows = await readAll(session, select, limits.cassandraPageRows);
    const version = text(rows[0]?.["version"]);
    // Written to between two pages: what was read is of two versions
    if (rows.some((row) => text(row["version"]) !== version)) continue;
    const aheadMs = Math.max(0, Number(rows[0]?.["written_at"] ?? 0) - clock.now());
    return { version, held: holdRows(rowsOf(rows.flatMap(putOf))), aheadMs };
  }
  throw new Refusal("STORE_UNAVAILABLE", "Who may call is being changed all the time", { retryAfterSeconds: 1 });
}

/** Plans again on what somebody else wrote in between, until the plan's own version is the next one. */
async function transact<T>(
  { session, clock, installation }: Pick<CassandraAccessOptions, "session" | "clock" | "installation">,
  plan: AccessPlan<T>,
): Promise<{ result: T; changed: boolean }> {
  for (let attempt = 0; attempt < limits.accessAttemptsMax; attempt += 1) {
    const { version, held } = await readSet(session, installation, clock);
    const now = clock.now();
    const { writes, result } = plan(held.rows, now);
    if (writes.length === 0) return { result, changed: false };
    withWrites(held.rows, writes);
    const next = newId("v_", clock);
    const fence = fenceOf({ installation, version, next, now });
    const statements = writes.map((write) => statementOf(installation, write));
    if (await written(session, { installation, next, statements: [fence, ...statements] })) return { result, changed: true };
  }
  throw new Refusal("STORE_UNAVAILABLE", "Others change who may call all the time; nothing was written", { retryAfterSeconds: 1 });
}

/** Whether the change is the one that came next. An unknown outcome is found out by a conditional statement, which ends what is under way. */
async function written(
  session: Session,
  { installation, next, statements }: { installation: string; next: string; statements: readonly Statement[] },
): Promise<boolean> {
  try {
    return await session.conditional(statements);
  } catch (error) {
    if (!(error instanceof Refusal) || error.reason !== "OUTCOME_UNKNOWN") throw error;
    const settling: Statement = { cql: settle, values: { installation, next }, idempotent: false };
    if (await session.conditional([settling]).catch(() => false)) return true;
    throw error;
  }
}

const table = "access_rows_by_installation";
export const selectVersion = `SELECT version FROM ${table} WHERE installation = :installation LIMIT 1`;
const selectRows = `SELECT version, written_at, kind, id, content FROM ${table} WHERE installation = :installation`;
const insertVersion = `INSERT INTO ${table} (installation, version, written_at) VALUES (:installation, :next, :written_at) IF NOT EXISTS`;
const updateVersion =
  `UPDATE ${table} SET version = :next, written_at = :written_at WHERE installation = :installation IF version = :version`;
const settle = `UPDATE ${table} SET version = :next WHERE installation = :installation IF version = :next`;
export const putRow = `INSERT INTO ${table} (installation, kind, id, content) VALUES (:installation, :kind, :id, :content)`;
const dropRow = `DELETE FROM ${table} WHERE installation = :installation AND kind = :kind AND id = :id`;

function statementOf(installation: string, write: AccessWrite): Statement {
  if ("drop" in write) return { cql: dropRow, values: { installation, kind: write.drop, id: dropId(write) }, idempotent: false };
  const content = JSON.stringify(write.row);
  return { cql: putRow, values: { installation, kind: write.put, id: rowId(write), content }, idempotent: false };
}

/** The condition of every change: `version` is still the one there is, "" for none. */
export function fenceOf(
  { installation, version, next, now }: { installation: string; version: string; next: string; now: number },
): Statement {
  const values = { installation, next, written_at: BigInt(Math.ceil(now)) };
  return version === ""
    ? { cql: insertVersion, values, idempotent: false }
    : { cql: updateVersion, values: { ...values, version }, idempotent: false };
}

/** Nothing for the row that holds the version alone. */
function putOf(row: Row): PutWrite[] {
  return typeof row["kind"] === "string" ? [{ put: row["kind"], row: JSON.parse(text(row["content"])) } as PutWrite] : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
