/** The mapping of a table's columns to the fields of a /users/track object. */
import { existsSync, readFileSync } from "node:fs";
import { parse } from "yaml";

import { countsAgain, fitsDoubles, identifierFields, isTooDeep, type ObjectArray, parseText } from "./entry.ts";
import { UsageError } from "../../shell/output.ts";

type CellType = "text" | "number" | "int" | "bool" | "date" | "json";

/** Where the value of one field comes from. */
export interface FieldSource {
  /** The field's name, and those of the objects it is in: `properties.cds` is two. */
  readonly path: readonly string[];
  readonly from: { readonly column: string; readonly type: CellType } | { readonly constant: string; readonly type: CellType };
}

const cellTypes: readonly CellType[] = ["text", "number", "int", "bool", "date", "json"];

/** What these fields are without saying so. */
const typeOfField = new Map<string, CellType>([
  ["price", "number"],
  ["quantity", "int"],
  ["time", "date"],
  ["current_location.longitude", "number"],
  ["current_location.latitude", "number"],
  ["date_of_first_session", "date"],
  ["date_of_last_session", "date"],
  ["marked_email_as_spam_at", "date"],
  ["_update_existing_only", "bool"],
  ["_merge_objects", "bool"],
  ["email_open_tracking_disabled", "bool"],
  ["email_click_tracking_disabled", "bool"],
]);

/** Reads `field=column`, `field=column:type`, `field==constant`, and files of YAML with the same. */
export function parseMappings(texts: readonly string[]): FieldSource[] {
  const sources = texts.flatMap((text) => text.includes("=") ? [parseMapping(text)] : parseMappingFile(text));
  const seen = new Set<string>();
  for (const { path } of sources) {
    const field = path.join(".");
    if (seen.has(field)) throw new UsageError(`--map names the field "${field}" twice`);
    seen.add(field);
  }
  return sources;
}

function parseMapping(text: string): FieldSource {
  const at = text.indexOf("=");
  return fieldSource(text.slice(0, at), text.slice(at + 1));
}

function parseMappingFile(file: string): FieldSource[] {
  if (!existsSync(file)) throw new UsageError(`--map "${file}" is neither field=column nor a file`);
  const content: unknown = parse(readFileSync(file, "utf8"));
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new UsageError(`The mapping file "${file}" must hold lines "field: column"`);
  }
  return Object.entries(content).map(([field, source]) => fieldSource(field, String(source)));
}

function fieldSource(field: string, source: string): FieldSource {
  const path = field.trim().split(".");
  if (path.some((name) => name === "")) throw new UsageError(`--map "${field}=${source}" has no field before the "="`);
  const usual = typeOfField.get(field.trim()) ?? "text";
  const constant = source.startsWith("=");
  const { name, type } = withType(constant ? source.slice(1) : source.trim(), usual);
  if (constant) {
    if (cellValue(name, type) === undefined && name !== "") {
      throw new UsageError(`--map "${field}==${name}" is not a value of the type ${type}`);
    }
    return { path, from: { constant: name, type } };
  }
  if (name === "") throw new UsageError(`--map "${field}=" names no column`);
  return { path, from: { column: name, type } };
}

/** Columns that are called as fields of the API, for those that no mapping names. Of several names of a user events take one. */
export function usualSources(
  array: ObjectArray,
  { columns, sources }: { readonly columns: readonly string[]; readonly sources: readonly FieldSource[] },
): FieldSource[] {
  const mapped = new Set(sources.map(({ path }) => path.join(".")));
  const used = new Set(sources.flatMap(({ from }) => "column" in from ? [from.column] : []));
  const known = columns.filter((column) => !used.has(column) && !mapped.has(column) && isFieldOf(array, column));
  const named = [...mapped, ...known].map((field) => identifierFields.find((name) => name === field.split(".")[0]));
  const first = identifierFields.find((name) => named.includes(name));
  return known.flatMap((column) => {
    const identifier = identifierFields.find((name) => name === column.split(".")[0]);
    const isPlain = array === "attributes" && (column === "email" || column === "phone");
    if (identifier !== undefined && identifier !== first && !isPlain) return [];
    return [{ path: column.split("."), from: { column, type: typeOfField.get(column) ?? "text" } }];
  });
}

function isFieldOf(array: ObjectArray, column: string): boolean {
  return fieldsOfAll.has(column) || fieldsOf[array].has(column) || (array !== "attributes" && /^properties\../.test(column));
}

