/** The session over the Apache driver, with those of its defaults changed that would break a promise. */
import cassandra, { type ClientOptions, type QueryOptions } from "cassandra-driver";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { CassandraConfig } from "../mesh-config.ts";
import { Refusal } from "../refusal.ts";
import { connectedClient } from "./connected-client.ts";
import { outcomeOf, refusalOf } from "./outcome.ts";
import type { Row, Statement, Value, WatchedSession } from "./session.ts";

/** Connects when it is first needed, and again whenever that failed: an unreachable cluster costs each call its deadline at most. */
export function openCassandra(config: CassandraConfig, clock: Clock): WatchedSession {
  const listeners = new Set<() => void>();
  const connected = connectedClient(() => clientOptions(config), clock, () => listeners.forEach((listener) => listener()));
  const deadlineMs = config.deadlineMs ?? limits.cassandraDeadlineMs;
  async function run<Result>(kind: "read" | "write", call: (client: cassandra.Client) => Promise<Result>): Promise<Result> {
    try {
      return await withDeadline({ clock, deadlineMs, kind }, connected.get().then(call));
    } catch (error) {
      throw refusalOf(error, kind);
    }
  }
  return {
    async execute(statement) {
      const options = { ...queryOptions(statement), fetchSize: 0 };
      const result = await run(kindOf(statement.cql), (client) => client.execute(statement.cql, bound(statement) ?? [], options));
      if ((result.info as { isSchemaInAgreement?: boolean }).isSchemaInAgreement === false) {
        throw new Refusal("STORE_UNAVAILABLE", "The nodes do not agree on the tables yet");
      }
      return (result.rows ?? []) as unknown as Row[];
    },
    async batch(statements) {
      const queries = statements.map((statement) => ({ query: statement.cql, params: bound(statement) ?? [] }));
      // Of one partition, so one mutation: logged costs nothing more then, and a mistake in the key stays atomic.
      await run("write", (client) => client.batch(queries, { prepare: true, logged: true, isIdempotent: true }));
    },
    async conditional(statements) {
      const queries = statements.map((statement) => ({ query: statement.cql, params: bound(statement) ?? [] }));
      const options = { prepare: true, logged: true, isIdempotent: false, serialConsistency: cassandra.types.consistencies.localSerial };
      const result = await run("write", (client) => client.batch(queries, options));
      return result.wasApplied();
    },
    async page(statement, { rowsMax, from }) {
      const options = { ...queryOptions(statement), fetchSize: rowsMax, ...(from !== undefined && { pageState: from }) };
      const result = await run("read", (client) => client.execute(statement.cql, bound(statement) ?? [], options));
      return { rows: result.rows as unknown as Row[], next: result.pageState ?? undefined };
    },
    onNodeChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => connected.close(),
  };
}

function clientOptions(config: CassandraConfig): ClientOptions {
  const { policies } = cassandra;
  return {
    contactPoints: [...config.contactPoints],
    localDataCenter: config.datacenter,
    ...(config.keyspace !== undefined && { keyspace: config.keyspace }),
    ...(config.credentials !== undefined && { credentials: config.credentials }),
    ...(config.tls !== undefined && { sslOptions: { rejectUnauthorized: true, ...config.tls } }),
    // Reads and writes of less would not see each other
    queryOptions: { consistency: cassandra.types.consistencies.localQuorum, prepare: true },
    pooling: { coreConnectionsPerHost: { [cassandra.types.distance.local]: limits.cassandraConnectionsPerHost } },
    socketOptions: { readTimeout: config.deadlineMs ?? limits.cassandraAttemptMsMax, connectTimeout: limits.cassandraAttemptMsMax },
    encoding: { useBigIntAsLong: true },
    policies: {
      retry: new CertainRetryPolicy(),
      speculativeExecution: new ReadSpeculation(limits.cassandraSpeculationMs, 1),
      // The default waits up to ten minutes for a host that was away for long
      reconnection: new policies.reconnection.ConstantReconnectionPolicy(limits.cassandraReconnectMs),
    },
  };
}

