/** heddle apply: declares what a file says, in the data folder or in the mesh, whether or not servers run. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { type Declaration, parseDeclaration } from "../../gateway/access/declaration/declaration.ts";
import { declare, type DeclareResult, DeclareUnknown } from "../../gateway/access/declare/declare.ts";
import type { AccessAdmin } from "../../gateway/access/admin/admin.ts";
import type { Change } from "../../gateway/access/declare/declare-plan.ts";
import { errorText } from "../../platform/error-text.ts";
import type { FieldChange } from "../../platform/field-changes.ts";
import { limits } from "../../platform/limits.ts";
import { partVariable } from "../../platform/mesh-config.ts";
import { Refusal } from "../../platform/refusal.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import { withAccessTarget } from "../target/access-target.ts";
import { isWanted } from "../shell/ask.ts";
import { asCalled } from "../shell/called-as.ts";
import type { PartTarget } from "../target/called-part.ts";
import { withCenters, withTranslations } from "../target/content-target.ts";
import { databaseFile, dataFolder } from "../target/data-folder.ts";
import { checkGroups, declareAllGroups } from "./declare-groups.ts";
import { declareAllMessages, type DeclareMessagesOptions, hasMessages } from "./declare-messages.ts";
import { declareAllPages, hasPages } from "./declare-pages.ts";
import { CommandError, exitCodes, print, printError, printJson, table } from "../shell/output.ts";
import { readStandardInput } from "../shell/standard-input.ts";

export interface ApplyOptions {
  readonly file: string;
  readonly prune?: boolean;
  readonly dryRun?: boolean;
  /** Prunes without asking. */
  readonly yes?: boolean;
  readonly dataDir?: string;
  readonly json?: boolean;
}

export async function apply(options: ApplyOptions): Promise<number> {
  // A faulty file is refused before a data folder is made for it
  const { text } = readDeclaration(options.file);
  const shown: DeclareResult[] = [];
  const folder = dataFolder(options.dataDir);
  const isNew = !existsSync(join(folder, databaseFile));
  try {
    const result = await withAccessTarget({ ...options, create: !options.dryRun }, async (access, database) => {
      // Also where it is a folder that was mistyped
      if (isNew && database) printError(`Made a new Heddle in the folder "${folder}"`);
      return await applyText(access, text, {
        ...options,
        database,
        mayPrune: options.yes || options.file === "-" || !process.stdin.isTTY ? undefined : mayPrune,
        onMade: (made) => shown.push(made) && (options.json || print(describeSecrets(made))),
      });
    });
    if (options.json) printJson(result);
    else print(describeResult({ ...result, secrets: [] }, options.dryRun ?? false));
    return exitCodes.ok;
  } catch (error) {
    // Secrets were made, and are nowhere else
    if (options.json) { for (const made of shown) printJson(made); }
    throw error;
  }
}

export interface ApplyTextOptions extends DeclareMessagesOptions, PartTarget {
  /** Called with secrets as soon as they are made: what follows may fail, and then they cannot be read any more. */
  readonly onMade: (made: DeclareResult) => void;
  /** Called before anything is written, where things would be removed; throws where they may not be. */
  readonly mayPrune?: ((pruned: readonly Change[]) => Promise<void>) | undefined;
}

async function mayPrune(pruned: readonly Change[]): Promise<void> {
  const things = pruned.map(({ what, path, id, note }) => [what, path, id, note ?? ""]);
  printError(`The file does not name these, and they would be removed:\n${table(["WHAT", "NAME", "ID", ""], things)}`);
  if (!await isWanted("Remove them?")) throw new CommandError("Nothing was changed. With --yes it is done without asking");
}

/**
 * Declares the text of a file: checks all of it with all parts that it concerns, and writes nothing unless all would take it.
 * A problem is a CommandError that names file and line; one that comes after the first writing says so. Nothing is
 * written where `mayPrune` throws.
 */
