/** Reads and writes the access tables: rows as the domain knows them on one side, columns on the other. */
import type { SQLInputValue } from "node:sqlite";

import { Refusal } from "../../platform/refusal.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import type { Company, Workspace } from "./access.ts";
import type { AccessRows, AccessWrite, DeclaredKind, DeclaredRow, KeyRow, TokenRow } from "./rows.ts";

/** All rows, each list in a stable order. */
export function readRows(database: Database): AccessRows {
  return {
    companies: all(database, "SELECT * FROM access_companies ORDER BY name").map(companyFromRow),
    workspaces: all(database, "SELECT * FROM access_workspaces ORDER BY company_id, name").map(workspaceFromRow),
    keys: all(database, "SELECT * FROM access_keys ORDER BY created_at, id").map(keyFromRow),
    tokens: all(database, "SELECT * FROM access_scim_tokens ORDER BY created_at, id").map(tokenFromRow),
    declared: all(database, "SELECT * FROM access_declared ORDER BY workspace_id, kind, id").map(declaredFromRow),
  };
}

function all(database: Database, sql: string): Row[] {
  return database.prepare(sql).all() as Row[];
}

type Row = Readonly<Record<string, string | number | null>>;

function companyFromRow(row: Row): Company {
  return { id: text(row["id"]), name: text(row["name"]), onboardedAt: text(row["onboarded_at"]), limits: json(row["limits"]) };
}

function workspaceFromRow(row: Row): Workspace {
  return {
    id: text(row["id"]),
    companyId: text(row["company_id"]),
    name: text(row["name"]),
    plan: json(row["plan"]),
    currencyRates: json(row["currency_rates"]),
    apps: json(row["apps"]),
    corsOrigins: json(row["cors_origins"]),
    limits: json(row["limits"]),
  };
}

function keyFromRow(row: Row): KeyRow {
  return { ...holderFromRow(row), workspaceId: text(row["workspace_id"]), permissions: json(row["permissions"]) };
}

function tokenFromRow(row: Row): TokenRow {
  return {
    ...holderFromRow(row),
    companyId: text(row["company_id"]),
    origin: text(row["origin"]),
    originHeader: row["origin_header"] === "optional" ? "optional" : "required",
    permissionsOnCreate: row["permissions_on_create"] === "optional" ? "optional" : "required",
    defaultWorkspaceId: text(row["default_workspace"]),
  };
}

function holderFromRow(row: Row) {
  return {
    id: text(row["id"]),
    name: text(row["name"]),
    ipAllow: json<string[]>(row["ip_allow"]),
    digest: text(row["digest"]),
    createdAt: Number(row["created_at"]),
    revokedAt: typeof row["revoked_at"] === "number" ? row["revoked_at"] : null,
  };
}

function declaredFromRow(row: Row): DeclaredRow {
  return {
    workspaceId: text(row["workspace_id"]),
    kind: text(row["kind"]) as DeclaredKind,
    id: text(row["id"]),
    content: json(row["json"]),
  };
}

function text(value: string | number | null | undefined): string {
  return String(value ?? "");
}

function json<T>(value: string | number | null | undefined): T {
  return JSON.parse(text(value)) as T;
}

/** Writes one change; runs inside a transaction. Refuses: ALREADY_EXISTS (another row has the name, id or secret). */
export function writeRow(database: Database, write: AccessWrite): void {
  if ("drop" in write) return dropRow(database, write);
  const [table, values] = rowToValues(write);
  const columns = Object.keys(values);
  const places = columns.map(() => "?").join(", ");
  // Not REPLACE: that would delete another row that holds the same name or digest.
  const key = write.put === "declared" ? "workspace_id, kind, id" : "id";
  const changes = columns.map((column) => `${column} = excluded.${column}`).join(", ");
  const sql = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places}) ON CONFLICT (${key}) DO UPDATE SET ${changes}`;
  try {
    database.prepare(sql).run(...Object.values(values));
  } catch (cause) {
    if (!/UNIQUE/.test(String(cause))) throw cause;
    throw new Refusal("ALREADY_EXISTS", `A ${write.put} with this name, id or secret exists already`, { cause });
  }
}

const tables = { company: "access_companies", workspace: "access_workspaces", key: "access_keys", token: "access_scim_tokens" } as const;

function dropRow(database: Database, write: Extract<AccessWrite, { drop: string }>): void {
  if (write.drop !== "declared") {
    database.prepare(`DELETE FROM ${tables[write.drop]} WHERE id = ?`).run(write.id);
    return;
  }
  database.prepare("DELETE FROM access_declared WHERE workspace_id = ? AND kind = ? AND id = ?").run(
    write.workspaceId,
    write.kind,
    write.id,
  );
}

function rowToValues(write: Extract<AccessWrite, { put: string }>): [table: string, values: Record<string, SQLInputValue>] {
  switch (write.put) {
    case "company":
      return [tables.company, {
        id: write.row.id,
        name: write.row.name,
        onboarded_at: write.row.onboardedAt,
        limits: JSON.stringify(write.row.limits ?? {}),
      }];
    case "workspace":
      return [tables.workspace, workspaceToValues(write.row)];
    case "key":
      return [tables.key, {
        ...holderToValues(write.row),
        workspace_id: write.row.workspaceId,
        permissions: JSON.stringify(write.row.permissions),
      }];
    case "token":
      return [tables.token, tokenToValues(write.row)];
    case "declared": {
      const { workspaceId, kind, id, content } = write.row;
      return ["access_declared", { workspace_id: workspaceId, kind, id, json: JSON.stringify(content) }];
    }
  }
}

function tokenToValues(row: TokenRow): Record<string, SQLInputValue> {
  return {
    ...holderToValues(row),
    company_id: row.companyId,
    origin: row.origin,
    origin_header: row.originHeader,
    permissions_on_create: row.permissionsOnCreate ?? "required",
    default_workspace: row.defaultWorkspaceId,
  };
}

function workspaceToValues(row: Workspace): Record<string, SQLInputValue> {
  return {
    id: row.id,
    company_id: row.companyId,
    name: row.name,
    plan: JSON.stringify(row.plan),
    currency_rates: JSON.stringify(row.currencyRates),
    apps: JSON.stringify(row.apps),
    cors_origins: JSON.stringify(row.corsOrigins ?? []),
    limits: JSON.stringify(row.limits ?? {}),
  };
}

function holderToValues(row: KeyRow | TokenRow): Record<string, SQLInputValue> {
  return {
    id: row.id,
    name: row.name,
    ip_allow: JSON.stringify(row.ipAllow),
    digest: row.digest,
    created_at: row.createdAt,
    revoked_at: row.revokedAt,
  };
}
