/** Plans the removal of everything that a declaration does not name. */
import type { Plan } from "./declare-plan.ts";
import { type PutWrite, rowName } from "./row-set.ts";
import { type AccessRows, declaredKinds } from "./rows.ts";

/** Adds a removal for each row that `plan.named` lacks. User data stays in its store under the workspace's id. */
export function planPrune(plan: Plan): void {
  const { rows } = plan;
  for (const row of rows.declared) {
    const owner = row.kind === "permission_set" ? companyName(rows, row.workspaceId) : workspacePath(rows, row.workspaceId);
    drop(plan, { put: "declared", row }, { what: declaredKinds[row.kind], path: `${owner}/${row.content["name"] ?? ""}` });
  }
  for (const row of rows.keys) {
    drop(plan, { put: "key", row }, { what: "API key", path: `${workspacePath(rows, row.workspaceId)}/${row.name}` });
  }
  for (const row of rows.tokens) {
    drop(plan, { put: "token", row }, { what: "SCIM token", path: `${companyName(rows, row.companyId)}/${row.name}` });
  }
  for (const row of rows.workspaces) {
    const note = "its user data stays; declare it again with this id to reach it";
    drop(plan, { put: "workspace", row }, { what: "workspace", path: workspacePath(rows, row.id), note });
  }
  for (const row of rows.companies) drop(plan, { put: "company", row }, { what: "company", path: row.name });
}

function drop(plan: Plan, row: PutWrite, change: { what: string; path: string; note?: string }): void {
  if (plan.named.has(rowName(row))) return;
  plan.changes.push({ action: "pruned", ...change, id: row.row.id });
  if (row.put !== "declared") plan.writes.push({ drop: row.put, id: row.row.id });
  else plan.writes.push({ drop: "declared", workspaceId: row.row.workspaceId, kind: row.row.kind, id: row.row.id });
}

function workspacePath(rows: AccessRows, id: string): string {
  const workspace = rows.workspaces.find((row) => row.id === id);
  return workspace ? `${companyName(rows, workspace.companyId)}/${workspace.name}` : id;
}

function companyName(rows: AccessRows, id: string): string {
  return rows.companies.find((row) => row.id === id)?.name ?? id;
}