export async function applyText(admin: AccessAdmin, text: string, options: ApplyTextOptions): Promise<DeclareResult> {
  const declaration = fileProblems(options.file, () => parseDeclaration(text));
  checkGroupCounts(options.file, declaration);
  const planned = await tryAll(admin, declaration, options);
  if (options.dryRun) return withoutNewIds(planned, text);
  const pruned = planned.changes.filter(({ action }) => action === "pruned");
  if (pruned.length > 0 && options.mayPrune !== undefined) await options.mayPrune(pruned);
  const result = await declareAccess(admin, declaration, options);
  if (result.secrets.length > 0) options.onMade(result);
  try {
    const messages = await declareMessages(admin, declaration, options);
    const pages = await declarePages(admin, declaration, options);
    await declareAllGroups(options, admin, { prune: options.prune ?? false });
    await admin.lastDeclaration.note(declaration);
    return { ...result, changes: [...result.changes, ...messages, ...pages] };
  } catch (error) {
    printError(
      "Companies, workspaces, keys and tokens are declared; translations, preference centers or subscription groups may not be, or not all of them. Apply the same file again",
    );
    throw error;
  }
}

/** An id that is made anew at each run, and does not stand in the file, will never be that of anything. */
function withoutNewIds(planned: DeclareResult, text: string): DeclareResult {
  const changes = planned.changes.map((change) =>
    change.action === "created" && !text.includes(change.id) ? { ...change, id: "" } : change
  );
  return { ...planned, changes };
}

/** What would change, where every part is there and would take it. */
async function tryAll(admin: AccessAdmin, declaration: Declaration, options: ApplyTextOptions): Promise<DeclareResult> {
  const trial = { ...options, dryRun: true };
  const { changes } = await declareAccess(admin, declaration, trial);
  await reached("subscription", () => checkGroups(options, admin, { file: declaration, prune: options.prune ?? false }));
  const messages = await reached("content", () => declareMessages(admin, declaration, trial));
  const pages = await reached("content", () => declarePages(admin, declaration, trial));
  return { changes: [...changes, ...messages, ...pages], secrets: [] };
}

/** A part that is away is named. Still a refusal that passes: a gateway that applies tries again. */
async function reached<T>(part: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Refusal) || cause.reason !== "SERVICE_UNAVAILABLE") throw cause;
    const text = `The ${part} service cannot be reached at ${partVariable(part, "URL")}. Nothing was changed: apply again when it is there`;
    throw new Refusal("SERVICE_UNAVAILABLE", text, { cause });
  }
}

async function declareAccess(admin: AccessAdmin, declaration: Declaration, options: ApplyTextOptions): Promise<DeclareResult> {
  try {
    return await declare(admin, declaration, options);
  } catch (error) {
    if (error instanceof DeclareUnknown && error.planned.secrets.length > 0) {
      options.onMade(error.planned);
      printError("Whether this was written is not known: only if it was do these secrets hold. Apply the same file again to be sure");
    }
    throw fileError(options.file, error);
  }
}

/** Declares what the content service keeps; a dry run finds problems before anything is written. */
async function declareMessages(
  admin: AccessAdmin,
  declaration: Declaration,
  options: DeclareMessagesOptions & PartTarget,
): Promise<readonly Change[]> {
  if (!options.prune && !hasMessages(declaration)) return [];
  const rows = admin.rows();
  const changes = await withTranslations(options, (translations) => declareAllMessages(translations, { declaration, rows }, options));
  if (changes !== undefined || !hasMessages(declaration)) return changes ?? [];
  throw new CommandError(
    `${options.file}: translations, campaigns and canvases are kept by the content service: set HEDDLE_CONTENT_URL. Nothing was changed`,
  );
}

