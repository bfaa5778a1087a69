/** Declared preference centers and page settings on their way from the declaration's text to the service that owns them. */
import type { Client } from "@connectrpc/connect";
import type { Declaration } from "../../gateway/access/declaration/declaration.ts";
import type { Change } from "../../gateway/access/declare/declare-plan.ts";
import type { DeclaredWorkspace } from "../../gateway/access/declaration/declared.ts";
import type { AccessRows } from "../../gateway/access/rows.ts";
import { Refusal } from "../../platform/refusal.ts";
import type { ContentService } from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import { type DeclareMessagesOptions, fieldsFrom, workspaceIdOf } from "./declare-messages.ts";
import { CommandError } from "../shell/output.ts";

/** Does the file say anything of pages? */
export function hasPages({ companies }: Declaration): boolean {
  return companies.some(({ workspaces }) => workspaces.some(({ pages }) => pages !== undefined));
}

/**
 * For every workspace of the file, found among `rows`; one that is not there yet is planned as new, which only a dry run meets.
 * Doing it again changes nothing; nothing is deleted. A problem is a CommandError that names file, line and workspace.
 */
export async function declareAllPages(
  content: Pick<Client<typeof ContentService>, "declarePreferenceCenters">,
  { declaration, rows }: { readonly declaration: Declaration; readonly rows: AccessRows },
  options: DeclareMessagesOptions,
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const company of declaration.companies) {
    for (const workspace of company.workspaces) {
      if (workspace.pages === undefined) continue;
      const { settings, centers } = workspace.pages;
      const scope = { workspaceId: workspaceIdOf(rows, { company, workspace }), actor: "heddle apply" };
      const request = { scope, centers, ...(settings && { settings }), dryRun: options.dryRun ?? false };
      const answer = await inFile(options.file, workspace, () => content.declarePreferenceCenters(request));
      const path = `${company.name}/${workspace.name}`;
      if (answer.settings.length > 0) {
        changes.push({ action: "updated", what: "settings of pages", path, id: "", ...fieldsFrom(answer.settings) });
      }
      changes.push(...answer.changes.map(({ action, center, warnings, fields }) => ({
        action: action as Change["action"],
        what: "preference center",
        path: `${path}/${center?.name}`,
        id: center?.id ?? "",
        ...(warnings.length > 0 && { note: warnings.join("; ") }),
        ...fieldsFrom(fields),
      })));
    }
  }
  return changes;
}

async function inFile<T>(file: string, { line, name }: DeclaredWorkspace, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Refusal) || (cause.reason !== "INPUT_INVALID" && cause.reason !== "STATE_CONFLICT")) throw cause;
    throw new CommandError(`${file}: line ${line}: the preference centers of the workspace "${name}": ${cause.message}`, { cause });
  }
}
