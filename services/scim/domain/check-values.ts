/** Single values of a body: texts, truths and lists, each refused by its name. */
import { lowerAscii } from "../../../platform/address.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";

export function invalid(text: string): Refusal {
  return new Refusal("INPUT_INVALID", text);
}

/** A text without control characters and lone surrogates. Refuses INPUT_INVALID. */
export function textOf(value: unknown, name: string): string {
  if (typeof value !== "string") throw invalid(`'${name}' must be a text`);
  if (value.length > limits.scimTextCharsMax) throw invalid(`'${name}' must have at most ${limits.scimTextCharsMax} characters`);
  if (/[\p{Cc}\p{Cs}]/u.test(value)) throw invalid(`'${name}' must not hold control characters`);
  return value;
}

export function requiredText(value: unknown, name: string): string {
  const text = textOf(value ?? "", name);
  if (text.trim() === "") throw invalid(`'${name}' is required`);
  return text;
}

/** Undefined for what is absent, null or empty. */
export function optionalText(value: unknown, name: string): string | undefined {
  const text = value === undefined || value === null ? "" : textOf(value, name);
  return text === "" ? undefined : text;
}

/** `"True"` and `"False"` are taken too: Entra ID sends them. */
export function booleanOf(value: unknown, name: string): boolean {
  const word = typeof value === "string" ? lowerAscii(value) : value;
  if (word === true || word === "true") return true;
  if (word === false || word === "false") return false;
  throw invalid(`'${name}' must be true or false`);
}

/** Texts out of `allowed`, each once, in the order of their first mention. */
export function wordsOf(
  value: unknown,
  of: { readonly name: string; readonly what: string; readonly allowed: readonly string[] },
): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(`'${of.name}' must be an array of texts`);
  const words = value.map((word) => textOf(word, of.name));
  const unknown = words.find((word) => !of.allowed.includes(word));
  if (unknown !== undefined) throw invalid(`Unknown ${of.what} '${quoted(unknown)}' in '${of.name}'; there are ${of.allowed.join(", ")}`);
  return [...new Set(words)];
}

/** A caller's own text, cut where it is long. */
export function quoted(text: string): string {
  return text.length <= limits.quotedCharsMax ? text : `${text.slice(0, limits.quotedCharsMax).toWellFormed()}...`;
}