/** As declareMessages, for preference centers. */
async function declarePages(
  admin: AccessAdmin,
  declaration: Declaration,
  options: DeclareMessagesOptions & PartTarget,
): Promise<readonly Change[]> {
  if (!hasPages(declaration)) return [];
  const rows = admin.rows();
  const changes = await withCenters(options, (centers) => declareAllPages(centers, { declaration, rows }, options));
  if (changes !== undefined) return changes;
  throw new CommandError(
    `${options.file}: preference centers are kept by the content service: set HEDDLE_CONTENT_URL. Nothing was changed`,
  );
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

interface DeclarationText {
  /** `-` for standard input. */
  readonly file: string;
  readonly text: string;
}

/** Throws CommandError where the file cannot be read, or is no declaration. */
export function readDeclaration(file: string): DeclarationText {
  const text = readDeclarationFile(file);
  fileProblems(file, () => parseDeclaration(text));
  return { file, text };
}

/** As a process starts: says what changed, and which secrets were shown before. */
export async function applyAtStart(admin: AccessAdmin, { file, text }: DeclarationText, database: Database | undefined): Promise<void> {
  const result = await applyText(admin, text, { file, database, onMade: (made) => print(describeSecrets(made)) });
  const isWorthPrinting = result.changes.some(({ action, note, secretShownBefore }) => action !== "unchanged" || note || secretShownBefore);
  if (isWorthPrinting) print(describeResult({ ...result, secrets: [] }, false));
}

function readDeclarationFile(file: string): string {
  try {
    if (file !== "-" && statSync(file).size > limits.declarationBytesMax) {
      throw new CommandError(`"${file}" is larger than a declaration may be (${limits.declarationBytesMax} bytes)`);
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(file === "-" ? readStandardInput() : readFileSync(file));
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    const why = cause instanceof TypeError ? "it is not UTF-8 text" : errorText(cause);
    throw new CommandError(`Cannot read the declaration "${file}": ${why}`, { cause });
  }
}

/** What was done, and the secrets that were made, for a person. */
function describeResult(result: DeclareResult, dryRun: boolean): string {
  const changed = result.changes.filter((change) => change.action !== "unchanged" || change.note);
  const same = result.changes.length - changed.length;
  const rows = changed.map((change) => [change.action, change.what, change.path, change.id, change.note ?? ""]);
  const differing = dryRun ? changed.filter(({ fields = [] }) => fields.length > 0) : [];
  const parts = [
    changed.length > 0 ? table(["ACTION", "WHAT", "NAME", "ID", ""], rows) : "",
    ...differing.map(({ what, path, fields = [] }) => [`${what} ${path}:`, ...fields.map(fieldLine)].join("\n")),
    same > 0 ? `${same} unchanged` : "",
    dryRun ? "Nothing was changed (--dry-run)" : "",
    describeSecrets(result),
    shownBefore(result),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function fieldLine({ field, from, to }: FieldChange): string {
  return `  ${field}: ${valueText(from)} -> ${valueText(to)}`;
}

function valueText(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}

function describeSecrets({ secrets }: DeclareResult): string {
  return secrets.map((made) => `Secret of the ${made.what} ${made.path} (shown once, keep it now):\n  ${made.secret}`).join("\n");
}

/** Names the command for a new secret, where one was lost or never seen because an apply failed. */
function shownBefore({ changes }: DeclareResult): string {
  const before = changes.filter(({ secretShownBefore }) => secretShownBefore);
  const [first] = before;
  if (first === undefined) return "";
  const named = before.slice(0, shownBeforeMax).map(({ path, id }) => `${path} (${id})`).join(", ");
  const more = before.length > shownBeforeMax ? `, and ${before.length - shownBeforeMax} more` : "";
  const command = first.what === "API key" ? "keys" : "scim-tokens";
  return asCalled(`Secrets that were shown when they were made: ${named}${more}. For another: heddle ${command} rotate ${first.id}`);
}

const shownBeforeMax = 5;

/** Runs `work`; the problems of a declaration come out as a CommandError with the file's name before each. */
function fileProblems<T>(file: string, work: () => T): T {
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
