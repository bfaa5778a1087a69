/** Text that is raw to a browser, or is not, by what is around it: it must be the same either way where a rendering decides that. */
import { type DefaultTreeAdapterMap, Parser, type Token } from "parse5";
import { PageProblem } from "./page-problem.ts";

/** A start tag of raw text, as the parser read it. */
export interface RawTag {
  readonly tagName: string;
  readonly line: number | undefined;
  /** Where its text begins. */
  readonly end: number;
  readonly within: "raw text" | "a drawing" | "nothing known";
}

export function rawTag({ tokenizer, openElements }: Parser<DefaultTreeAdapterMap>, token: Token.TagToken): RawTag | undefined {
  if (!rawNames.has(token.tagName)) return undefined;
  const foreign = tokenizer.inForeignNode || !String(Reflect.get(openElements.current ?? {}, "namespaceURI")).endsWith("xhtml");
  const within = tokenizer.state !== textState ? "raw text" : foreign ? "a drawing" : "nothing known";
  return { tagName: token.tagName, line: token.location?.startLine, end: token.location?.endOffset ?? 0, within };
}

/** Throws PageProblem. `uneven`: the names of all tags, where a rendering opens or closes elements that another one does not. */
export function checkRawText(html: string, tags: readonly RawTag[], uneven: ReadonlySet<string>): void {
  for (const { tagName, line, end, within } of tags) {
    const changes = changing.some((name) => uneven.has(name) && (name !== "select" || tagName !== "script"));
    if (!changes && within !== "nothing known") continue;
    const next = html.indexOf("<", end);
    if (next === -1 || isEndTag(html, next, tagName)) continue;
    throw new PageProblem(
      line,
      `browsers may read what is within <${tagName}> in two ways, as it holds "<" and stands within or after ${changing.join(", ")}`,
    );
  }
}

/** Only that ends raw text. */
function isEndTag(html: string, at: number, tagName: string): boolean {
  const end = at + 2 + tagName.length;
  return html.slice(at, end).toLowerCase() === `</${tagName}` && /[ \t\n\f\r/>]/.test(html.charAt(end));
}

/** Within these raw text is not raw, or not in every browser; a script in a selection is. */
const changing = ["svg", "math", "frameset", "select"] as const;

const rawNames: ReadonlySet<string> = new Set(
  ["title", "textarea", "style", "script", "xmp", "iframe", "noembed", "noframes", "plaintext"],
);
const textState = new Parser().tokenizer.state;
