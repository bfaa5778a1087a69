/** Text to Filter: the grammar of RFC 7644 section 3.4.2.2, by recursive descent, in a time linear in the text. */
import { lowerAscii } from "../../../platform/address.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { type AttributePath, attributePath, lastOf, pathBelow, pathText, withValue } from "./attribute-path.ts";
import { comparedText, timeOf } from "./compared-value.ts";
import { type Compare, type Filter, type Operator, operators } from "./filter.ts";
import type { Attribute } from "./schema.ts";

/**
 * Reads a whole filter. `not` binds before `and`, `and` before `or`; operators and attribute names in any case. Beyond the
 * grammar, as Entra ID sends it: `emails[type eq "work"].value eq "x"`. Refuses FILTER_INVALID, with the place: an unknown
 * attribute, an operator that its type does not have, more than 4 KB, 64 terms or 16 levels.
 */
export function parseFilter(text: string): Filter {
  if (Buffer.byteLength(text) > limits.scimFilterBytesMax) throw invalid(`A filter has at most ${limits.scimFilterBytesMax} bytes`);
  const source = openSource(text);
  const filter = parseOr(source, undefined);
  if (source.peek().kind !== "end") throw source.wrong("the end, 'and' or 'or'");
  return filter;
}

/** Reads a filter in brackets after a path; the source stands behind the bracket afterwards. */
export function parseBracketed(text: string, at: number, attribute: Attribute): { readonly filter: Filter; readonly end: number } {
  const source = openSource(text, at);
  const filter = parseOr(source, attribute);
  if (source.peek().kind !== "]") throw source.wrong("']'");
  return { filter, end: source.place() + 1 };
}

type Token =
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "(" | ")" | "[" | "]" | "end" | "other" };

interface Source {
  peek(): Token;
  take(): Token;
  /** Where the token that peek() shows begins. */
  place(): number;
  /** Counts one term. */
  term(): void;
  /** Runs `inner` one level deeper. */
  deeper<T>(inner: () => T): T;
  wrong(expected: string): Refusal;
}

const wordShape = /[A-Za-z0-9_$+-][\w$.:+-]*/y;
const stringShape = /"(?:[^"\\]|\\.)*"/y;

function openSource(text: string, start = 0): Source {
  let begin = start;
  let end = start;
  let terms = 0;
  let depth = 0;
  let token: Token = { kind: "end" };

  function advance(): void {
    begin = end;
    while (text[begin] === " " || text[begin] === "\t") begin += 1;
    ({ token, end } = readToken(text, begin));
  }
  advance();
  return {
    peek: () => token,
    take() {
      const taken = token;
      advance();
      return taken;
    },
    place: () => begin,
    term() {
      terms += 1;
      if (terms > limits.scimFilterTermsMax) throw invalid(`A filter has at most ${limits.scimFilterTermsMax} terms`);
    },
    deeper(inner) {
      depth += 1;
      if (depth > limits.scimFilterDepthMax) throw invalid(`A filter is nested at most ${limits.scimFilterDepthMax} levels deep`);
      const result = inner();
      depth -= 1;
      return result;
    },
    wrong: (expected) => invalid(`The filter cannot be read: expected ${expected} at character ${begin + 1}`),
  };
}

function readToken(text: string, at: number): { token: Token; end: number } {
  const first = text[at];
  if (first === undefined) return { token: { kind: "end" }, end: at };
  if (first === "(" || first === ")" || first === "[" || first === "]") return { token: { kind: first }, end: at + 1 };
  const shape = first === '"' ? stringShape : wordShape;
  shape.lastIndex = at;
  // After a closing bracket a sub-attribute follows with its dot
  const found = first === "." ? undefined : shape.exec(text)?.[0];
  if (first === ".") return dotted(text, at);
  if (found === undefined) return { token: { kind: "other" }, end: at + 1 };
  if (first !== '"') return { token: { kind: "word", text: found }, end: at + found.length };
  const value = unquoted(found);
  return { token: value === undefined ? { kind: "other" } : { kind: "string", text: value }, end: at + found.length };
}

function dotted(text: string, at: number): { token: Token; end: number } {
  wordShape.lastIndex = at + 1;
  const found = wordShape.exec(text)?.[0];
  return found === undefined
    ? { token: { kind: "other" }, end: at + 1 }
    : { token: { kind: "word", text: `.${found}` }, end: at + 1 + found.length };
}

function unquoted(json: string): string | undefined {
  try {
    return JSON.parse(json) as string;
  } catch {
    return undefined;
  }
}

function parseOr(source: Source, below: Attribute | undefined): Filter {
  return parseChain(source, { word: "or", part: () => parseChain(source, { word: "and", part: () => parsePart(source, below) }) });
}

function parseChain(source: Source, of: { readonly word: "and" | "or"; readonly part: () => Filter }): Filter {
  const first = of.part();
  const parts = [first];
  while (isWord(source.peek(), of.word)) {
    source.take();
    parts.push(of.part());
  }
  return parts.length === 1 ? first : { kind: of.word, parts };
}

