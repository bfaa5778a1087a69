/** Identity rows in Cassandra: one table a kind, one partition a key, the step as their age. */
import { Buffer } from "node:buffer";
import { inFlight } from "../../../platform/in-flight.ts";
import { write } from "../../../platform/cassandra/batches.ts";
import type { Row, Session, Statement } from "../../../platform/cassandra/session.ts";
import { createGate } from "../../../platform/gate.ts";
import { limits } from "../../../platform/limits.ts";
import { slicesOf } from "../../../platform/slices-by-size.ts";
import type { IdentityKey, IdentityKind, RepeatRow } from "../domain/identity/identity.ts";
import type { DeadLetterRecord, IdentityStore, IdentityWriter, NameIndex } from "../domain/ports.ts";
import { originsToRow } from "./origin-rows.ts";
import { forEver, originBucket, secondsUntil } from "./cassandra-values.ts";
import { byBytes, lastCharacter, listedName, shardOf } from "./names.ts";
import {
  deleteDeadLetter,
  deleteName,
  identityTables,
  putDeadLetter,
  putExpiringAnswer,
  putName,
  putOrigins,
  selectNames,
} from "./statements.ts";

export function cassandraIdentities({ session, now }: { session: Session; now: () => number }): IdentityStore & IdentityWriter & NameIndex {
  // Workspaces of a step are written at the same time
  const gate = createGate(limits.cassandraLanesInFlightMax);
  return {
    async load(workspaceId, keys) {
      const found = await inFlight(
        readsOf(keys.filter((key) => canHaveRow(workspaceId, key))),
        limits.cassandraInFlightMax,
        async (read) => {
          const rows = await session.execute(selectOf(workspaceId, read));
          return rows.map((row) => rowOf(read, row));
        },
      );
      return new Map(found.flat());
    },
    async save(workspaceId, rows, step) {
      const at = now();
      const stamp = BigInt(step);
      const writes = Array.from(rows, ([key, value]) => [writeOf({ workspaceId, key, stamp, now: at }, value)]);
      // A name may be listed that is not there yet, or no more: a reader that finds it reads on. No name is there and not listed
      await inFlight(
        [...namesAsListed(workspaceId, rows, stamp), ...writes],
        limits.cassandraInFlightMax,
        (some) => gate.run(() => write(session, some)),
      );
    },
    async listNames(workspaceId, kind, { prefix, after, max }) {
      const least = after ?? prefix;
      // The last name of the page before is given once more
      const page = { least, end: prefix + lastCharacter, max: max + 1 };
      const perShard = await inFlight(allShards, limits.cassandraInFlightMax, async (shard) => {
        const rows = await session.execute({
          cql: selectNames,
          values: { workspace_id: workspaceId, shard, kind, ...page },
        });
        return rows.map((row) => String(row["name"]));
      });
      return perShard.flat().filter((name) => name !== after).sort(byBytes).slice(0, max);
    },
    async saveOrigins(partition, through, origins) {
      const values = {
        log_partition: partition,
        bucket: originBucket(through),
        through: BigInt(through),
        body: originsToRow(origins),
        stamp: BigInt(through),
        ttl: limits.originsKeepMs / 1_000,
      };
      await session.execute({ cql: putOrigins, values });
    },
    async forgetSetAside({ partition, sequence }) {
      const values = { log_partition: partition, sequence: BigInt(sequence), stamp: forEver };
      await session.execute({ cql: deleteDeadLetter, values });
    },
    async setAside(records) {
      await inFlight(records, limits.cassandraInFlightMax, (record) => session.execute(deadLetterOf(record)));
    },
  };
}

const allShards = Array.from({ length: limits.nameShards }, (_, shard) => shard);

/** Batches of one partition each. */
export function namesAsListed(workspaceId: string, rows: ReadonlyMap<IdentityKey, unknown>, stamp: bigint): Statement[][] {
  const found = Array.from(rows, ([key, value]) => ({ listed: listedName(key), cql: value === undefined ? deleteName : putName }));
  const statements = found.flatMap(({ listed, cql }) => {
    if (listed === undefined) return [];
    return { cql, values: { workspace_id: workspaceId, shard: shardOf(listed), ...listed, stamp } } as const;
  });
  return [...Map.groupBy(statements, ({ values }) => values.shard).values()]
    .flatMap((some) => slicesOf(some, limits.cassandraBatchStatementsMax));
}

