/**
 * Changes of documents in Cassandra. A conditional write agrees with other replicas in several rounds, and those of one partition go one
 * after the other: so all changes of a partition that wait in this process while one is under way go together in the next.
 */
import { inFlight } from "../in-flight.ts";
import type { Row, Session, Statement, Value } from "../cassandra/session.ts";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import type { LargeValues } from "./chunks.ts";
import { type ChangeIf, head, type Key, keyText, type Write } from "./documents.ts";
import { formOf, keyOf, type Layout, partitionOf, type statementsOf } from "./layout.ts";
import { expiryOf } from "./value-bytes.ts";

export interface DocumentsDeps {
  readonly session: Session;
  readonly layout: Layout;
  readonly clock: Clock;
}

export interface Deps extends DocumentsDeps {
  readonly statements: (kind: string) => ReturnType<typeof statementsOf>;
  readonly large: LargeValues | undefined;
}

/** A large value to where it was written. */
type Pointers = ReadonlyMap<unknown, string>;

interface Waiting {
  readonly change: ChangeIf<string>;
  readonly pointers: Pointers;
  readonly done: PromiseWithResolvers<string>;
}

/** Undefined also where the row has ended and its partition is there. */
export async function rowOf(
  { session, layout, statements }: Deps,
  partition: string,
  { key, serial }: { readonly key: Key; readonly serial: boolean },
): Promise<Row | undefined> {
  const isHead = key.kind === head.kind;
  if (isHead && layout.head === undefined) return undefined;
  const { selectHead, selectOne } = statements(key.kind);
  const [cql, values] = isHead ? [selectHead, partitionOf(layout, partition)] : [selectOne, keyOf(layout, partition, key)];
  const [row] = await session.execute({ cql, values, serial });
  return row === undefined || conditionIn(layout, key, row) === null ? undefined : row;
}

function conditionIn(layout: Layout, { kind }: Key, row: Row | undefined): Value {
  return (row?.[formOf(layout, kind).columns[0] ?? ""] ?? null) as Value;
}

/** As many wait as requests are under way. */
export function openTurns(deps: Deps): (partition: string, change: ChangeIf<string>, pointers: Pointers) => Promise<string> {
  const lines = new Map<string, Waiting[]>();
  async function work(partition: string): Promise<void> {
    for (let line = lines.get(partition) ?? []; line.length > 0; line = lines.get(partition) ?? []) {
      const { now, later } = groupOf(line);
      lines.set(partition, later);
      await changeTogether(deps, partition, now);
    }
    lines.delete(partition);
  }
  return (partition, change, pointers) => {
    const done = Promise.withResolvers<string>();
    const line = lines.get(partition);
    if (line) line.push({ change, pointers, done });
    else {
      lines.set(partition, [{ change, pointers, done }]);
      void work(partition);
    }
    return done.promise;
  };
}

/** Of those about the same documents only the first, so that each sees what the one before it left. */
function groupOf(line: readonly Waiting[]): { readonly now: readonly Waiting[]; readonly later: Waiting[] } {
  const [now, later, taken]: [Waiting[], Waiting[], Set<string>] = [[], [], new Set()];
  for (const waiting of line) {
    const { reads, large = [] } = waiting.change;
    const names = [...reads, ...large.map(({ key }) => key)].map(keyText);
    const isFree = now.length < limits.documentChangesPerWriteMax && names.every((name) => !taken.has(name));
    (isFree ? now : later).push(waiting);
    // Also those of what has to wait: nothing overtakes it
    for (const name of names) taken.add(name);
  }
  return { now, later };
}

/** Never fails: each change gets its own result. Looks more closely where something was not as it was seen. */
async function changeTogether(deps: Deps, partition: string, group: readonly Waiting[]): Promise<void> {
  let left = group;
  try {
    for (let attempt = 0; attempt < limits.cassandraChangeAttemptsMax && left.length > 0; attempt += 1) {
      left = await tryTogether(deps, partition, { group: left, serial: attempt > 0 });
    }
    for (const waiting of left) dropUnused(deps, partition, waiting);
    if (left.length > 0) throw new Refusal("STORE_UNAVAILABLE", "Others change the same at the same time", { retryAfterSeconds: 1 });
  } catch (error) {
    // Those that have a result already keep it
    for (const { done } of left) done.reject(error);
  }
}

interface Attempt {
  readonly serial: boolean;
}

/** Gives those that are not settled. */
async function tryTogether(
  deps: Deps,
  partition: string,
  { group, serial }: Attempt & { readonly group: readonly Waiting[] },
): Promise<readonly Waiting[]> {
  const planned = await inFlight(group, limits.cassandraInFlightMax, async (waiting) => {
    return { waiting, ...await planOne(deps, partition, { waiting, serial }) };
  });
  for (const { waiting, outcome } of planned) {
    if (outcome === undefined) continue;
    dropUnused(deps, partition, waiting);
    waiting.done.resolve(outcome);
  }
  const open = planned.filter(({ outcome }) => outcome === undefined);
  const statements = open.flatMap((one) => one.statements);
  const isDone = statements.length === 0 || await deps.session.conditional(statements);
  if (!isDone) return open.map(({ waiting }) => waiting);
  for (const { waiting: { done }, replaced } of open) {
    done.resolve("committed");
    for (const { id, pointer } of replaced) deps.large?.dropLater(partition, id, pointer);
  }
  return [];
}

