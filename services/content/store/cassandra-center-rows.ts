/** The partition of a workspace's preference centers: its rows read, and changed on the condition that nobody else changed it meanwhile. */
import { readAll, type Row, type Session, type Statement, type Value } from "../../../platform/cassandra/session.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import {
  putPassingRow,
  putRow,
  selectBetween,
  selectKind,
  selectRevision,
  selectRow,
  updateRevision,
} from "./cassandra-center-statements.ts";

type RowKind = "center" | "name" | "version" | "mark" | "settings" | "key";

export interface RowWrite {
  readonly kind: RowKind;
  readonly id: string;
  /** As JSON. */
  readonly body: unknown;
  /** The row ends by itself. */
  readonly keepMs?: number;
}

export interface CenterRows {
  get(workspaceId: string, kind: RowKind, id: string): Promise<unknown>;
  all(workspaceId: string, kind: RowKind): Promise<unknown[]>;
  /** As all(), with the ids. */
  named(workspaceId: string, kind: RowKind): Promise<{ readonly id: string; readonly body: unknown }[]>;
  /** Ids after `above` and before `below`, in their order. */
  between(
    workspaceId: string,
    kind: RowKind,
    range: { readonly above: string; readonly below: string; readonly rows: number },
  ): Promise<unknown[]>;
  /**
   * Plans on the partition as it is and writes the rows it gives, whole or not at all; again from the start where somebody
   * else was faster. A plan that gives a text writes nothing, and the text is the outcome.
   */
  change<Outcome extends string>(
    workspaceId: string,
    plan: () => Promise<readonly RowWrite[] | Outcome>,
  ): Promise<Outcome | "committed">;
}

export function openCenterRows(session: Session): CenterRows {
  function rowsOf(workspace_id: string, kind: RowKind): Promise<Row[]> {
    return readAll(session, plain(selectKind, { workspace_id, kind }), limits.cassandraPageRows);
  }
  return {
    async get(workspace_id, kind, id) {
      const [row] = await session.execute(plain(selectRow, { workspace_id, kind, id }));
      return bodyOf(row);
    },
    all: async (workspaceId, kind) => (await rowsOf(workspaceId, kind)).map(bodyOf),
    named: async (workspaceId, kind) => (await rowsOf(workspaceId, kind)).map((row) => ({ id: String(row["id"]), body: bodyOf(row) })),
    async between(workspace_id, kind, range) {
      return (await session.execute(plain(selectBetween, { workspace_id, kind, ...range }))).map(bodyOf);
    },
    async change(workspace_id, plan) {
      for (let attempt = 0; attempt < limits.cassandraChangeAttemptsMax; attempt += 1) {
        const [state] = await session.execute({ ...plain(selectRevision, { workspace_id }), serial: true });
        const was = (state?.["revision"] ?? null) as bigint | null;
        const rows = await plan();
        if (typeof rows === "string") return rows;
        const revision = (was ?? 0n) + 1n;
        const statements = [part(updateRevision, { workspace_id, revision, was }), ...rows.map((row) => written(workspace_id, row))];
        if (await session.conditional(statements)) return "committed";
      }
      throw new Refusal("STORE_UNAVAILABLE", "Others change the preference centers at the same time", { retryAfterSeconds: 1 });
    },
  };
}

function written(workspace_id: string, { kind, id, body, keepMs }: RowWrite): Statement {
  const values = { workspace_id, kind, id, body: JSON.stringify(body) };
  return keepMs === undefined ? part(putRow, values) : part(putPassingRow, { ...values, ttl: Math.ceil(keepMs / 1000) });
}

function bodyOf(row: Row | undefined): unknown {
  return row === undefined ? undefined : JSON.parse(String(row["body"]));
}

/** A read, or a write that may be repeated. */
export function plain(cql: string, values: Readonly<Record<string, Value>>): Statement {
  return { cql, values, idempotent: true };
}

/** One of the statements of a conditional write. */
function part(cql: string, values: Readonly<Record<string, Value>>): Statement {
  return { cql, values, idempotent: false };
}
