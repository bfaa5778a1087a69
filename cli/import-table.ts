/** Reads tables (CSV, other delimiters, columns apart by white space) into objects for /users/track. */
import { Readable } from "node:stream";
import { parse } from "csv-parse";

import { type Entry, entryOf, type ObjectArray } from "./import-entry.ts";
import { readLines } from "./import-lines.ts";
import { type FieldSource, rowToObject } from "./import-mapping.ts";
import { CommandError } from "./output.ts";

export interface TableFormat {
  readonly array: ObjectArray;
  readonly sources: readonly FieldSource[];
  /** One character, or "whitespace". */
  readonly delimiter: string;
  readonly rowBytesMax: number;
}

/** The entries of a table whose first row names the columns. Fails where that row lacks a column of the mapping. */
export async function* readTable(chunks: AsyncIterable<Uint8Array>, format: TableFormat): AsyncGenerator<Entry> {
  const rows = format.delimiter === "whitespace" ? spacedRows(chunks, format) : delimitedRows(chunks, format);
  let columns: ReadonlyMap<string, number> | undefined;
  for await (const row of rows) {
    if (!columns) {
      columns = columnsOf(row.cells, format);
      continue;
    }
    yield entryOfRow(row, columns, format);
  }
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
    // Behind a broken quote nobody knows where rows begin, so nothing behind it may be guessed.
    throw new CommandError(`The table cannot be read from line ${line} on: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

function columnsOf(cells: readonly string[], format: TableFormat): Map<string, number> {
  const columns = new Map(cells.map((cell, at) => [cell.trim(), at]));
  if (columns.size !== cells.length) throw new CommandError(`The first row names a column twice: ${cells.join(", ")}`);
  const missing = format.sources.flatMap(({ from }) => "column" in from && !columns.has(from.column) ? [`"${from.column}"`] : []);
  if (missing.length === 0) return columns;
  throw new CommandError(`The table has no column ${missing.join(", ")}; its first row names ${[...columns.keys()].join(", ")}`);
}

function entryOfRow(row: Row, columns: ReadonlyMap<string, number>, format: TableFormat): Entry {
  const place = { place: [row.offset, 0], line: row.line, end: row.end } as const;
  if (row.error !== undefined) return { ...place, error: row.error };
  if (row.cells.length !== columns.size) {
    return { ...place, error: `The row has ${row.cells.length} columns, the first row names ${columns.size}` };
  }
  const made = rowToObject(format.sources, (column) => row.cells[columns.get(column) ?? -1] ?? "");
  return "error" in made ? { ...place, error: made.error } : entryOf(made.object, format.array, place);
}