interface Planned {
  /** Where nothing is to be written. */
  readonly outcome?: string;
  readonly statements: readonly Statement[];
  /** Large values that nothing names any more then. */
  readonly replaced: readonly { readonly id: string; readonly pointer: string }[];
}

async function planOne(deps: Deps, partition: string, { waiting, serial }: Attempt & { readonly waiting: Waiting }): Promise<Planned> {
  const { layout } = deps;
  const { reads, plan } = waiting.change;
  // The head first: what is changed while the others are read makes the change fail
  const isHeaded = layout.head !== undefined && reads.some(({ kind }) => kind === head.kind);
  const headRow = isHeaded ? await rowOf(deps, partition, { key: head, serial: true }) : undefined;
  const rows = await inFlight(reads, limits.cassandraInFlightMax, async (key) => {
    return key.kind === head.kind ? headRow : await rowOf(deps, partition, { key, serial });
  });
  const writes = plan(rows.map((row, at) => row && formOf(layout, reads[at]?.kind ?? "").fromRow(row)));
  if (typeof writes === "string") return { outcome: writes, statements: [], replaced: [] };
  const seen = new Map(reads.map((key, at) => [keyText(key), conditionIn(layout, key, rows[at])]));
  const stored = writes.filter(({ key: { kind } }) => kind !== layout.once?.kind && (kind !== head.kind || layout.head !== undefined));
  const large = stored.filter(({ key: { kind } }) => kind === layout.chunks?.kind);
  const replaced = await inFlight(large, limits.cassandraInFlightMax, async ({ key }) => {
    const pointer = conditionIn(layout, key, await rowOf(deps, partition, { key, serial }));
    seen.set(keyText(key), pointer);
    return pointer === null ? [] : [{ id: key.id, pointer: String(pointer) }];
  });
  const written = new Set(stored.map(({ key }) => keyText(key)));
  const loose = isHeaded ? head : reads.find((key) => key.kind !== head.kind && !written.has(keyText(key)));
  if (loose && !written.has(keyText(loose))) throw new Error(`Expected a change that writes what it read, got none of "${keyText(loose)}"`);
  const statements = stored.map((write) => statementFor(deps, partition, { write, seen, isHeaded, pointers: waiting.pointers }));
  return { statements, replaced: replaced.flat() };
}

/** With the head every other write goes without a condition of its own. */
function statementFor(
  { layout, clock, statements }: Deps,
  partition: string,
  { write: { key, value }, seen, isHeaded, pointers }: {
    readonly write: Write;
    readonly seen: ReadonlyMap<string, Value>;
    readonly isHeaded: boolean;
    readonly pointers: Pointers;
  },
): Statement {
  const texts = statements(key.kind);
  const was = seen.get(keyText(key)) ?? null;
  const stored = key.kind === layout.chunks?.kind && value !== undefined ? pointers.get(value) : value;
  const row = stored === undefined ? {} : formOf(layout, key.kind).toRow(stored);
  if (key.kind === head.kind) return { cql: texts.updateHead, values: { ...partitionOf(layout, partition), ...row, was } };
  const isConditional = !isHeaded && seen.has(keyText(key));
  const values = { ...keyOf(layout, partition, key), ...row, ...(isConditional ? { was } : {}) };
  if (value === undefined) return { cql: isConditional ? texts.dropIf : texts.drop, values };
  if (stored === undefined) throw new Error(`Expected "${keyText(key)}" among the large values of the change`);
  const expiresAt = expiryOf(value);
  if (expiresAt === undefined) return { cql: isConditional ? texts.change : texts.put, values };
  return { cql: isConditional ? texts.changePassing : texts.putPassing, values: { ...values, ttl: secondsUntil(expiresAt, clock) } };
}

/** Seconds, one at least. */
function secondsUntil(expiresAt: number, clock: Clock): number {
  return Math.max(1, Math.ceil((expiresAt - clock.now()) / 1000));
}

/** A change that rests on nothing: its documents are written without any condition. */
export async function putWithout<Outcome extends string>(
  { session, layout, clock, statements }: Deps,
  partition: string,
  { plan }: ChangeIf<Outcome>,
): Promise<Outcome | "committed"> {
  const writes = plan([]);
  if (typeof writes === "string") return writes;
  const stamp = BigInt(clock.now()) * 1000n;
  await session.batch(writes.map(({ key, value }) => {
    if (value === undefined) throw new Error(`Expected a change that reads "${keyText(key)}", as it drops it`);
    const expiresAt = expiryOf(value);
    const { putAt, putPassingAt } = statements(key.kind);
    const values = { ...keyOf(layout, partition, key), ...formOf(layout, key.kind).toRow(value), stamp };
    return expiresAt === undefined
      ? { cql: putAt, values }
      : { cql: putPassingAt, values: { ...values, ttl: secondsUntil(expiresAt, clock) } };
  }));
  return "committed";
}

function dropUnused({ layout, large }: Deps, partition: string, { change, pointers }: Waiting): void {
  for (const { key: { kind, id }, value } of change.large ?? []) {
    const pointer = pointers.get(value);
    if (kind === layout.chunks?.kind && pointer) large?.dropLater(partition, id, pointer);
  }
}
