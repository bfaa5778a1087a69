/** The slow second look at a refused JSON text: where it stops being JSON, or which key comes twice. */

export type JsonFinding =
  | { readonly kind: "syntax"; readonly at: number; readonly expected: string }
  | { readonly kind: "repeated"; readonly at: number; readonly key: string };

/**
 * The first thing wrong in the first `charsMax` characters of `text`, with the index of its character; undefined where nothing is.
 * Never recurses.
 */
export function inspectJson(text: string, charsMax = Infinity): JsonFinding | undefined {
  if (text.length <= charsMax) return inspectWhole(text);
  const start = text.slice(0, charsMax);
  const found = inspectWhole(start);
  return found?.kind === "syntax" && mayEndLater(start, found.at) ? undefined : found;
}

/** What was found at `at` may be there only because the text was cut. */
function mayEndLater(start: string, at: number): boolean {
  return start.length - at <= literalCharsMax || (start[at] === '"' && stringEnd(start, at) === undefined);
}

/** Of `false`, or the end of a number. */
const literalCharsMax = 5;
const escapeCharsMax = 6;

function inspectWhole(text: string): JsonFinding | undefined {
  // One entry for each open bracket: the keys of an object so far, undefined for an array
  const open: (Set<string> | undefined)[] = [];
  let state: State = "value";
  let at = skipSpace(text, 0);
  while (state !== "end") {
    const keys = open.at(-1);
    const step = take(text, at, state);
    if (typeof step === "string") return { kind: "syntax", at, expected: step };
    if (step.key !== undefined) {
      if (keys?.has(step.key)) return { kind: "repeated", at, key: step.key };
      keys?.add(step.key);
    }
    if (step.opens === "{") open.push(new Set());
    if (step.opens === "[") open.push(undefined);
    if (step.closes && open.pop() === undefined && step.closes === "}") return undefined;
    state = step.next ?? afterValue(open);
    at = skipSpace(text, step.to);
  }
  return at < text.length ? { kind: "syntax", at, expected: "the end" } : undefined;
}

type State = "value" | "valueOrEnd" | "key" | "keyOrEnd" | "colon" | "afterMember" | "afterItem" | "end";

interface Step {
  readonly to: number;
  /** Absent where a value just ended: what comes next depends on what is open. */
  readonly next?: State;
  readonly key?: string;
  readonly opens?: "{" | "[";
  readonly closes?: "}" | "]";
}

function afterValue(open: readonly (Set<string> | undefined)[]): State {
  if (open.length === 0) return "end";
  return open.at(-1) ? "afterMember" : "afterItem";
}

/** Takes what `state` allows at `at`; a text says what was expected there instead. */
function take(text: string, at: number, state: State): Step | string {
  const char = text[at];
  switch (state) {
    case "colon":
      return char === ":" ? { to: at + 1, next: "value" } : '":"';
    case "afterMember":
      if (char === "}") return { to: at + 1, closes: char };
      return char === "," ? { to: at + 1, next: "key" } : '"," or "}"';
    case "afterItem":
      if (char === "]") return { to: at + 1, closes: char };
      return char === "," ? { to: at + 1, next: "value" } : '"," or "]"';
    case "key":
    case "keyOrEnd":
      if (char === "}" && state === "keyOrEnd") return { to: at + 1, closes: char };
      return takeKey(text, at);
    default:
      if (char === "]" && state === "valueOrEnd") return { to: at + 1, closes: char };
      return takeValue(text, at);
  }
}

function takeKey(text: string, at: number): Step | string {
  const to = text[at] === '"' ? stringEnd(text, at) : undefined;
  if (to === undefined || to < 0) return "a key in double quotes";
  return { to, next: "colon", key: JSON.parse(text.slice(at, to)) as string };
}

const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

function takeValue(text: string, at: number): Step | string {
  const char = text[at];
  if (char === "{") return { to: at + 1, next: "keyOrEnd", opens: char };
  if (char === "[") return { to: at + 1, next: "valueOrEnd", opens: char };
  if (char === '"') {
    const to = stringEnd(text, at);
    return to === undefined || to < 0 ? "a text that ends and holds no raw control character or wrong escape" : { to };
  }
  scalar.lastIndex = at;
  return scalar.test(text) ? { to: scalar.lastIndex } : "a value";
}

const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** The index behind the closing quote; -1 where the text in quotes is not one, undefined where it does not end. */
function stringEnd(text: string, start: number): number | undefined {
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return -1;
    escape.lastIndex = at;
    if (code === 0x5c && !escape.test(text)) return text.length - at < escapeCharsMax ? undefined : -1;
    at = code === 0x5c ? escape.lastIndex : at + 1;
  }
  return undefined;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\t" || text[at] === "\r") at += 1;
  return at;
}
