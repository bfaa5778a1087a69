/** Identity rows in Cassandra: one table a kind, one partition a key, the step as their age. */
import type { Clock } from "../../../platform/clock.ts";
import { inFlight } from "../../../platform/cassandra/in-flight.ts";
import type { Row, Session, Statement } from "../../../platform/cassandra/session.ts";
import { limits } from "../../../platform/limits.ts";
import type { IdentityKey, RepeatRow } from "../domain/identity.ts";
import type { IdentityStore, IdentityWriter, SetAsideRecord } from "../domain/ports.ts";
import { secondsUntil } from "./cassandra-values.ts";
import { originsToRow } from "./origin-rows.ts";
import { originBucket } from "./cassandra-values.ts";
import { identityTables, putExpiringAnswer, putOrigins, putSetAside } from "./statements.ts";

export function cassandraIdentities({ session, clock }: { session: Session; clock: Clock }): IdentityStore & IdentityWriter {
  return {
    async load(workspaceId, keys) {
      const rows = await inFlight(keys, limits.cassandraInFlightMax, async (key) => {
        const [row] = await session.execute(selectOf(workspaceId, key));
        return row === undefined ? undefined : [key, valueOf(key, row)] as const;
      });
      return new Map(rows.filter((row) => row !== undefined));
    },
    async save(workspaceId, rows, step) {
      const writes = Array.from(rows, ([key, value]) => writeOf({ workspaceId, key, stamp: BigInt(step), now: clock.now() }, value));
      await inFlight(writes, limits.cassandraInFlightMax, (write) => session.execute(write));
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
      await session.execute({ cql: putOrigins, values, idempotent: true });
    },
    async setAside(records) {
      await inFlight(records, limits.cassandraInFlightMax, (record) => session.execute(setAsideOf(record)));
    },
  };
}

function selectOf(workspaceId: string, key: IdentityKey): Statement {
  return { cql: tableOf(key).select, values: namesOf(workspaceId, key), idempotent: true };
}

function writeOf(
  { workspaceId, key, stamp, now }: { workspaceId: string; key: IdentityKey; stamp: bigint; now: number },
  value: unknown,
): Statement {
  const table = tableOf(key);
  const names = { ...namesOf(workspaceId, key), stamp };
  if (value === undefined) return { cql: table.delete, values: names, idempotent: true };
  const text = table.value === "user_id" ? String(value) : JSON.stringify(value);
  if (!key.startsWith("r:")) return { cql: table.put, values: { ...names, value: text }, idempotent: true };
  const ttl = secondsUntil((value as RepeatRow).expiresAt, now);
  return { cql: putExpiringAnswer, values: { ...names, value: text, ttl }, idempotent: true };
}

function valueOf(key: IdentityKey, row: Row): unknown {
  const { value } = tableOf(key);
  const text = String(row[value]);
  return value === "user_id" ? text : JSON.parse(text);
}

function tableOf(key: IdentityKey): (typeof identityTables)[keyof typeof identityTables] {
  return identityTables[key.slice(0, 1) as keyof typeof identityTables];
}

/** An alias is two names with a zero byte between them. */
function namesOf(workspaceId: string, key: IdentityKey): Record<string, string> {
  const { names } = tableOf(key);
  const text = key.slice(2);
  const cut = names.length === 1 ? text.length : text.indexOf("\u0000");
  const parts = [text.slice(0, cut), text.slice(cut + 1)];
  return { workspace_id: workspaceId, ...Object.fromEntries(names.map((name, at) => [name, parts[at] ?? ""])) };
}

function setAsideOf({ partition, sequence, reason, body }: SetAsideRecord): Statement {
  const values = { log_partition: partition, sequence: BigInt(sequence), reason, body, stamp: BigInt(sequence) };
  return { cql: putSetAside, values, idempotent: true };
}
