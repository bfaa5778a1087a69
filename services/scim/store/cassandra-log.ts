/** The log of requests in Cassandra: those that changed something stand with their change, the others by day; all end by themselves. */
import type { Row, Session, Statement } from "../../../platform/cassandra/session.ts";
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import type { LogEntry, LogQuestion, RequestLog } from "../domain/ports.ts";
import { plain, putRequest, selectBodiesDown, selectRequests } from "./cassandra-statements.ts";

export function openCassandraRequestLog({ session, clock }: { readonly session: Session; readonly clock: Clock }): RequestLog {
  return {
    async append(entries) {
      const placed = entries.map((entry, at) => ({ entry, place: String(at) }));
      for (const statements of requestStatements(placed, clock.now()).values()) await session.batch(statements);
    },
    async newest(asked) {
      const found = [...await changesOf(session, asked), ...await othersOf(session, asked, clock.now())];
      return found.sort((left, right) => right.at - left.at).slice(0, asked.limit);
    },
  };
}

/** The order of time, and no two alike. `place` tells entries of one request apart. */
export function logKey({ at, requestId }: LogEntry, place: string): string {
  return `${String(at).padStart(15, "0")} ${requestId} ${place}`;
}

/** As JSON: what is undefined is not in it. */
export function logBody(entry: LogEntry): object {
  return { ...entry, companyId: undefined };
}

/** By partition. Entries end when they were kept long enough, counted from when they happened. */
export function requestStatements(
  placed: readonly { readonly entry: LogEntry; readonly place: string }[],
  now: number,
): Map<string, Statement[]> {
  const partitions = new Map<string, Statement[]>();
  for (const { entry, place } of placed) {
    const { companyId, at } = entry;
    const day = dayOf(at);
    const values = {
      company_id: companyId,
      day,
      key: logKey(entry, place),
      body: JSON.stringify(logBody(entry)),
      stamp: BigInt(at) * 1000n,
      ttl: Math.max(1, Math.min(keepSeconds, keepSeconds - Math.floor((now - at) / 1000))),
    };
    const name = `${day} ${companyId}`;
    partitions.set(name, [...(partitions.get(name) ?? []), plain(putRequest, values)]);
  }
  return partitions;
}

const keepSeconds = limits.scimLogKeepMs / 1000;
const dayMs = 24 * 3600 * 1000;

function dayOf(at: number): number {
  return Math.floor(at / dayMs);
}

/** Pages backwards until enough are about whom was asked for. */
async function changesOf(session: Session, { companyId, limit, about }: LogQuestion): Promise<LogEntry[]> {
  return await collect(
    limit,
    { companyId, about },
    (after) => session.execute(plain(selectBodiesDown, { company_id: companyId, kind: "log", after, max: limits.scimLogPageRows })),
  );
}

/** Day by day, from today on backwards as long as entries are kept. */
async function othersOf(session: Session, { companyId, limit, about }: LogQuestion, now: number): Promise<LogEntry[]> {
  const found: LogEntry[] = [];
  for (let day = dayOf(now) + 1; day >= dayOf(now - limits.scimLogKeepMs) && found.length < limit; day -= 1) {
    const asked = { company_id: companyId, day, max: limits.scimLogPageRows };
    found.push(
      ...await collect(limit - found.length, { companyId, about }, (after) => session.execute(plain(selectRequests, { ...asked, after }))),
    );
  }
  return found;
}

async function collect(
  limit: number,
  { companyId, about }: { readonly companyId: string; readonly about: string | undefined },
  read: (after: string) => Promise<readonly Row[]>,
): Promise<LogEntry[]> {
  const found: LogEntry[] = [];
  for (let after = "\u{10ffff}", seen = 0; found.length < limit && seen < limits.scimLogEntriesMax;) {
    const rows = await read(after);
    const entries = rows.map((row) => ({ ...(JSON.parse(String(row["body"])) as Omit<LogEntry, "companyId">), companyId }));
    found.push(...entries.filter(({ userId, userName }) => about === undefined || userId === about || userName === about));
    if (rows.length < limits.scimLogPageRows) break;
    seen += rows.length;
    after = String(rows.at(-1)?.["key"]);
  }
  return found.slice(0, limit);
}