const fieldsOfAll: ReadonlySet<string> = new Set([
  "external_id",
  "user_alias.alias_name",
  "user_alias.alias_label",
  "platform_id",
  "braze_id",
  "email",
  "phone",
  "_update_existing_only",
]);

const fieldsOf: Readonly<Record<ObjectArray, ReadonlySet<string>>> = {
  attributes: new Set([
    "first_name",
    "last_name",
    "home_city",
    "image_url",
    "country",
    "language",
    "dob",
    "gender",
    "time_zone",
    "current_location.longitude",
    "current_location.latitude",
    "_merge_objects",
    "date_of_first_session",
    "date_of_last_session",
    "marked_email_as_spam_at",
    "push_subscribe",
    "email_subscribe",
    "email_open_tracking_disabled",
    "email_click_tracking_disabled",
  ]),
  events: new Set(["app_id", "name", "time"]),
  purchases: new Set(["app_id", "product_id", "currency", "price", "quantity", "time"]),
};

/** A type stands behind the last colon, where that is one of ours: columns may have colons of their own. */
function withType(source: string, usual: CellType): { name: string; type: CellType } {
  const at = source.lastIndexOf(":");
  const type = cellTypes.find((known) => at !== -1 && known === source.slice(at + 1));
  return type ? { name: source.slice(0, at), type } : { name: source, type: usual };
}

/** The value of a cell as JSON has it; undefined where the cell is not of the type, nested too deep, or a number of it is beyond the doubles. */
function cellValue(cell: string, type: CellType): unknown {
  const value = valueOf(cell, type);
  return !isTooDeep(value) && fitsDoubles(value) ? value : undefined;
}

function valueOf(cell: string, type: CellType): unknown {
  switch (type) {
    case "text":
      return cell;
    case "number":
      return /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(cell.trim()) ? Number(cell) : undefined;
    case "int":
      return /^[+-]?\d+$/.test(cell.trim()) ? Number(cell) : undefined;
    case "bool":
      return new Map<string, boolean>([["true", true], ["1", true], ["yes", true], ["false", false], ["0", false], ["no", false]])
        .get(cell.trim().toLowerCase());
    case "date":
      return dateValue(cell.trim());
    case "json":
      return parseText(cell);
  }
}

/** A day without a time of day becomes its noon in UTC, which is that day almost everywhere. Other times stay as they are. */
function dateValue(cell: string): string | undefined {
  const [, year, month, day] = /^(\d{4})(?:-?)(\d{2})(?:-?)(\d{2})$/.exec(cell) ?? [];
  if (year === undefined) return cell === "" ? undefined : cell;
  const text = `${year}-${month}-${day}T12:00:00Z`;
  const time = Date.parse(text);
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(text.slice(0, -1)) ? text : undefined;
}

/** For a row of which all but some fields were taken: constants that would count again are left out. */
export function withoutCounts(sources: readonly FieldSource[]): FieldSource[] {
  return sources.filter(({ from }) => !("constant" in from && countsAgain(cellValue(from.constant, from.type))));
}

/** The object of one row, or what is wrong with the row. An empty cell leaves its field out. */
export function rowToObject(
  sources: readonly FieldSource[],
  cell: (column: string) => string,
): { readonly object: Readonly<Record<string, unknown>> } | { readonly error: string } {
  const object = new Map<string, unknown>();
  for (const { path, from } of sources) {
    const text = "constant" in from ? from.constant : cell(from.column);
    if (text === "" && !("constant" in from)) continue;
    const value = cellValue(text, from.type);
    if (value === undefined) {
      return {
        error: `"${text}" in the column "${"column" in from ? from.column : path.join(".")}" is not a value of the type ${from.type}`,
      };
    }
    setIn(object, path, value);
  }
  return { object: plain(object) };
}

/** Maps while it grows: a field may be called `__proto__`. */
function setIn(object: Map<string, unknown>, path: readonly string[], value: unknown): void {
  const [first = "", ...rest] = path;
  if (rest.length === 0) {
    object.set(first, value);
    return;
  }
  const inner = object.get(first);
  const next = inner instanceof Map ? inner as Map<string, unknown> : new Map<string, unknown>();
  object.set(first, next);
  setIn(next, rest, value);
}

function plain(object: Map<string, unknown>): Record<string, unknown> {
  return Object.fromEntries([...object].map(([key, value]) => [key, value instanceof Map ? plain(value as Map<string, unknown>) : value]));
}
