/** Applies a declaration: works out what must change so that the store says what the file says, and writes it at once. */
import { newId } from "../../../platform/identifier.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Company, Workspace } from "../access.ts";
import type { AccessAdmin } from "../admin/admin.ts";
import { declarationRefusal } from "../declaration/declaration.ts";
import { planKeys, planTokens } from "./declare-holders.ts";
import { type Change, type MadeSecret, type Plan, put } from "./declare-plan.ts";
import type { Declaration, DeclaredCompany, DeclaredItem, DeclaredWorkspace } from "../declaration/declared.ts";
import { type PutWrite, rowName } from "../row-set.ts";
import { type AccessRows, declaredKinds, type DeclaredRow } from "../rows.ts";

export interface DeclareResult {
  readonly changes: readonly Change[];
  readonly secrets: readonly MadeSecret[];
}

export interface DeclareOptions {
  /** Also removes what the file does not name. */
  readonly prune?: boolean;
  /** Only says what would change. */
  readonly dryRun?: boolean;
}

/**
 * Makes the store say what the declaration says; applying it twice changes nothing the second time. A field that the
 * file leaves out keeps its value. Nothing is removed without `prune`.
 * Refuses: INPUT_INVALID when the file and the store contradict each other; nothing is written then.
 */
export async function declare(admin: AccessAdmin, declaration: Declaration, options: DeclareOptions = {}): Promise<DeclareResult> {
  const prune = options.prune ?? false;
  if (options.dryRun) {
    return await admin.transact((rows, now) => {
      const { changes } = planDeclaration(rows, declaration, { now, prune });
      return { writes: [], result: { changes, secrets: [] } };
    });
  }
  let planned: DeclareResult = { changes: [], secrets: [] };
  try {
    return await admin.transact((rows, now) => {
      const plan = planDeclaration(rows, declaration, { now, prune });
      planned = { changes: plan.changes, secrets: plan.secrets };
      return { writes: plan.writes, result: planned };
    });
  } catch (cause) {
    if (cause instanceof Refusal && cause.reason === "OUTCOME_UNKNOWN") throw new DeclareUnknown(planned, cause);
    throw cause;
  }
}

/** It is unknown whether it was written: if it was, these are the secrets that were made. */
export class DeclareUnknown extends Refusal {
  readonly planned: DeclareResult;
  constructor(planned: DeclareResult, cause: Refusal) {
    super("OUTCOME_UNKNOWN", cause.message, { cause });
    this.planned = planned;
  }
}

export function planDeclaration(rows: AccessRows, declaration: Declaration, options: { now: number; prune: boolean }): Plan {
  const plan: Plan = { rows, ...options, writes: [], changes: [], secrets: [], problems: [], named: new Set() };
  for (const company of declaration.companies) planCompany(plan, company);
  if (plan.problems.length > 0) throw declarationRefusal(plan.problems);
  if (plan.prune) planPrune(plan);
  return plan;
}

function planCompany(plan: Plan, declared: DeclaredCompany): void {
  const found = matchByIdOrName(plan, plan.rows.companies, { ...declared, what: "company" });
  const row: Company = {
    id: found?.id ?? declared.id ?? newId("co_"),
    name: declared.name,
    onboardedAt: declared.onboardedAt ?? found?.onboardedAt ?? new Date(plan.now).toISOString().slice(0, "YYYY-MM-DD".length),
    limits: limitsOf(plan, found, declared),
  };
  if (!found) refuseSharedId(plan, { id: row.id, of: "workspace", line: declared.line, what: `company "${row.name}"` });
  put(plan, { put: "company", row }, { found, line: declared.line, change: { what: "company", path: row.name, id: row.id } });
  const workspaces = plan.rows.workspaces.filter((each) => each.companyId === row.id);
  for (const workspace of declared.workspaces) {
    const planned = planWorkspace(plan, row, workspace);
    if (planned) workspaces.push(planned);
  }
  for (const set of declared.permissionSets ?? []) planItem(plan, { id: row.id, path: row.name }, set);
  planTokens(plan, { company: row, workspaces }, declared.scimTokens);
}