/** Cassandra fails what asks for a longer key than a row may have, instead of finding nothing: a client may have made up the name. */
function canHaveRow(workspaceId: string, key: IdentityKey): boolean {
  const units = workspaceId.length + key.length;
  return units * unitBytesMax <= limits.cassandraKeyBytesMax ||
    Buffer.byteLength(workspaceId) + Buffer.byteLength(key) <= limits.cassandraKeyBytesMax;
}

/** Of a UTF-16 unit in UTF-8. */
const unitBytesMax = 3;

/** Keys of one kind whose names differ in the last part alone: up to `cassandraPartitionsPerRead`, at least one. */
interface Read {
  readonly first: IdentityKey;
  readonly keys: readonly IdentityKey[];
}

/** A statement costs more than a row does, so some are read together (docs/decisions/0024-reads-of-named-partitions.md). */
function readsOf(keys: readonly IdentityKey[]): Read[] {
  const alike = Map.groupBy(new Set(keys), (key) => key.slice(0, key.length - lastNameOf(key).length));
  return [...alike.values()].flatMap((some) =>
    slicesOf(some, limits.cassandraPartitionsPerRead).map((keys) => ({ first: keys[0] as IdentityKey, keys }))
  );
}

/** A single key goes to the nodes that have it, whichever those are. */
function selectOf(workspaceId: string, { first, keys }: Read): Statement {
  const { select, selectSome, names } = tableOf(first);
  const values = namesOf(workspaceId, first);
  if (keys.length === 1) return { cql: select, values };
  const { [names.at(-1) ?? ""]: _, ...shared } = values;
  return { cql: selectSome, values: { ...shared, some: keys.map(lastNameOf) } };
}

function rowOf({ first }: Read, row: Row): [IdentityKey, unknown] {
  const last = String(row[tableOf(first).names.at(-1) ?? ""]);
  return [first.slice(0, first.length - lastNameOf(first).length) + last as IdentityKey, valueOf(first, row)];
}

function writeOf(
  { workspaceId, key, stamp, now }: { workspaceId: string; key: IdentityKey; stamp: bigint; now: number },
  value: unknown,
): Statement {
  const table = tableOf(key);
  const names = { ...namesOf(workspaceId, key), stamp };
  if (value === undefined) return { cql: table.delete, values: names };
  const text = table.value === "user_id" ? String(value) : JSON.stringify(value);
  if (!key.startsWith("r:")) return { cql: table.put, values: { ...names, value: text } };
  const ttl = secondsUntil((value as RepeatRow).expiresAt, now);
  return { cql: putExpiringAnswer, values: { ...names, value: text, ttl } };
}

function valueOf(key: IdentityKey, row: Row): unknown {
  const { value } = tableOf(key);
  const text = String(row[value]);
  return value === "user_id" ? text : JSON.parse(text);
}

function tableOf(key: IdentityKey): (typeof identityTables)[keyof typeof identityTables] {
  return identityTables[key.slice(0, 1) as IdentityKind];
}

/** The name, and of an alias, which is two names with a zero byte between them, the second. */
function lastNameOf(key: IdentityKey): string {
  return tableOf(key).names.length === 1 ? key.slice(2) : key.slice(key.indexOf("\u0000") + 1);
}

function namesOf(workspaceId: string, key: IdentityKey): Record<string, string> {
  const { names } = tableOf(key);
  const text = key.slice(2);
  const cut = names.length === 1 ? text.length : text.indexOf("\u0000");
  const parts = [text.slice(0, cut), text.slice(cut + 1)];
  return { workspace_id: workspaceId, ...Object.fromEntries(names.map((name, at) => [name, parts[at] ?? ""])) };
}

function deadLetterOf({ partition, sequence, reason, body }: DeadLetterRecord): Statement {
  const values = { log_partition: partition, sequence: BigInt(sequence), reason, body, stamp: BigInt(sequence) };
  return { cql: putDeadLetter, values };
}
