/** How a file of an import is read: which format it has, and its entries. */
import { createHash } from "node:crypto";
import { closeSync, createReadStream, fstatSync, openSync, readSync } from "node:fs";

import { limits } from "../../../platform/limits.ts";
import { entriesOfLine, type Entry, type LineReading, objectTypes, unreadEntry } from "./entry.ts";
import { readLines } from "./lines.ts";
import { parseMappings } from "./mapping.ts";
import { readTable, type TableFormat, type TableHead } from "./table.ts";
import { UsageError } from "../../shell/output.ts";

export type Format = { readonly kind: "ndjson"; readonly rowId?: string | undefined } | ({ readonly kind: "table" } & TableFormat);

export interface FormatOptions {
  readonly format?: string;
  readonly type?: string;
  readonly map: readonly string[];
  readonly delimiter: string;
  readonly rowId?: string;
}

/** What the reader reports while it reads. */
export interface ReadNotes {
  readonly onHead: (head: TableHead) => void;
  readonly onLeft: NonNullable<LineReading["onLeft"]>;
}

export async function* readEntries(file: string, format: Format, notes: ReadNotes): AsyncGenerator<Entry> {
  const chunks = createReadStream(file, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Uint8Array>;
  if (format.kind === "table") {
    yield* readTable(chunks, format, notes.onHead);
    return;
  }
  for await (const line of readLines(chunks, limits.importLineBytesMax)) {
    if (line.error === undefined) yield* entriesOfLine(line, { rowId: format.rowId, onLeft: notes.onLeft });
    else yield unreadEntry(line, line.error);
  }
}

export function formatOf(file: string, options: FormatOptions): Format {
  const isTable = options.type !== undefined || options.map.length > 0 || options.delimiter !== "," || /\.(csv|tsv|txt)$/i.test(file);
  const format = options.format ?? (isTable ? "csv" : "ndjson");
  if (format === "ndjson") return { kind: "ndjson", rowId: options.rowId };
  if (format !== "csv") throw new UsageError(`--format is ndjson or csv, not "${format}"`);
  const array = objectTypes.get(options.type ?? "");
  if (!array) {
    throw new UsageError(`A table needs --type attribute, event or purchase${options.type === undefined ? "" : `, not "${options.type}"`}`);
  }
  const { rowId } = options;
  const sources = parseMappings(options.map);
  return { kind: "table", array, sources, delimiter: delimiterOf(options.delimiter), rowBytesMax: limits.importLineBytesMax, rowId };
}

function delimiterOf(text: string): string {
  if (text === "tab" || text === "\\t") return "\t";
  if (text === "whitespace" || [...text].length === 1) return text;
  throw new UsageError(`--delimiter is one character, tab or whitespace, not "${text}"`);
}

const sampleBytes = 1024 * 1024;

/** What names the content of a file: its size and both its ends, and how it is read. 32 hex digits. */
export function fileIdentity(file: string, reading: unknown): string {
  const handle = openSync(file, "r");
  try {
    const { size } = fstatSync(handle);
    const hash = createHash("sha256").update(JSON.stringify([size, reading]));
    for (const position of [0, Math.max(0, size - sampleBytes)]) {
      const bytes = Buffer.alloc(Math.min(sampleBytes, size));
      hash.update(bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, position)));
    }
    return hash.digest("hex").slice(0, 32);
  } finally {
    closeSync(handle);
  }
}