function planWorkspace(plan: Plan, company: Company, declared: DeclaredWorkspace): Workspace | undefined {
  const elsewhere = plan.rows.workspaces.find((row) => row.id === declared.id && row.companyId !== company.id);
  if (elsewhere) {
    plan.problems.push({
      line: declared.line,
      text: `the workspace id "${elsewhere.id}" belongs to another company's workspace "${elsewhere.name}"`,
    });
    return undefined;
  }
  const siblings = plan.rows.workspaces.filter((row) => row.companyId === company.id);
  const found = matchByIdOrName(plan, siblings, { ...declared, what: "workspace" });
  const row: Workspace = {
    id: found?.id ?? declared.id ?? newId("ws_"),
    companyId: company.id,
    name: declared.name,
    plan: declared.plan ?? found?.plan ?? { kind: "standard" },
    currencyRates: { ...(plan.prune ? {} : found?.currencyRates), ...declared.currencyRates },
    ...listsOf(declared, plan.prune ? undefined : found),
    limits: limitsOf(plan, found, declared),
  };
  const path = `${company.name}/${row.name}`;
  if (!found) refuseSharedId(plan, { id: row.id, of: "company", line: declared.line, what: `workspace "${path}"` });
  put(plan, { put: "workspace", row }, { found, line: declared.line, change: { what: "workspace", path, id: row.id } });
  planKeys(plan, { workspace: row, path }, declared.apiKeys);
  for (const item of declared.items) planItem(plan, { id: row.id, path }, item);
  return row;
}

/** Subjects of events and keys of limits end with either id: what may read those of the one would read those of the other. */
function refuseSharedId(
  plan: Plan,
  { id, of, line, what }: { readonly id: string; readonly of: "company" | "workspace"; readonly line: number; readonly what: string },
): void {
  const there = of === "company" ? plan.rows.companies : plan.rows.workspaces;
  if (!there.some((row) => row.id === id) && !plan.named.has(`${of} ${id}`)) return;
  plan.problems.push({ line, text: `the new ${what} cannot have the id "${id}": a ${of} has it` });
}

/** Apps are added to those of before, origins take their place. */
function listsOf(declared: DeclaredWorkspace, before: Workspace | undefined): Pick<Workspace, "apps" | "corsOrigins"> {
  const apps = new Map([...before?.apps ?? [], ...declared.apps].map((app) => [app.id, app]));
  return { apps: [...apps.values()], corsOrigins: declared.corsOrigins ?? before?.corsOrigins ?? [] };
}

/** Those that the file names, and of those that it does not what was declared before, unless it is pruned. */
function limitsOf(
  plan: Plan,
  found: Pick<Company, "limits"> | undefined,
  declared: Pick<DeclaredCompany, "limits">,
): Record<string, number> {
  return { ...(plan.prune ? {} : found?.limits), ...declared.limits };
}

function planItem(plan: Plan, owner: { readonly id: string; readonly path: string }, declared: DeclaredItem): void {
  const what = declaredKinds[declared.kind];
  const siblings = plan.rows.declared
    .filter((row) => row.workspaceId === owner.id && row.kind === declared.kind)
    .map((row) => ({ ...row, name: row.content["name"] ?? "" }));
  const found = matchByIdOrName(plan, siblings, { ...declared, what });
  const id = found?.id ?? declared.id ?? newId("uuid");
  const row: DeclaredRow = { workspaceId: owner.id, kind: declared.kind, id, content: declared.content };
  const before = found && { workspaceId: found.workspaceId, kind: found.kind, id: found.id, content: found.content };
  put(plan, { put: "declared", row }, { found: before, line: declared.line, change: { what, path: `${owner.path}/${declared.name}`, id } });
}

/** The row that is meant: the one with the given id, or else the one with the name. An id never changes. */
function matchByIdOrName<T extends { readonly id: string; readonly name: string }>(
  plan: Plan,
  rows: readonly T[],
  declared: { readonly line: number; readonly id?: string; readonly name: string; readonly what: string },
): T | undefined {
  const byId = declared.id === undefined ? undefined : rows.find((row) => row.id === declared.id);
  const byName = rows.find((row) => row.name === declared.name);
  if (!byName || declared.id === undefined || byName.id === declared.id) return byId ?? byName;
  const text = byId
    ? `the ${declared.what} "${declared.id}" cannot take the name "${declared.name}": "${byName.id}" has it`
    : `the ${declared.what} "${declared.name}" exists with the id "${byName.id}"; an id cannot change to "${declared.id}"`;
  plan.problems.push({ line: declared.line, text });
  return byId ?? byName;
}

/** Adds a removal for each row that `plan.named` lacks. User data stays in its store under the workspace's id. */
function planPrune(plan: Plan): void {
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