function isWord(token: Token, word: string): boolean {
  return token.kind === "word" && lowerAscii(token.text) === word;
}

function parsePart(source: Source, below: Attribute | undefined): Filter {
  const token = source.peek();
  if (token.kind === "(") return parseGroup(source, below);
  if (token.kind !== "word" || token.text.startsWith(".")) throw source.wrong("an attribute, 'not' or '('");
  source.take();
  if (lowerAscii(token.text) === "not" && source.peek().kind === "(") {
    return source.deeper(() => ({ kind: "not", filter: parseGroup(source, below) }));
  }
  return parseTerm(source, pathOf(token.text, below), below);
}

function parseGroup(source: Source, below: Attribute | undefined): Filter {
  return source.deeper(() => {
    source.take();
    const filter = parseOr(source, below);
    if (source.peek().kind !== ")") throw source.wrong("')'");
    source.take();
    return filter;
  });
}

function parseTerm(source: Source, path: AttributePath, below: Attribute | undefined): Filter {
  source.term();
  const token = source.take();
  if (token.kind === "[") {
    if (below !== undefined) throw invalid("A filter in brackets holds no other brackets");
    return parseValuePath(source, path);
  }
  const operator = token.kind === "word" ? lowerAscii(token.text) : "";
  if (operator === "pr") return { kind: "present", path };
  if (!operators.has(operator)) throw invalid(`The filter has no operator after '${pathText(path)}'`);
  return comparison(path, operator as Operator, source);
}

function parseValuePath(source: Source, path: AttributePath): Filter {
  const attribute = lastOf(path);
  if (!attribute.multi || !attribute.sub) throw invalid(`'${pathText(path)}' does not have several values to choose from`);
  const inner = source.deeper(() => parseOr(source, attribute));
  if (source.peek().kind !== "]") throw source.wrong("']'");
  source.take();
  const next = source.peek();
  if (next.kind !== "word" || !next.text.startsWith(".")) return { kind: "some", path, filter: inner };
  source.take();
  const term = parseTerm(source, pathOf(next.text.slice(1), attribute), attribute);
  return { kind: "some", path, filter: { kind: "and", parts: [inner, term] } };
}

function pathOf(text: string, below: Attribute | undefined): AttributePath {
  const path = below === undefined ? attributePath(text) : pathBelow(below, text);
  // The text is the caller's own; a long one is cut
  if (path === undefined) throw invalid(`The filter names the unknown attribute '${text.slice(0, limits.quotedCharsMax)}'`);
  return path;
}

function comparison(named: AttributePath, operator: Operator, source: Source): Compare {
  const path = withValue(named);
  if (path === undefined) throw invalid(`'${pathText(named)}' is complex: name one of its sub-attributes`);
  const attribute = lastOf(path);
  const token = source.take();
  const literal = literalOf(token);
  if (literal === undefined) {
    throw invalid(`The filter needs a value after '${pathText(named)} ${operator}': a text in quotes, true, false or null`);
  }
  if (literal === null) {
    if (operator !== "eq" && operator !== "ne") throw invalid(`'${operator}' cannot be asked of null`);
    return { kind: "compare", path, operator, value: null, text: "" };
  }
  return { kind: "compare", path, operator, value: valueFor(attribute, operator, literal), text: literal.text };
}

/** Undefined where the token is no value; a number is its text, which no attribute takes. */
function literalOf(token: Token): { readonly text: string; readonly quoted: boolean } | null | undefined {
  if (token.kind === "string") return { text: token.text, quoted: true };
  if (token.kind !== "word") return undefined;
  if (token.text === "null") return null;
  const known = token.text === "true" || token.text === "false" || /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(token.text);
  return known ? { text: token.text, quoted: false } : undefined;
}

const ofText: ReadonlySet<Operator> = new Set(["co", "sw", "ew"]);

function valueFor(attribute: Attribute, operator: Operator, literal: { text: string; quoted: boolean }): string | number | boolean {
  if (attribute.type === "boolean") return booleanFor(attribute, operator, literal.text);
  if (!literal.quoted) throw invalid(`'${attribute.name}' is compared with a text in quotes`);
  if (attribute.type !== "dateTime") return comparedText(attribute, operator, literal.text);
  if (ofText.has(operator)) throw invalid(`'${operator}' cannot be asked of the time '${attribute.name}'`);
  const at = timeOf(literal.text);
  if (at === undefined) throw invalid(`'${attribute.name}' is compared with a time such as "2026-11-20T12:00:00Z"`);
  return at;
}

/** In quotes too, as some clients send it. */
function booleanFor(attribute: Attribute, operator: Operator, text: string): boolean {
  const word = lowerAscii(text);
  if (operator !== "eq" && operator !== "ne") throw invalid(`'${operator}' cannot be asked of '${attribute.name}', which is true or false`);
  if (word !== "true" && word !== "false") throw invalid(`'${attribute.name}' is compared with true or false`);
  return word === "true";
}

function invalid(text: string): Refusal {
  return new Refusal("FILTER_INVALID", text);
}
