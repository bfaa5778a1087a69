/** Which workspaces and companies there are, for the RPCs of all parts: from the rows that say who may call. */
import type { Session } from "../../platform/cassandra/session.ts";
import { readAll } from "../../platform/cassandra/session.ts";
import type { Clock } from "../../platform/clock.ts";
import { limits } from "../../platform/limits.ts";
import type { Tenant, Tenants } from "../../platform/rpc/tenants.ts";
import type { Access } from "./access.ts";
import type { AccessAdmin } from "./admin.ts";

/** Of the process that holds all rows itself. */
export function tenantsOf(access: Access & AccessAdmin): Tenants {
  function isKnown({ kind, id }: Tenant): boolean {
    return kind === "workspace" ? access.workspace(id) !== undefined : access.rows().companies.some((company) => company.id === id);
  }
  return {
    isKnown,
    async find(tenant) {
      await access.refresh();
      return isKnown(tenant);
    },
  };
}

const table = "access_rows_by_installation";
const selectIds = `SELECT id FROM ${table} WHERE installation = :installation AND kind = :kind`;
const selectId = `SELECT id FROM ${table} WHERE installation = :installation AND kind = :kind AND id = :id`;
const kinds = ["workspace", "company"] as const;

/**
 * Of a part of the mesh: ids alone, never a key. All are read at the start, and again every `tenantsReadMs` so that removed ones
 * go; one that is made in between is found when it is first named. While the store is away the last known ones hold.
 */
export async function openTenants(
  { session, installation, clock }: { readonly session: Session; readonly installation: string; readonly clock: Clock },
): Promise<Tenants & { close(): void }> {
  let known = await readKnown();
  let closed = false;
  let stop = clock.after(limits.tenantsReadMs, again);

  async function readKnown(): Promise<Set<string>> {
    const read = await Promise.all(kinds.map(async (kind) => {
      const rows = await readAll(session, { cql: selectIds, values: { installation, kind }, idempotent: true }, limits.cassandraPageRows);
      return rows.map((row) => keyOf({ kind, id: String(row["id"]) }));
    }));
    return new Set(read.flat());
  }
  async function readAgain(): Promise<void> {
    try {
      known = await readKnown();
    } catch {
      // The store is away: what was known holds
    }
    if (!closed) stop = clock.after(limits.tenantsReadMs, again);
  }
  function again(): void {
    void readAgain();
  }
  return {
    isKnown: (tenant) => known.has(keyOf(tenant)),
    async find(tenant) {
      const [row] = await session.execute({ cql: selectId, values: { installation, ...tenant }, idempotent: true });
      if (row === undefined) return false;
      known.add(keyOf(tenant));
      return true;
    },
    close() {
      closed = true;
      stop();
    },
  };
}

function keyOf({ kind, id }: Tenant): string {
  return `${kind} ${id}`;
}