/** Tries again, once and elsewhere, only what certainly did not happen, and reads. */
class CertainRetryPolicy extends cassandra.policies.retry.RetryPolicy {
  override onRequestError(info: RetryInfo, consistency: cassandra.types.consistencies, error: Error): RetryDecision {
    const isSafe = isRead(info.query) || outcomeOf(error) === "notDone";
    return info.nbRetry === 0 && isSafe ? this.retryResult(consistency, false) : this.rethrowResult();
  }

  override onWriteTimeout(): RetryDecision {
    return this.rethrowResult();
  }
}

/** A second copy of a slow read on another host; never of a write, whose outcome would be that of the faster one only. */
class ReadSpeculation extends cassandra.policies.speculativeExecution.ConstantSpeculativeExecutionPolicy {
  override newPlan(keyspace: string, query: string | object[]): ReturnType<Speculation["newPlan"]> {
    return isRead(query) ? super.newPlan(keyspace, query) : neverAgain;
  }
}

const neverAgain = { nextExecution: () => -1 };

function isRead(query: unknown): boolean {
  return typeof query === "string" && kindOf(query) === "read";
}

function kindOf(cql: string): "read" | "write" {
  return /^\s*SELECT\b/i.test(cql) ? "read" : "write";
}

function queryOptions(statement: Statement): QueryOptions {
  return {
    prepare: preparable.test(statement.cql),
    isIdempotent: statement.isConditional !== true,
    ...(statement.serial === true && { consistency: cassandra.types.consistencies.localSerial }),
  };
}

/** Changes of the schema are not prepared. */
const preparable = /^\s*(SELECT|INSERT|UPDATE|DELETE)\b/i;

function bound({ cql, values }: Statement): readonly unknown[] | Record<string, unknown> | undefined {
  const names = namesIn(cql);
  if (names === undefined) return undefined;
  if (names === "repeated") return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toDriver(value)]));
  return names.map((name) => {
    const value = values[name];
    if (value === undefined) throw new Error(`Expected a value of "${name}"`);
    return toDriver(value);
  });
}

/**
 * The names of a statement's values in order, as the driver copies an object of named ones twice, for each row of a batch; undefined where it is not
 * prepared. Where a name occurs twice, binding by name is left to the driver.
 */
function namesIn(cql: string): Names {
  if (namesByText.has(cql)) return namesByText.get(cql);
  const found = preparable.test(cql) ? Array.from(cql.matchAll(/:(\w+)/g), ([, name = ""]) => name) : undefined;
  const names = found === undefined || new Set(found).size === found.length ? found : "repeated";
  // Texts are constants, but for those that make tables
  if (names !== undefined) namesByText.set(cql, names);
  return names;
}

type Names = readonly string[] | "repeated" | undefined;

const namesByText = new Map<string, Names>();

/** The driver takes blobs as Buffers alone. */
function toDriver(value: Value): unknown {
  if (!(value instanceof Uint8Array)) return value;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** A statement that is late is given up, not called back: so a late write is an unknown one. */
function withDeadline<Result>(
  { clock, deadlineMs, kind }: { clock: Clock; deadlineMs: number; kind: "read" | "write" },
  result: Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(deadlineMs, () => {
      const reason = kind === "read" ? "STORE_UNAVAILABLE" : "OUTCOME_UNKNOWN";
      reject(new Refusal(reason, `The store did not answer within ${deadlineMs} ms`, { retryAfterSeconds: 1 }));
    });
    result.then(resolve, reject).finally(cancel);
  });
}

type RetryInfo = Parameters<cassandra.policies.retry.RetryPolicy["onRequestError"]>[0];
type Speculation = cassandra.policies.speculativeExecution.ConstantSpeculativeExecutionPolicy;
type RetryDecision = ReturnType<cassandra.policies.retry.RetryPolicy["rethrowResult"]>;
