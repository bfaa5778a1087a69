/** DATA: where in HTML Liquid may stand, by the state of a tokenizer (HTML living standard, section 13.2.5). */
import { Parser } from "parse5";

export interface Place {
  /** The branches of a condition begin and end in one place. */
  readonly name: string;
  readonly within: "text" | "comment" | "raw" | "tag" | "quotes" | "before value" | "nowhere";
  /** A word is not ended: what comes next without a delimiter would be one with it. */
  readonly open: boolean;
  readonly takesTags: boolean;
  readonly takesOutputs: boolean;
}

export function placeOf(state: number): Place {
  return places.get(state) ?? nowhere;
}

/** Within a reference to a character: it is where the reference is. */
export function isReference(state: number): boolean {
  return references.has(state);
}

const nowhere: Place = { name: "nowhere", within: "nowhere", open: false, takesTags: false, takesOutputs: false };
const anywhere: Place = { name: "text", within: "text", open: false, takesTags: true, takesOutputs: true };
const tag: Place = { ...anywhere, name: "tag", within: "tag", takesOutputs: false };

const places: ReadonlyMap<number, Place> = new Map<number, Place>([
  ["", anywhere] as const,
  ...["<title>", "<style>", "<script>", "<script><!-- ", "<script><!-- <script> ", "<plaintext>"]
    .map((html) => [html, { ...anywhere, name: html, within: "raw" }] as const),
  ["<!-- ", { ...anywhere, name: "comment", within: "comment" }] as const,
  ["<!--", { ...anywhere, name: "comment", within: "comment", open: true }] as const,
  ["<p ", tag] as const,
  ["<p a ", tag] as const,
  ["<p a='b'", tag] as const,
  ["<p", { ...tag, open: true }] as const,
  ["<p a", { ...tag, open: true }] as const,
  ["<p a=b", { ...tag, open: true, takesOutputs: true }] as const,
  ["<p a=", { ...nowhere, name: "before value", within: "before value", takesOutputs: true }] as const,
  ...["<p a='", '<p a="'].map((html) => [html, { ...anywhere, name: html, within: "quotes" }] as const),
].map(([html, place]) => [stateAfter(html), place]));

const references: ReadonlySet<number> = new Set(["&", "&none"].map(stateAfter));

function stateAfter(html: string): number {
  const parser = new Parser({ scriptingEnabled: false });
  parser.tokenizer.write(html, false);
  return parser.tokenizer.state;
}
