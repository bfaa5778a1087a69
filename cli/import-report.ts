/** The report of an import: the refused rows themselves, each with what is wrong with it, to be mended and imported. */
import { appendFileSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";

import { type Entry, errorField } from "./import-entry.ts";
import type { Ledger } from "./import-ledger.ts";
import { CommandError } from "./output.ts";

export interface Refused {
  readonly entry: Entry;
  readonly text: string;
}

export interface Report {
  readonly path: string;
  /** Takes the columns of a table; called before its first row. */
  header(cells: readonly string[]): void;
  add(refused: readonly Refused[]): void;
  /** The report appears under its name, or goes where nothing was refused. */
  done(): void;
}

/** Refuses where the operator mended the report of an earlier run and did not import it: it would be overwritten. */
export function openReport(path: string, { ledger, kind }: { ledger: Ledger; kind: "ndjson" | "table" }): Report {
  if (ledger.isReportChanged(path)) {
    throw new CommandError(
      `"${path}" was changed since it was written: import it (heddle import ${path}, with the same options), or move it away`,
    );
  }
  const part = `${path}.part`;
  rmSync(part, { force: true });
  let head = "";
  let refusedRows = 0;
  return {
    path,
    header(cells) {
      head = `${csvLine([errorField, ...cells])}\n`;
    },
    add(refused) {
      if (refused.length === 0) return;
      if (refusedRows === 0) writeFileSync(part, kind === "table" ? head : "");
      refusedRows += refused.length;
      appendFileSync(part, refused.map((row) => kind === "table" ? tableRow(row) : jsonRow(row)).join(""));
    },
    done() {
      if (refusedRows > 0) renameSync(part, path);
      else if (existsSync(path)) rmSync(path);
      ledger.reported(path);
    },
  };
}

function jsonRow({ entry, text }: Refused): string {
  const row: unknown = JSON.parse(entry.raw);
  return `${JSON.stringify({ [errorField]: `line ${entry.line}: ${text}`, ...(row as object) })}\n`;
}

function tableRow({ entry, text }: Refused): string {
  return `${csvLine([`line ${entry.line}: ${text}`])},${entry.raw}\n`;
}

/** Cells as CSV has them (RFC 4180). */
export function csvLine(cells: readonly string[]): string {
  return cells.map((cell) => /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell).join(",");
}
