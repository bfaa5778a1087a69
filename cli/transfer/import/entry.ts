/** What an import file is read into: objects for /users/track, each with the place it came from. */
import { hash } from "node:crypto";

import { limits } from "../../../platform/limits.ts";
import { isExportedUser, type Left, userFromExport } from "./exported.ts";

export type ObjectArray = "attributes" | "events" | "purchases";

export const objectArrays: readonly ObjectArray[] = ["attributes", "events", "purchases"];

/** The names that a line's `type` may have. */
export const objectTypes: ReadonlyMap<string, ObjectArray> = new Map([
  ["attribute", "attributes"],
  ["attributes", "attributes"],
  ["event", "events"],
  ["events", "events"],
  ["purchase", "purchases"],
  ["purchases", "purchases"],
]);

/** Where the report of refused rows says why: a member of a line, a column of a table. Not part of a row. */
export const errorField = "_heddle_error";
/** Why a row is reported. In part: the server took it but for the fields that the report has. */
export function reasonOf(line: number, text: string, isInPart: boolean): string {
  return `line ${line}${isInPart ? ", taken in part" : ""}: ${text}`;
}

export function isReasonOfPart(reason: string): boolean {
  return /^line \d+, taken in part: /.test(reason);
}

/** Of a line that could not be read: its text. */
const textField = "_heddle_text";

/** Where an object stands: byte offset of its line, and which object of the line it is. */
type Place = readonly [offset: number, part: number];

/** One object of the file, or what is wrong with a line of it. */
export type Entry = SentEntry | (EntryPlace & { readonly error: string });

export interface SentEntry extends EntryPlace {
  readonly array: ObjectArray;
  readonly json: string;
  readonly user: UserName;
  /** What makes two rows equal, in 32 hex digits. */
  readonly id: string;
}

export interface EntryPlace {
  readonly place: Place;
  /** Lines count from 1. */
  readonly line: number;
  /** Byte offset behind the line. */
  readonly end: number;
  /** The row as it stands in a report: a line of JSON, or of CSV. */
  readonly raw: string;
}

/** Whom an object names, and by which kind of identifier: two kinds may name the same user. */
interface UserName {
  readonly kind: string;
  readonly key: string;
}

export const identifierFields = ["external_id", "user_alias", "platform_id", "braze_id", "email", "phone"];

/** Whether the value of an attribute changes it with each time that it is sent: a count, or objects that are added. */
export function countsAgain(value: unknown): boolean {
  return isObject(value) && (typeof value["inc"] === "number" || Array.isArray(value["$add"]));
}

/** The identifier that the server will use: the first of its order of precedence. */
function userNameOf(object: Readonly<Record<string, unknown>>): UserName {
  for (const field of identifierFields) {
    if (!Object.hasOwn(object, field)) continue;
    const kind = field === "braze_id" ? "platform_id" : field;
    return { kind, key: `${kind} ${JSON.stringify(object[field])}` };
  }
  return { kind: "", key: "" };
}

export interface LineReading {
  /** Field of the object that identifies its row, instead of the whole content. */
  readonly rowId?: string | undefined;
  /** Called with what of an exported user cannot be carried. */
  readonly onLeft?: (left: Left) => void;
}

type LinePlace = { readonly offset: number; readonly end: number; readonly line: number };

/** The entries of one line of NDJSON: an object with its `type`, a body of /users/track, or an exported user. Blank lines have none. */
export function entriesOfLine(line: LinePlace & { readonly text: string }, reading: LineReading = {}): Entry[] {
  if (line.text.trim() === "") return [];
  const value = parseText(line.text);
  if (value === undefined) return [unreadEntry(line, "The line is not valid JSON")];
  if (isTooDeep(value)) return [unreadEntry(line, `The JSON is nested deeper than ${limits.jsonDepthMax} levels`)];
  if (!isObject(value)) return [unreadEntry(line, "The line is not a JSON object")];
  if (Object.hasOwn(value, textField)) {
    return [{ ...partOf(line, line.text), error: `The line still holds "${textField}": put the mended row in its place` }];
  }
  const { [errorField]: _, ...row } = value;
  const raw = Object.hasOwn(value, errorField) ? jsonText(row) : line.text.trim();
  return objectsOfRow(row, reading).map((one, part) => {
    const place = partOf(line, one.raw ?? raw, part);
    if ("error" in one) return { ...place, error: one.error };
    const tooLarge = isObject(one.object) ? Object.entries(one.object).find(([, member]) => !fitsDoubles(member)) : undefined;
    if (tooLarge !== undefined) return { ...place, error: `A number is too large (in '${tooLarge[0]}')` };
    const entry = entryOf(one.object, one.array, place);
    return reading.rowId === undefined ? entry : withRowId(entry, reading.rowId, fieldOf(one.object, reading.rowId));
  });
}

