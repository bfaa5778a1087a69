/** In what the rows of a workspace differ from a declaration. */
import { Refusal } from "../../../platform/refusal.ts";
import type { Change } from "./declare-plan.ts";
import { planDeclaration } from "./declare.ts";
import type { Declaration } from "../declaration/declared.ts";
import { type AccessRows, hasEnded } from "../rows.ts";

/**
 * What applying it again with `--prune` would do to the workspace: its own settings, keys, groups and teams. What is revoked counts as gone.
 * Refuses STATE_CONFLICT where the file and the rows contradict each other.
 */
export function differencesOf(
  { companies }: Declaration,
  rows: AccessRows,
  { workspaceId, now }: { readonly workspaceId: string; readonly now: number },
): readonly Change[] {
  const workspaces = rows.workspaces.filter(({ id }) => id === workspaceId);
  const own: AccessRows = {
    companies: rows.companies.filter(({ id }) => workspaces.some(({ companyId }) => companyId === id)),
    workspaces,
    keys: rows.keys.filter((key) => key.workspaceId === workspaceId && !hasEnded(key, now)),
    tokens: [],
    declared: rows.declared.filter((row) => row.workspaceId === workspaceId && ownKinds.has(row.kind)),
  };
  const declared = companies.filter((company) => own.companies.some((row) => isNamed(company, row))).map((company) => ({
    ...company,
    scimTokens: [],
    permissionSets: [],
    workspaces: company.workspaces.filter((workspace) => workspaces.some((row) => isNamed(workspace, row))),
  }));
  try {
    const { changes } = planDeclaration(own, { companies: declared }, { now, prune: true });
    return changes.filter(({ action }) => action !== "unchanged");
  } catch (cause) {
    if (cause instanceof Refusal && cause.reason === "INPUT_INVALID") throw new Refusal("STATE_CONFLICT", cause.message, { cause });
    throw cause;
  }
}

const ownKinds: ReadonlySet<string> = new Set(["subscription_group", "team"]);

function isNamed(declared: { readonly id?: string; readonly name: string }, row: { readonly id: string; readonly name: string }): boolean {
  return declared.id === undefined ? declared.name === row.name : declared.id === row.id;
}
