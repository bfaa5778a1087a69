/** A template as the HTML parser may read it: Liquid is replaced by marks, and every mark and place leads back to its source. */
import { opening, type Parsed, type Piece } from "./liquid.ts";

export interface MaskedPage {
  /** Of each piece. */
  readonly parts: readonly string[];
  /** The outputs and field names that a text holds. */
  marks(text: string): Piece[];
  /** The name of the one mark that is all of the text; undefined for any other text. */
  onlyMark(text: string): Piece | undefined;
  /** The Liquid tags between two places in the parts together: a condition is one that opens and one that closes. */
  tagsWithin(begin: number, end: number): Piece[];
  /** The place in the template's source of a place in the parts together. */
  sourcePlace(place: number): number;
}

/** Whether a condition that begins behind `from` stands around where a part of the page begins, or Liquid tags stand in the part. */
export function isConditional({ tagsWithin }: MaskedPage, { startOffset, endOffset }: PagePart, from = 0): boolean {
  const before = tagsWithin(from, startOffset);
  const begun = before.filter(({ name }) => opening.has(name)).length;
  const ended = before.filter(({ name }) => name.startsWith("end") && opening.has(name.slice("end".length))).length;
  return begun > ended || tagsWithin(startOffset, endOffset).length > 0;
}

/** By places in the parts together. */
export interface PagePart {
  readonly startOffset: number;
  readonly endOffset: number;
}

const first = "\uE000";
const last = "\uE001";

export function maskPage({ pieces }: Pick<Parsed, "pieces">): MaskedPage {
  const parts: string[] = [];
  const starts: { readonly masked: number; readonly piece: Piece }[] = [];
  let length = 0;
  for (const [at, piece] of pieces.entries()) {
    const text = maskOf(piece, at);
    starts.push({ masked: length, piece });
    parts.push(text);
    length += text.length;
  }
  const tags = starts.filter(({ piece }) => piece.kind === "tag");
  function marks(text: string): Piece[] {
    return [...text.matchAll(/\uE000(\d+)\uE001/g)].flatMap(([, at]) => pieces[Number(at)] ?? []);
  }
  return {
    parts,
    marks,
    onlyMark: (text) => (/^\s*\uE000\d+\uE001\s*$/.test(text) ? marks(text)[0] : undefined),
    tagsWithin(begin, end) {
      return tags.filter(({ masked }) => masked >= begin && masked < end).map(({ piece }) => piece);
    },
    sourcePlace(place) {
      const at = starts.findLastIndex(({ masked }) => masked <= place);
      const [before, found] = [starts[at - 1], starts[at]];
      // What ends here ends before a comment that was left out
      if (found?.masked === place && before?.piece.kind === "html") return before.piece.begin + (place - before.masked);
      return found === undefined ? 0 : found.piece.begin + (found.piece.kind === "html" ? place - found.masked : 0);
    },
  };
}

/** As many lines as the piece has; a private mark that the author wrote is replaced, as it is none of ours. */
function maskOf({ kind, text }: Piece, at: number): string {
  if (kind === "html") return text.replaceAll(/[\uE000\uE001]/g, "?");
  const breaks = "\n".repeat(text.split("\n").length - 1);
  return kind === "tag" ? ` ${breaks}` : `${first}${at}${last}${breaks}`;
}
