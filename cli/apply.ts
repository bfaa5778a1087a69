/** heddle apply: declares what a file says, in the data folder or in the mesh, whether or not servers run. */
import { readFileSync, statSync } from "node:fs";

import { type Declaration, parseDeclaration } from "../gateway/access/declaration.ts";
import { declare, type DeclareResult } from "../gateway/access/declare.ts";
import type { AccessAdmin } from "../gateway/access/admin.ts";
import type { Change } from "../gateway/access/declare-plan.ts";
import { limits } from "../platform/limits.ts";
import { Refusal } from "../platform/refusal.ts";
import { withAccessPlace } from "./access-place.ts";
import { type CentersPlace, withCenters } from "./centers-place.ts";
import { declareAllGroups } from "./declare-groups.ts";
import { declareAllMessages, type DeclareMessagesOptions, hasMessages } from "./declare-messages.ts";
import { declareAllPages, hasPages } from "./declare-pages.ts";
import { CommandError, exitCodes, print, printJson, table } from "./output.ts";
import { readStandardInput } from "./standard-input.ts";
import { type TranslationsPlace, withTranslations } from "./translations-place.ts";

export interface ApplyOptions {
  readonly file: string;
  readonly prune?: boolean;
  readonly dryRun?: boolean;
  readonly dataDir?: string;
  readonly json?: boolean;
}

export async function apply(options: ApplyOptions): Promise<number> {
  const text = readDeclarationFile(options.file);
  // A faulty file is refused before a data folder is made for it.
  fileProblems(options.file, () => parseDeclaration(text));
  const result = await withAccessPlace(options, { create: !options.dryRun }, async (access, database) => {
    const applied = await applyText(access, text, { ...options, database });
    if (!options.dryRun) await declareAllGroups({ database }, access, { prune: options.prune ?? false });
    return applied;
  });
  if (options.json) printJson(result);
  else print(describeResult(result, options.dryRun ?? false));
  return exitCodes.ok;
}

/** Declares the text of a file. A problem is a CommandError that names file and line. */
export async function applyText(
  admin: AccessAdmin,
  text: string,
  options: DeclareMessagesOptions & TranslationsPlace,
): Promise<DeclareResult> {
  const declaration = fileProblems(options.file, () => parseDeclaration(text));
  checkGroupCounts(options.file, declaration);
  const trial = { ...options, dryRun: true };
  const before = [...await declareMessages(admin, declaration, trial), ...await declarePages(admin, declaration, trial)];
  let result: DeclareResult;
  try {
    result = await declare(admin, declaration, options);
  } catch (error) {
    throw fileError(options.file, error);
  }
  if (options.dryRun) return { ...result, changes: [...result.changes, ...before] };
  const messages = await declareMessages(admin, declaration, options);
  return { ...result, changes: [...result.changes, ...messages, ...await declarePages(admin, declaration, options)] };
}

/** What the content service keeps; a dry run tells its problems before anything is written. */
async function declareMessages(
  admin: AccessAdmin,
  declaration: Declaration,
  options: DeclareMessagesOptions & TranslationsPlace,
): Promise<readonly Change[]> {
  if (!options.prune && !hasMessages(declaration)) return [];
  const rows = admin.rows();
  const changes = await withTranslations(options, (translations) => declareAllMessages(translations, { declaration, rows }, options));
  if (changes !== undefined || !hasMessages(declaration)) return changes ?? [];
  throw new CommandError(`${options.file}: translations, campaigns and canvases are kept by the content service: set HEDDLE_CONTENT_URL`);
}

/** As declareMessages, for preference centers. */
async function declarePages(
  admin: AccessAdmin,
  declaration: Declaration,
  options: DeclareMessagesOptions & CentersPlace,
): Promise<readonly Change[]> {
  if (!hasPages(declaration)) return [];
  const rows = admin.rows();
  const changes = await withCenters(options, (centers) => declareAllPages(centers, { declaration, rows }, options));
  if (changes !== undefined) return changes;
  throw new CommandError(`${options.file}: preference centers are kept by the content service: set HEDDLE_CONTENT_URL`);
}

/** Before anything is written: the service that owns the groups would refuse them when the rest is already there. */
function checkGroupCounts(file: string, declaration: Declaration): void {
  const max = limits.subscriptionGroupsPerWorkspaceMax;
  for (const { line, name, items } of declaration.companies.flatMap(({ workspaces }) => workspaces)) {
    const count = items.filter(({ kind }) => kind === "subscription_group").length;
    if (count <= max) continue;
    throw new CommandError(`${file}: line ${line}: the workspace "${name}" has ${count} subscription groups; there may be ${max}`);
  }
}

/** The text of a declaration file, `-` for standard input. */
export function readDeclarationFile(file: string): string {
  try {
    if (file !== "-" && statSync(file).size > limits.declarationBytesMax) {
      throw new CommandError(`"${file}" is larger than a declaration may be (${limits.declarationBytesMax} bytes)`);
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(file === "-" ? readStandardInput() : readFileSync(file));
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    const why = cause instanceof TypeError ? "it is not UTF-8 text" : cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(`Cannot read the declaration "${file}": ${why}`, { cause });
  }
}

/** What was done, and the secrets that were made, for a person. */
export function describeResult(result: DeclareResult, dryRun: boolean): string {
  const changed = result.changes.filter((change) => change.action !== "unchanged" || change.note);
  const same = result.changes.length - changed.length;
  const rows = changed.map((change) => [change.action, change.what, change.path, change.id, change.note ?? ""]);
  const parts = [
    changed.length > 0 ? table(["ACTION", "WHAT", "NAME", "ID", ""], rows) : "",
    same > 0 ? `${same} unchanged` : "",
    dryRun ? "Nothing was changed (--dry-run)" : "",
    ...result.secrets.map((made) => `Secret of the ${made.what} ${made.path} (shown once, keep it now):\n  ${made.secret}`),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** Runs `work`; the problems of a declaration come out as a CommandError with the file's name before each. */
export function fileProblems<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileError(file, error);
  }
}

function fileError(file: string, error: unknown): unknown {
  if (!(error instanceof Refusal) || error.reason !== "INPUT_INVALID") return error;
  const name = file === "-" ? "standard input" : file;
  return new CommandError(`The declaration cannot be applied, nothing was changed:\n${error.message.replaceAll(/^/gm, `  ${name}: `)}`, {
    cause: error,
  });
}
