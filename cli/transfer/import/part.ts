/** What the report holds of a row that the server took but for some of its fields: its name and those fields, so that nothing counts twice. */
import { parse } from "csv-parse/sync";

import { limits } from "../../../platform/limits.ts";
import { countsAgain, identifierFields, type SentEntry } from "./entry.ts";
import type { FieldSource } from "./mapping.ts";

export interface InPart {
  readonly entry: SentEntry;
  readonly text: string;
  /** What was not taken, as the server named it. */
  readonly fields: readonly string[];
}

/** The columns of a table, and what becomes of them. */
export interface TableColumns {
  readonly columns: readonly string[];
  readonly sources: readonly FieldSource[];
}

/** Events and purchases cannot be mended: sent again with their other fields they would be further ones. */
export function isMendable({ entry }: InPart): boolean {
  return entry.array === "attributes";
}

/** A line of NDJSON without its reason. `rowId`: the field by which rows are told apart. */
export function objectOfPart(part: InPart, rowId: string | undefined): Readonly<Record<string, unknown>> {
  const object = objectOf(part);
  const chosen = fieldsLeft(part, rowId?.split("."));
  const left = Object.fromEntries(Object.entries(object).filter(([field]) => chosen.has(field)));
  return Object.hasOwn(left, "type") ? { attributes: [left] } : { type: "attribute", ...left };
}

/** The cells of the row, empty where their fields were taken. `rowId`: the column by which rows are told apart. */
export function cellsOfPart(part: InPart, { columns, sources }: TableColumns, rowId: string | undefined): string[] {
  const chosen = fieldsLeft(part, undefined);
  const used = new Set(sources.flatMap(({ path, from }) => "column" in from && chosen.has(path[0] ?? "") ? [from.column] : []));
  const [cells = []] = parse(part.entry.raw) as string[][];
  return cells.map((cell, at) => used.has(columns[at] ?? "") || columns[at] === rowId ? cell : "");
}

function fieldsLeft(part: InPart, rowId: readonly string[] | undefined): ReadonlySet<string> {
  const object = objectOf(part);
  const name = identifierFields.find((field) => object[field] !== undefined && object[field] !== null && object[field] !== "");
  const isAll = andMore.test(part.text);
  return new Set(
    Object.keys(object).filter((field) =>
      field === name || controls.has(field) || field === rowId?.join(".") || field === rowId?.[0] ||
      part.fields.includes(asNamed(field)) || (isAll && !countsAgain(object[field]))
    ),
  );
}

/** The server names the first of very many fields: all that may be sent again are kept then. */
const andMore = /; \d+ more fields were not taken(?:;|$)/;
/** They say how the other fields are meant. */
const controls: ReadonlySet<string> = new Set(["_update_existing_only", "_merge_objects", "push_token_import"]);

function objectOf({ entry }: InPart): Readonly<Record<string, unknown>> {
  return JSON.parse(entry.json) as Readonly<Record<string, unknown>>;
}

/** The server cuts a long name. */
function asNamed(field: string): string {
  return field.length <= limits.quotedCharsMax ? field : `${field.slice(0, limits.quotedCharsMax).toWellFormed()}…`;
}
