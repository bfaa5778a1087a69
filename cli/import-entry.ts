/** What an import file is read into: objects for /users/track, each with the place it came from. */

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

/** Where an object stands: byte offset of its line, and which object of the line it is. */
export type Place = readonly [offset: number, part: number];

/** One object of the file, or what is wrong with a line of it. */
export type Entry =
  & EntryPlace
  & ({ readonly array: ObjectArray; readonly json: string; readonly user: UserName } | { readonly error: string });

interface EntryPlace {
  readonly place: Place;
  /** Lines count from 1. */
  readonly line: number;
  /** Byte offset behind the line. */
  readonly end: number;
}

/** Whom an object names, and by which kind of identifier: two kinds may name the same user. */
export interface UserName {
  readonly kind: string;
  readonly key: string;
}

const identifierFields = ["external_id", "user_alias", "platform_id", "braze_id", "email", "phone"];

/** The identifier that the server will use: the first of its order of precedence. */
export function userNameOf(object: Readonly<Record<string, unknown>>): UserName {
  for (const field of identifierFields) {
    if (!Object.hasOwn(object, field)) continue;
    const kind = field === "braze_id" ? "platform_id" : field;
    return { kind, key: `${kind} ${JSON.stringify(object[field])}` };
  }
  return { kind: "", key: "" };
}

export function isBefore(a: Place, b: Place): boolean {
  return a[0] === b[0] ? a[1] < b[1] : a[0] < b[0];
}

/** The entries of one line of NDJSON: an object with its `type`, or a body of /users/track. Blank lines have none. */
export function entriesOfLine(
  line: { readonly text: string; readonly offset: number; readonly end: number; readonly line: number },
): Entry[] {
  if (line.text.trim() === "") return [];
  const value = parse(line.text);
  if (value === undefined) return [{ ...partOf(line, 0), error: "The line is not valid JSON" }];
  if (!isObject(value)) return [{ ...partOf(line, 0), error: "The line is not a JSON object" }];
  const arrays = objectArrays.filter((array) => Object.hasOwn(value, array) && Array.isArray(value[array]));
  if (arrays.length > 0) {
    let part = 0;
    return arrays.flatMap((array) => (value[array] as unknown[]).map((object) => entryOf(object, array, partOf(line, part++))));
  }
  const type = Object.hasOwn(value, "type") ? value["type"] : undefined;
  const array = typeof type === "string" ? objectTypes.get(type) : undefined;
  if (!array) {
    return [{ ...partOf(line, 0), error: `The line has no "type" of attribute, event or purchase, and is no body of /users/track` }];
  }
  const { type: _, ...object } = value;
  return [entryOf(object, array, partOf(line, 0))];
}

function partOf(line: { readonly offset: number; readonly end: number; readonly line: number }, part: number): EntryPlace {
  return { place: [line.offset, part], line: line.line, end: line.end };
}

/** The entry of an object that is already known to belong to an array. */
export function entryOf(object: unknown, array: ObjectArray, place: EntryPlace): Entry {
  const user = isObject(object) ? userNameOf(object) : { kind: "", key: "" };
  return { ...place, array, json: JSON.stringify(object), user };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
