/** What of an installation a move takes: all of it, or one workspace without what belongs to its company. */
import type { AccessRows } from "../gateway/access/rows.ts";
import { chooseWorkspace } from "./data-folder.ts";
import { CommandError } from "./output.ts";

export interface MoveChoice {
  readonly workspaceIds: ReadonlySet<string>;
  /** Whose dashboard users come along. */
  readonly companyIds: ReadonlySet<string>;
  /** Who may call. Hashes of keys go along, so that every key stays good. */
  readonly rows: AccessRows;
  /** What of the company does not come along, in words; empty where everything does. */
  readonly leftOut: readonly string[];
}

/** `workspace`: id, name or company/name of the only one; without it, all. Throws a CommandError where there is none. */
export function chooseMoved(rows: AccessRows, workspace: string | undefined): MoveChoice {
  if (rows.workspaces.length === 0) throw new CommandError("There is no workspace");
  if (workspace !== undefined) return oneWorkspace(rows, chooseWorkspace(rows, workspace));
  return {
    workspaceIds: new Set(rows.workspaces.map(({ id }) => id)),
    companyIds: new Set(rows.companies.map(({ id }) => id)),
    rows,
    leftOut: [],
  };
}

function oneWorkspace(rows: AccessRows, workspace: AccessRows["workspaces"][number]): MoveChoice {
  const company = rows.companies.filter(({ id }) => id === workspace.companyId);
  const ofCompany = new Set(company.map(({ id }) => id));
  const tokens = rows.tokens.filter(({ companyId }) => ofCompany.has(companyId)).length;
  const sets = rows.declared.filter(({ kind, workspaceId }) => kind === "permission_set" && ofCompany.has(workspaceId)).length;
  return {
    workspaceIds: new Set([workspace.id]),
    companyIds: new Set(),
    rows: {
      companies: company,
      workspaces: [workspace],
      keys: rows.keys.filter(({ workspaceId }) => workspaceId === workspace.id),
      tokens: [],
      declared: rows.declared.filter(({ workspaceId }) => workspaceId === workspace.id),
    },
    leftOut: ["dashboard users", `SCIM tokens (${tokens})`, `permission sets (${sets})`],
  };
}
