/** The report of an import: the refused rows themselves, each with what is wrong with it, to be mended and imported. */
import { appendFileSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";

import { type Entry, errorField, reasonOf } from "./entry.ts";
import type { Ledger } from "./ledger.ts";
import { cellsOfPart, type InPart, objectOfPart, type TableColumns } from "./part.ts";
import { CommandError } from "../../shell/output.ts";

export interface Refused {
  readonly entry: Entry;
  readonly text: string;
}

export interface Report {
  readonly path: string;
  /** Takes the columns of a table; called before its first row. */
  header(table: TableColumns): void;
  add(refused: readonly Refused[]): void;
  /**
   * The report appears under its name, with the rows that were taken in part, or goes where all was taken. Where the run did not come to its end
   * (`isWhole` is false) the report of an earlier one stays, which may have more: what was refused is met again in the file.
   */
  done(isWhole: boolean): void;
}

export interface ReportOptions {
  readonly ledger: Ledger;
  readonly kind: "ndjson" | "table";
  /** What tells rows apart instead of all that they hold. */
  readonly rowId: string | undefined;
}

/** Refuses where the operator mended the report of an earlier run and did not import it: it would be overwritten. */
export function openReport(path: string, { ledger, kind, rowId }: ReportOptions): Report {
  if (ledger.isReportChanged(path)) {
    throw new CommandError(
      `"${path}" was changed since it was written: import it (heddle import ${path}, with the same options), or move it away`,
    );
  }
  const part = `${path}.part`;
  rmSync(part, { force: true });
  let table: TableColumns | undefined;
  let isBegun = false;

  function write(rows: readonly string[]): void {
    if (rows.length === 0) return;
    if (!isBegun) writeFileSync(part, table === undefined ? "" : `${csvLine([errorField, ...table.columns])}\n`, { mode: 0o600 });
    isBegun = true;
    appendFileSync(part, rows.join(""));
  }

  return {
    path,
    header(head) {
      table = head;
    },
    add(refused) {
      write(refused.map((row) => kind === "table" ? tableRow(row) : jsonRow(row)));
    },
    done(isWhole) {
      if (!isWhole && existsSync(path)) return rmSync(part, { force: true });
      const rows = ledger.parts();
      // Of a table whose columns were not read the rows stay where they are
      if (kind === "table" && table === undefined && rows.length > 0) return;
      write(rows.map((row) => partRow(row, table, rowId)));
      if (isBegun) renameSync(part, path);
      else if (existsSync(path)) rmSync(path);
      ledger.reported(path);
    },
  };
}

function jsonRow({ entry, text }: Refused): string {
  // The row's own text: parsed and written anew, numbers of many digits would be others
  const members = entry.raw.slice(1).trimStart();
  const reason = JSON.stringify({ [errorField]: reasonOf(entry.line, text, false) }).slice(0, -1);
  return `${reason}${members === "}" ? "" : ","}${members}\n`;
}

function tableRow({ entry, text }: Refused): string {
  return `${csvLine([reasonOf(entry.line, text, false)])},${entry.raw}\n`;
}

function partRow(row: InPart, table: TableColumns | undefined, rowId: string | undefined): string {
  const reason = reasonOf(row.entry.line, row.text, true);
  if (table === undefined) return `${JSON.stringify({ [errorField]: reason, ...objectOfPart(row, rowId) })}\n`;
  return `${csvLine([reason, ...cellsOfPart(row, table, rowId)])}\n`;
}

/** Cells as CSV has them (RFC 4180). */
export function csvLine(cells: readonly string[]): string {
  return cells.map((cell) => /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell).join(",");
}