type RowObject = { readonly raw?: string } & ({ readonly object: unknown; readonly array: ObjectArray } | { readonly error: string });

function objectsOfRow(row: Readonly<Record<string, unknown>>, { onLeft }: LineReading): RowObject[] {
  if (isExportedUser(row)) {
    const { object, left } = userFromExport(row);
    onLeft?.(left);
    return [object === undefined ? { error: noName } : { object, array: "attributes" }];
  }
  const arrays = objectArrays.filter((array) => Object.hasOwn(row, array) && Array.isArray(row[array]));
  if (arrays.length > 0) {
    return arrays.flatMap((array) => (row[array] as unknown[]).map((object) => ({ object, array, raw: jsonText({ [array]: [object] }) })));
  }
  const { type, ...object } = row;
  const array = typeof type === "string" ? objectTypes.get(type) : undefined;
  if (array) return [{ object, array }];
  return [{ error: `The line has no "type" of attribute, event or purchase, and is no body of /users/track and no exported user` }];
}

const noName = "The user has no external id, alias, email or phone, by which another Heddle could know it";

/** A line that cannot be read, in a form that a report can hold. */
export function unreadEntry(line: LinePlace & { readonly text: string }, error: string): Entry {
  return { ...partOf(line, JSON.stringify({ [textField]: line.text })), error };
}

function partOf(line: LinePlace, raw: string, part = 0): EntryPlace {
  return { place: [line.offset, part], line: line.line, end: line.end, raw };
}

/** The entry of an object that is already known to belong to an array. */
export function entryOf(object: unknown, array: ObjectArray, place: EntryPlace): SentEntry {
  const user = isObject(object) ? userNameOf(object) : { kind: "", key: "" };
  const json = JSON.stringify(object);
  return { ...place, array, json, user, id: idOf(array, json) };
}

/** The entry under the id that a field of its own gives it. */
export function withRowId(entry: SentEntry, rowId: string, value: unknown): Entry {
  const isMissing = value === undefined || value === null || value === "";
  const isRounded = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
  if (!isMissing && !isRounded) return { ...entry, id: idOf(entry.array, JSON.stringify([rowId, value])) };
  const { place, line, end, raw } = entry;
  const error = isMissing
    ? `The row has no "${rowId}" (--row-id)`
    : `The number "${rowId}" (--row-id) has more digits than JSON keeps, so another row may seem to have the same: write it in quotes`;
  return { place, line, end, raw, error };
}

/** What makes rows equal: what they hold, or the one thing that a column of theirs says. */
function idOf(array: ObjectArray, text: string): string {
  return hash("sha256", `${array} ${text}`, "hex").slice(0, 32);
}

/** The field itself, or one within objects where the name has dots. */
function fieldOf(object: unknown, name: string): unknown {
  if (!isObject(object)) return undefined;
  if (Object.hasOwn(object, name)) return object[name];
  let value: unknown = object;
  for (const part of name.split(".")) value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  return value;
}

/** Whether all numbers in it are such as JSON.stringify writes: of one beyond the doubles it makes null, which takes an attribute away. */
export function fitsDoubles(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(fitsDoubles);
}

/** Deeper than any request may be; functions that call themselves for each level would end the import. */
export function isTooDeep(value: unknown, levels: number = limits.jsonDepthMax): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isTooDeep(member, levels - 1));
}

/** JSON in which a number beyond the doubles is still one. */
function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => member === Infinity ? huge : member === -Infinity ? minusHuge : member);
}

/** TypeScript does not know it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
const [huge, minusHuge] = [rawJSON("1e999"), rawJSON("-1e999")];

/** Undefined where it is no JSON. */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
