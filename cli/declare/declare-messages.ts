/** Declared languages, campaigns and canvases on their way from the declaration's text to the service that owns them. */
import type { Client } from "@connectrpc/connect";
import type { Declaration } from "../../gateway/access/declaration/declaration.ts";
import type { Change } from "../../gateway/access/declare/declare-plan.ts";
import type { DeclaredWorkspace } from "../../gateway/access/declaration/declared.ts";
import type { AccessRows } from "../../gateway/access/rows.ts";
import { Refusal } from "../../platform/refusal.ts";
import type { TranslationService } from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { CommandError } from "../shell/output.ts";

export type Translations = Pick<Client<typeof TranslationService>, "declareTranslations">;

export interface DeclareMessagesOptions {
  readonly file: string;
  readonly prune?: boolean;
  readonly dryRun?: boolean;
}

/** Does the file say anything that the content service has to know? */
export function hasMessages({ companies }: Declaration): boolean {
  return companies.some(({ workspaces }) => workspaces.some(({ messages }) => messages !== undefined));
}

/**
 * For every workspace of the file, found among `rows`; one that is not there yet is planned as new, which only a dry run meets.
 * Doing it again changes nothing. A problem is a CommandError that names file, line and workspace.
 */
export async function declareAllMessages(
  translations: Translations,
  { declaration, rows }: { readonly declaration: Declaration; readonly rows: AccessRows },
  options: DeclareMessagesOptions,
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const company of declaration.companies) {
    for (const workspace of company.workspaces) {
      const path = `${company.name}/${workspace.name}`;
      const workspaceId = workspaceIdOf(rows, { company, workspace });
      const made = await inFile(options.file, workspace, () => declareMessages(translations, { workspaceId, workspace }, options));
      changes.push(...made.map((change) => ({ ...change, path: change.path === "" ? path : `${path}/${change.path}` })));
    }
  }
  return changes;
}

/** No workspace has it. */
const notYet = "not-yet";

async function declareMessages(
  translations: Translations,
  { workspaceId, workspace }: { readonly workspaceId: string; readonly workspace: DeclaredWorkspace },
  { prune = false, dryRun = false }: DeclareMessagesOptions,
): Promise<readonly Change[]> {
  if (workspace.messages === undefined && !prune) return [];
  const { settings, owners = [] } = workspace.messages ?? {};
  const scope = { workspaceId, actor: "heddle apply" };
  const { changes } = await translations.declareTranslations({ scope, ...(settings && { settings }), owners, prune, dryRun });
  return changes.map(({ action, what, path, id, fields }) => ({
    action: action as Change["action"],
    what,
    path,
    id,
    ...fieldsFrom(fields),
  }));
}

/** What the content service says of fields. */
export function fieldsFrom(
  fields: readonly { readonly field: string; readonly from: string; readonly to: string }[],
): Pick<Change, "fields"> {
  if (fields.length === 0) return {};
  return {
    fields: fields.map(({ field, from, to }) => ({
      field,
      ...(from !== "" && { from: JSON.parse(from) as unknown }),
      ...(to !== "" && { to: JSON.parse(to) as unknown }),
    })),
  };
}

/** Of a workspace that is not there yet: the id of none. */
export function workspaceIdOf(
  { companies, workspaces }: AccessRows,
  { company, workspace }: { readonly company: Named; readonly workspace: Named },
): string {
  const companyId = companies.find((row) => row.id === company.id || row.name === company.name)?.id;
  return workspaces.find((row) => row.companyId === companyId && (row.id === workspace.id || row.name === workspace.name))?.id ?? notYet;
}

interface Named {
  readonly id?: string;
  readonly name: string;
}

async function inFile<T>(file: string, { line, name }: DeclaredWorkspace, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Refusal) || cause.reason !== "INPUT_INVALID") throw cause;
    throw new CommandError(`${file}: line ${line}: the translations of the workspace "${name}": ${cause.message}`, { cause });
  }
}
