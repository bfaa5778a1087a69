/** Documents in Cassandra: rows by key, large values apart, and changes as conditional writes. */
import { inFlight } from "../in-flight.ts";
import { readAll, type Row } from "../cassandra/session.ts";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import { type Deps, type DocumentsDeps, openTurns, putWithout, rowOf } from "./cassandra-changes.ts";
import { openChunks } from "./chunks.ts";
import { type ChangeIf, type Document, type Documents, idsAboveAll, idsBelowAll, type Key, type Write } from "./documents.ts";
import { formOf, idIn, idOf, kindOf, onceStatements, statementsOf } from "./layout.ts";

export function openCassandraDocuments(options: DocumentsDeps): Documents {
  const { session, layout } = options;
  const made = new Map<string, ReturnType<typeof statementsOf>>();
  function statements(kind: string): ReturnType<typeof statementsOf> {
    const form = formOf(layout, kind);
    const name = form.columns.join();
    const known = made.get(name) ?? statementsOf(layout, form);
    made.set(name, known);
    return known;
  }
  const deps: Deps = { ...options, statements, large: layout.chunks && openChunks({ ...options, chunks: layout.chunks }) };
  const inTurn = openTurns(deps);
  async function between(...[partition, kind, range]: Parameters<Documents["between"]>): Promise<readonly Document[]> {
    const { above = idsBelowAll, below = idsAboveAll, limit: max, descending = false } = range;
    const { selectUp, selectDown } = statements(kind);
    const bounds = { above: idIn(layout, above), below: idIn(layout, below), max };
    const rows = await session.execute({
      cql: descending ? selectDown : selectUp,
      values: { ...kindOf(layout, partition, kind), ...bounds },
    });
    return rows.map((row): Document => ({ id: idOf(layout, row), value: formOf(layout, kind).fromRow(row) }));
  }
  return {
    get: (partition, key) => key.kind === layout.once?.kind ? getOnce(deps, partition, key.id) : get(deps, partition, key),
    between,
    async list(partition, kind) {
      const found: Document[] = [];
      for (let above = idsBelowAll;; above = found.at(-1)?.id ?? idsAboveAll) {
        const page = await between(partition, kind, { above, limit: limits.cassandraPageRows });
        found.push(...page);
        if (page.length < limits.cassandraPageRows) return found;
      }
    },
    async ids(partition, kind) {
      const rows = await readAll(
        session,
        { cql: statements(kind).selectIds, values: kindOf(layout, partition, kind) },
        limits.cassandraPageRows,
      );
      return rows.map((row) => idOf(layout, row));
    },
    async changeIf<Outcome extends string>(partition: string, change: ChangeIf<Outcome>): Promise<Outcome | "committed"> {
      if (change.reads.length === 0 && change.large === undefined) return await putWithout(deps, partition, change);
      const written = await inFlight(change.large ?? [], largeInFlight, async (write) => {
        return [write.value, await writeLarge(deps, partition, write)] as const;
      });
      return await inTurn(partition, change, new Map(written)) as Outcome | "committed";
    },
  };
}

const largeInFlight = 8;

async function get(deps: Deps, partition: string, key: Key): Promise<unknown> {
  const { layout, large } = deps;
  const form = formOf(layout, key.kind);
  for (let attempt = 0; attempt < limits.cassandraChangeAttemptsMax; attempt += 1) {
    const row = await rowOf(deps, partition, { key, serial: false });
    if (row === undefined) return undefined;
    const value = form.fromRow(row);
    if (key.kind !== layout.chunks?.kind) return value;
    const whole = await large?.read(partition, key.id, String(value));
    if (whole !== undefined) return whole;
  }
  throw new Refusal("STORE_UNAVAILABLE", "The document is being replaced all the time", { retryAfterSeconds: 1 });
}

async function getOnce({ session, layout }: Deps, partition: string, id: string): Promise<unknown> {
  const [row]: readonly Row[] = await session.execute({ cql: onceStatements(layout).select, values: { partition, id } });
  return row && JSON.parse(String(row["body"]));
}

/** Gives the pointer that the document's row is to have. What is written once is whole then, and has none. */
async function writeLarge({ session, layout, large }: Deps, partition: string, { key: { kind, id }, value }: Write): Promise<string> {
  if (kind === layout.chunks?.kind && large) return await large.write(partition, id, value);
  // Its age says nothing, as it never changes
  await session.execute({ cql: onceStatements(layout).put, values: { partition, id, body: JSON.stringify(value), stamp: 1n } });
  return "";
}
