/** What of an installation a move takes: all of it, or one workspace without what belongs to its company. */
import type { AccessRows } from "../../../gateway/access/rows.ts";
import { chooseWorkspace } from "../../target/data-folder.ts";
import { CommandError } from "../../shell/output.ts";

export interface MoveChoice {
  readonly workspaceIds: ReadonlySet<string>;
  /** Whose dashboard users come along. */
  readonly companyIds: ReadonlySet<string>;
  /** Who may call. Hashes of keys go along, so that every key stays good. */
  readonly rows: AccessRows;
  /** What of the company does not come along, in words; empty where everything does. */
  readonly leftOut: readonly string[];
  /** All of an installation, with what its keys are made of. */
  readonly whole: boolean;
  /** Also the keys of links of before each workspace had its own, though they are those of all workspaces. */
  readonly sharedLinkKeys: boolean;
}

/** What was asked for. */
export interface Wanted {
  /** Id, name or company/name of the only one; undefined: all. */
  readonly workspace: string | undefined;
  readonly sharedLinkKeys?: boolean | undefined;
}

/** Throws a CommandError where there is none. */
export function chooseMoved(rows: AccessRows, { workspace, sharedLinkKeys = false }: Wanted): MoveChoice {
  if (rows.workspaces.length === 0) throw new CommandError("There is no workspace");
  if (workspace !== undefined) return { ...oneWorkspace(rows, chooseWorkspace(rows, workspace)), sharedLinkKeys };
  return {
    whole: true,
    sharedLinkKeys: true,
    workspaceIds: new Set(rows.workspaces.map(({ id }) => id)),
    companyIds: new Set(rows.companies.map(({ id }) => id)),
    rows,
    leftOut: [],
  };
}

function oneWorkspace(rows: AccessRows, workspace: AccessRows["workspaces"][number]): Omit<MoveChoice, "sharedLinkKeys"> {
  const company = rows.companies.filter(({ id }) => id === workspace.companyId);
  const ofCompany = new Set(company.map(({ id }) => id));
  const tokens = rows.tokens.filter(({ companyId }) => ofCompany.has(companyId)).length;
  const sets = rows.declared.filter(({ kind, workspaceId }) => kind === "permission_set" && ofCompany.has(workspaceId)).length;
  return {
    whole: false,
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
