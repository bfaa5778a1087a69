/** What a template may do, a closed list: which tags, how deep, and expressions that cannot multiply. Looked at before any of it is parsed. */
import { limits } from "../../../platform/limits.ts";
import { PageProblem } from "./page-problem.ts";

/** Throws PageProblem. Before the text is cut into pieces. */
export function checkLiquidSize(source: string): void {
  let pieces = 0;
  let chars = 0;
  for (let begin = nextOpen(source, 0); begin >= 0; begin = nextOpen(source, begin)) {
    const close = source.indexOf(source[begin + 1] === "{" ? "}}" : "%}", begin + 2);
    const end = close < 0 ? source.length : close + 2;
    pieces += 1;
    chars += end - begin;
    if (pieces > limits.pageTagsMax) throw new PageProblem(undefined, `it has more than ${limits.pageTagsMax} pieces of Liquid and text`);
    if (end - begin > limits.pageLiquidCharsMax) {
      throw new PageProblem(undefined, `a piece of Liquid is longer than ${limits.pageLiquidCharsMax} characters`);
    }
    if (chars > limits.pageLiquidCharsAllMax) {
      throw new PageProblem(undefined, `its Liquid is longer than ${limits.pageLiquidCharsAllMax} characters`);
    }
    begin = end;
  }
}

interface Named {
  readonly kind: "html" | "output" | "field" | "tag";
  readonly name: string;
  readonly text: string;
  readonly line: number;
}

/** Throws PageProblem. What stands in comments is not among the pieces. */
export function checkLiquid(pieces: readonly Named[]): void {
  let depth = 0;
  let assigned = 0;
  for (const { kind, name, text, line } of pieces) {
    if (kind === "html") continue;
    if (kind === "tag" && !tags.has(name)) throw new PageProblem(line, `unknown tag "${name}"`);
    if (kind === "tag" && blocks.has(name)) depth += 1;
    if (kind === "tag" && name.startsWith("end")) depth -= 1;
    if (depth > limits.pageLiquidDepthMax) {
      throw new PageProblem(line, `Liquid tags are nested more than ${limits.pageLiquidDepthMax} deep`);
    }
    if (withoutTexts(text).includes("(")) throw new PageProblem(line, "Liquid takes no ranges and no parentheses");
    if (kind === "tag" && name === "assign") {
      checkAssigned(text, line);
      assigned += 1;
    }
    if (assigned > limits.pageAssignsMax) throw new PageProblem(line, `it has more than ${limits.pageAssignsMax} assign tags`);
  }
}

/** What a page's own values are called stays theirs: the checks of addresses and scripts trust them. */
function checkAssigned(text: string, line: number): void {
  const name = /^\{%-?\s*assign\s+([\w-]+)\s*=/.exec(text)?.[1];
  if (name === undefined) throw new PageProblem(line, "assign takes a name, = and a value");
  if (reserved.has(name)) throw new PageProblem(line, `assign may not change "${name}"`);
}

/** No author writes it: the place of the head's own HTML. */
export const headTag = "heddle_head";
/** Nor this: the place in a form of what says which states the page shows. */
export const statesTag = "heddle_states";

const blocks: ReadonlySet<string> = new Set(["if", "unless", "case", "comment"]);
const tags: ReadonlySet<string> = new Set([
  ...blocks,
  ...[...blocks].map((name) => `end${name}`),
  "else",
  "elsif",
  "when",
  "assign",
]);
const reserved: ReadonlySet<string> = new Set([
  headTag,
  statesTag,
  "email_address",
  "preference_center_submit_url",
  "subscribed_state",
  "profile_field",
  "custom_attribute",
]);

function nextOpen(source: string, from: number): number {
  for (let at = source.indexOf("{", from); at >= 0; at = source.indexOf("{", at + 1)) {
    const next = source[at + 1];
    if (next === "{" || next === "%") return at;
  }
  return -1;
}

/** An expression without what it quotes. */
function withoutTexts(text: string): string {
  let rest = "";
  let quote = "";
  for (const char of text) {
    if (quote === "" && (char === "'" || char === '"')) quote = char;
    else if (quote === "") rest += char;
    else if (char === quote) quote = "";
  }
  return rest;
}
