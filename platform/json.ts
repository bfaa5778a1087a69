/** Guarded JSON: what a body must be before and after `JSON.parse` for the rest of the program to trust its shape. */
import { isUtf8 } from "node:buffer";
import { inspectJson } from "./json-inspect.ts";
import { limits } from "./limits.ts";
import { Refusal } from "./refusal.ts";

/**
 * Parses one JSON text (RFC 8259). Takes a time linear in its length and stops at the first bracket too deep.
 * Refuses BODY_NOT_UTF8, BODY_TOO_DEEP (more than `depthMax` arrays and objects inside one another), BODY_TOO_WIDE (one of
 * them with more than `jsonEntriesMax` entries, or more in all than `weightMax`, as in memory they are many times their text: a comma
 * weighs 1, a bracket and a colon 4, which is 8 to 20 bytes of memory each), both before anything is parsed,
 * BODY_KEY_REPEATED and BODY_NOT_JSON, with the place, where that is among the first
 * `jsonInspectCharsMax` characters, but never the text of the input.
 * A key `__proto__` becomes an own property of that name, as `JSON.parse` has it, and lone surrogates (written as
 * `\ud800`) stay.
 */
export function parseJson(sent: Uint8Array, options: { depthMax?: number; weightMax?: number } = {}): unknown {
  // A byte order mark is passed over (RFC 8259 section 8.1)
  const bytes = sent[0] === 0xef && sent[1] === 0xbb && sent[2] === 0xbf ? sent.subarray(3) : sent;
  if (!isUtf8(bytes)) throw new Refusal("BODY_NOT_UTF8");
  const members = countMembers(bytes, { depthMax: options.depthMax ?? limits.jsonDepthMax, weightMax: options.weightMax ?? Infinity });
  const text = asBuffer(bytes).toString("utf8");
  const value = parse(text);
  // JSON.parse lets the last of equal keys win, so it gives back fewer than were written
  if (countKeys(value) !== members) throw repeatedKey(text);
  return value;
}

/** What an array, an object or a member weighs. */
const dear = 4;

const tooManyValues = "The JSON holds too many values in all: send less in a request";

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;

/** The number of members of all objects, if this is JSON. Refuses BODY_TOO_DEEP and BODY_TOO_WIDE. */
function countMembers(bytes: Uint8Array, { depthMax, weightMax }: { readonly depthMax: number; readonly weightMax: number }): number {
  // Commas so far of what is open, by depth; a depth that no JSON has is no index, and counts nothing
  const commas = new Uint32Array(depthMax + 1);
  let members = 0;
  // Of commas and brackets
  let weight = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      at = closingQuote(bytes, at);
    } else if (byte === colon) {
      members += 1;
    } else if (byte === comma) {
      const before = commas[depth] ?? 0;
      weight += 1;
      if (before + 2 > limits.jsonEntriesMax) throw new Refusal("BODY_TOO_WIDE");
      if (weight + members * dear > weightMax) throw new Refusal("BODY_TOO_WIDE", tooManyValues);
      commas[depth] = before + 1;
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      weight += dear;
      if (depth > depthMax) throw new Refusal("BODY_TOO_DEEP", `The JSON is nested deeper than ${depthMax} levels`);
      commas[depth] = 0;
    } else if (byte === 0x5d || byte === 0x7d) {
      depth -= 1;
    }
  }
  return members;
}

function closingQuote(bytes: Uint8Array, opening: number): number {
  let at = opening + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The texts of JSON.parse differ between runtimes and quote the input
    const wrong = inspectJson(text, limits.jsonInspectCharsMax);
    const what = wrong?.kind === "syntax" ? `: expected ${wrong.expected} at ${placeOf(text, wrong.at)}` : "";
    throw new Refusal("BODY_NOT_JSON", `The body is not valid JSON${what}`);
  }
}

function countKeys(value: unknown): number {
  let keys = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const current = waiting.pop();
    if (typeof current !== "object" || current === null) continue;
    const inner: unknown[] = Array.isArray(current) ? current : Object.values(current);
    if (inner !== current) keys += inner.length;
    for (const item of inner) if (typeof item === "object" && item !== null) waiting.push(item);
  }
  return keys;
}

function repeatedKey(text: string): Refusal {
  const found = inspectJson(text, limits.jsonInspectCharsMax);
  if (found?.kind !== "repeated") return new Refusal("BODY_KEY_REPEATED");
  const key = found.key.length <= limits.quotedCharsMax ? found.key : `${found.key.slice(0, limits.quotedCharsMax)}...`;
  const where = placeOf(text, found.at);
  return new Refusal("BODY_KEY_REPEATED", `An object of the body has the key ${JSON.stringify(key)} twice (${where})`);
}

function placeOf(text: string, at: number): string {
  let line = 1;
  let lineStart = 0;
  for (let next = text.indexOf("\n"); next >= 0 && next < at; next = text.indexOf("\n", next + 1)) {
    line += 1;
    lineStart = next + 1;
  }
  return `line ${line}, column ${at - lineStart + 1}`;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
