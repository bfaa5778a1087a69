/** Reads tables (CSV, other delimiters, columns apart by white space) into objects for /users/track. */
import { Readable } from "node:stream";
import { parse } from "csv-parse";

import { type Entry, entryOf, errorField, identifierFields, isReasonOfPart, type ObjectArray, withRowId } from "./entry.ts";
import { readLines } from "./lines.ts";
import { type FieldSource, rowToObject, usualSources, withoutCounts } from "./mapping.ts";
import type { TableColumns } from "./part.ts";
import { csvLine } from "./report.ts";
import { CommandError } from "../../shell/output.ts";
import { errorText } from "../../../platform/error-text.ts";

export interface TableFormat {
  readonly array: ObjectArray;
  readonly sources: readonly FieldSource[];
  /** One character, or "whitespace". */
  readonly delimiter: string;
  readonly rowBytesMax: number;
  /** Column that identifies a row, instead of the whole content. */
  readonly rowId?: string | undefined;
}

/** What the first row says. */
export interface TableHead extends TableColumns {
  /** Columns that became fields because they are called so. */
  readonly usual: readonly string[];
  /** Columns that become nothing. */
  readonly unmapped: readonly string[];
}

/** The entries of a table whose first row names the columns. Fails where that row lacks a column of the mapping. */
export async function* readTable(
  chunks: AsyncIterable<Uint8Array>,
  given: TableFormat,
  onHead: (head: TableHead) => void = () => {},
): AsyncGenerator<Entry> {
  const { format, whole } = await asReport(chunks, given);
  yield* readRows(whole, format, onHead);
}

async function* readRows(chunks: AsyncIterable<Uint8Array>, format: TableFormat, onHead: (head: TableHead) => void): AsyncGenerator<Entry> {
  const rows = format.delimiter === "whitespace" ? spacedRows(chunks, format) : delimitedRows(chunks, format);
  let table: Table | undefined;
  for await (const row of rows) {
    if (!table) {
      table = tableOf(row.cells, format);
      onHead(table.head);
      continue;
    }
    yield entryOfRow(row, table, format);
  }
}

/** The report of an earlier import is CSV whatever the table was: its first column says so. */
async function asReport(
  chunks: AsyncIterable<Uint8Array>,
  format: TableFormat,
): Promise<{ format: TableFormat; whole: AsyncIterable<Uint8Array> }> {
  const rest = chunks[Symbol.asyncIterator]();
  const first = await rest.next();
  const isReport = !first.done && Buffer.from(first.value.subarray(0, errorField.length + 1)).toString() === `${errorField},`;
  async function* whole(): AsyncGenerator<Uint8Array> {
    if (first.done) return;
    yield first.value;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  }
  return { format: isReport ? { ...format, delimiter: "," } : format, whole: whole() };
}

interface Row {
  readonly cells: readonly string[];
  readonly offset: number;
  readonly end: number;
  readonly line: number;
  readonly error?: string;
}

async function* spacedRows(chunks: AsyncIterable<Uint8Array>, format: TableFormat): AsyncGenerator<Row> {
  for await (const { text, ...line } of readLines(chunks, format.rowBytesMax)) {
    const trimmed = text.trim();
    if (trimmed !== "" || line.error !== undefined) yield { ...line, cells: trimmed.split(/\s+/) };
  }
}

async function* delimitedRows(chunks: AsyncIterable<Uint8Array>, format: TableFormat): AsyncGenerator<Row> {
  const parser = Readable.from(chunks).pipe(parse({
    info: true,
    bom: true,
    delimiter: format.delimiter,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: format.rowBytesMax,
  }));
  let offset = 0;
  let line = 1;
  try {
    for await (const found of parser) {
      const { record, info } = found as { record: string[]; info: { bytes: number; lines: number } };
      yield { cells: record, offset, end: info.bytes, line };
      offset = info.bytes;
      line = info.lines + 1;
    }
  } catch (cause) {
    // Behind a broken quote it is unknown where rows begin, so nothing behind it may be guessed.
    throw new CommandError(`The table cannot be read from line ${line} on: ${errorText(cause)}`, {
      cause,
    });
  }
}

interface Table {
  readonly at: ReadonlyMap<string, number>;
  readonly head: TableHead;
}

function tableOf(cells: readonly string[], { array, sources: given, rowId }: TableFormat): Table {
  const at = new Map(cells.map((cell, index) => [cell.trim(), index]));
  if (at.size !== cells.length) throw new CommandError(`The first row names a column twice: ${cells.join(", ")}`);
  const columns = [...at.keys()].filter((column) => column !== errorField);
  const wanted = [...given.flatMap(({ from }) => "column" in from ? [from.column] : []), ...(rowId === undefined ? [] : [rowId])];
  const missing = [...new Set(wanted)].filter((column) => !at.has(column)).map((column) => `"${column}"`);
  if (missing.length > 0) {
    throw new CommandError(`The table has no column ${missing.join(", ")}; its first row names ${columns.join(", ")}`);
  }
  const usual = usualSources(array, { columns, sources: given });
  const sources = [...given, ...usual];
  if (!sources.some(({ path }) => identifierFields.includes(path[0] ?? ""))) {
    throw new CommandError(
      `No column says whom a row is about: none is called external_id (or ${
        identifierFields.slice(1).join(", ")
      }), and no --map gives one, as in --map external_id=${columns[0] ?? "customer"}`,
    );
  }
  const used = new Set(sources.flatMap(({ from }) => "column" in from ? [from.column] : []));
  const head = {
    columns,
    sources,
    usual: usual.map(({ path }) => path.join(".")),
    unmapped: columns.filter((column) => !used.has(column)),
  };
  return { at, head };
}

function entryOfRow(row: Row, { at, head }: Table, { array, rowId }: TableFormat): Entry {
  const first = at.get(errorField);
  const own = first === undefined ? row.cells : row.cells.filter((_, index) => index !== first);
  const place = { place: [row.offset, 0], line: row.line, end: row.end, raw: csvLine(own) } as const;
  if (row.error !== undefined) return { ...place, error: row.error };
  if (row.cells.length !== at.size) {
    const more = at.size - (first === undefined ? 0 : 1);
    return { ...place, error: `The row has ${own.length} columns, the first row names ${more}` };
  }
  const isInPart = first !== undefined && isReasonOfPart(row.cells[first] ?? "");
  const made = rowToObject(isInPart ? withoutCounts(head.sources) : head.sources, (column) => row.cells[at.get(column) ?? -1] ?? "");
  if ("error" in made) return { ...place, error: made.error };
  const entry = entryOf(made.object, array, place);
  return rowId === undefined ? entry : withRowId(entry, rowId, row.cells[at.get(rowId) ?? -1]);
}
