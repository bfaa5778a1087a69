/** How commands speak: text on standard output, one clear sentence on standard error, and three exit codes. */
import { asCalled } from "./called-as.ts";
import { errorText } from "../../platform/error-text.ts";
import { Refusal } from "../../platform/refusal.ts";
import { isStoreFault } from "../../platform/sqlite/faults.ts";
import { Unusable } from "../../platform/unusable.ts";

export const exitCodes = { ok: 0, failure: 1, usage: 2 } as const;

/** The command was called in a way it does not understand; ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Something the person can mend went wrong; the text says what to do. Ends with exit code 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** For people. */
export function print(text: string): void {
  printData(plainLines(text));
}

/** For programs: as it is. */
export function printData(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Commands in the text can be typed as they stand. */
export function printError(text: string): void {
  process.stderr.write(`${plainLines(asCalled(text))}\n`);
}

export function printJson(value: unknown): void {
  printData(JSON.stringify(value, null, 2));
}

export interface JsonOption {
  readonly json?: boolean;
}

/** What a command found or did: for programs where --json is given, else in words. */
export function printResult({ json }: JsonOption, value: unknown, text: string): void {
  if (json) printJson(value);
  else print(text);
}

/** "1 user", "2 users". */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Of milliseconds since 1970. */
export function isoTime(at: number | bigint): string {
  return new Date(Number(at)).toISOString();
}

/** Of one line: what clients sent may begin none of its own. */
export function plain(text: string): string {
  return text.replaceAll(/\p{C}/gu, "?");
}

/** What clients sent, and what stands in a file of somebody else, may hold anything; a terminal shall show it and not obey it. */
function plainLines(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]/gu, "?");
}

/** Rows as columns of equal width, with a heading. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()).join("\n");
}

/** Says what went wrong and answers with the exit code. Only a fault of ours shows where it happened. */
export function reportFailure(error: unknown): number {
  if (error instanceof UsageError) {
    printError(error.message);
    return exitCodes.usage;
  }
  if (error instanceof Error && error.name === "NotCapable") {
    printError(
      `Deno was not allowed what Heddle needs (${error.message}). "node cli/deno.mjs ..." (heddle-deno) grants what a command names; ` +
        `where it needs more, start cli/heddle.mjs with "deno run" and that flag`,
    );
    return exitCodes.failure;
  }
  const expected = error instanceof CommandError || error instanceof Refusal || error instanceof Unusable || isSystemError(error);
  printError(expected ? error.message : storeText(error) ?? faultText(error));
  return exitCodes.failure;
}

function faultText(error: unknown): string {
  const text = error instanceof Error ? error.stack ?? error.message : String(error);
  const cause = error instanceof Error && error.cause !== undefined ? `\nCaused by: ${String(error.cause)}` : "";
  return `Heddle failed in a way it should not; please report this:\n${text}${cause}`;
}

/** What SQLite or the system say of a disk that is full or a file that cannot be used, behind what could not be done for it; undefined: something else. */
function storeText(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (isStoreFault(error)) return error.message;
  return isStoreFault(error.cause) || isSystemError(error.cause) ? `${error.message}: ${errorText(error.cause)}` : undefined;
}

/** An error of the operating system (ENOENT, EACCES ...): its message names the file and what could not be done. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
