/** What must hold of every tracked object whatever it is for: a size, a depth, and text that every store can keep. */
import { limits } from "../../../../platform/limits.ts";
import { quoted, Verdict } from "./check-verdict.ts";

/** A parsed JSON object. Read fixed names from it, never a name that a client chose. */
export interface RawObject {
  readonly [key: string]: unknown;
}

/** An object of the domain while a check fills it in: only the keys that were sent, since it becomes JSON in the log. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] };

/** Bytes that one UTF-16 unit takes in JSON at most: `\u0000`. */
const unitBytesMax = 6;
/** Bytes that a number, a literal or the marks around a value take at most. */
const valueBytesMax = 26;

export function isObject(value: unknown): value is RawObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Proves that the rest of the checks may walk through the object freely: nested at most `jsonDepthMax`, at most
 * `objectBytesMax` of compact UTF-8 JSON, no key `__proto__`, no lone surrogate, no number beyond the doubles. What
 * `read` makes of it takes at most `objectStoredBytesMax`: each change of an attribute is spelt out in it, which is less
 * than twice the upper bound of what was sent.
 */
export function checkObject<Stored>(value: unknown, read: (raw: RawObject) => Stored): Stored {
  if (!isObject(value)) throw new Verdict("The element must be an object");
  const isLarge = boundObject(value) > limits.objectBytesMax;
  if (isLarge && !fitsBytes(value, limits.objectBytesMax)) {
    throw new Verdict(`The object must be at most ${limits.objectBytesMax} bytes of JSON`);
  }
  const stored = read(value);
  if (isLarge && utf8Bytes(JSON.stringify(stored)) > limits.objectStoredBytesMax) {
    throw new Verdict(`The object must be at most ${limits.objectStoredBytesMax} bytes as it is stored: send its attributes in several`);
  }
  return stored;
}

/** Whether the value is at most so many bytes of compact UTF-8 JSON. For values that checkObject has let through. */
export function fitsBytes(value: unknown, bytesMax: number): boolean {
  return boundBytes(value, 1) <= bytesMax || utf8Bytes(JSON.stringify(value)) <= bytesMax;
}

export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // A surrogate is half of four bytes.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/** As boundBytes; a verdict about something in a member names the member. */
function boundObject(object: RawObject): number {
  try {
    return boundMembers(object, 1);
  } catch (error) {
    if (!(error instanceof Verdict)) throw error;
    const name = Object.keys(object).find((key) => isUnbound(object[key]));
    throw name === undefined ? error : new Verdict(`${error.message} (in '${quoted(name).toWellFormed()}')`);
  }
}

function isUnbound(value: unknown): boolean {
  try {
    boundBytes(value, 2);
    return false;
  } catch {
    return true;
  }
}

/** An upper bound of the value's JSON bytes, far cheaper than its text: most objects are nowhere near a limit. */
function boundBytes(value: unknown, depth: number): number {
  if (typeof value === "string") return boundText(value);
  if (typeof value === "number" && !Number.isFinite(value)) throw new Verdict("A number is too large");
  if (typeof value !== "object" || value === null) return valueBytesMax;
  if (depth > limits.jsonDepthMax) throw new Verdict(`The object must be nested at most ${limits.jsonDepthMax} deep`);
  return Array.isArray(value) ? boundItems(value, depth) : boundMembers(value as RawObject, depth);
}

function boundText(text: string): number {
  if (!text.isWellFormed()) throw new Verdict("A text holds half of a surrogate pair");
  return text.length * unitBytesMax + valueBytesMax;
}

function boundItems(items: readonly unknown[], depth: number): number {
  let bytes = valueBytesMax;
  for (const item of items) bytes += boundBytes(item, depth + 1);
  return bytes;
}

function boundMembers(object: RawObject, depth: number): number {
  let bytes = valueBytesMax;
  for (const key of Object.keys(object)) {
    if (key === "__proto__") throw new Verdict("The name '__proto__' is not allowed");
    bytes += boundText(key) + boundBytes(object[key], depth + 1);
  }
  return bytes;
}
