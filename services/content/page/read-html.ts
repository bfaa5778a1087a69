/** The HTML of a page read piece by piece with its Liquid, which may stand only where no rendering of it changes what the HTML around it is. */
import { type DefaultTreeAdapterMap, type DefaultTreeAdapterTypes, Parser, type ParserError, type Token, type TreeAdapter } from "parse5";
import { isReference, type Place, placeOf } from "./liquid-place.ts";
import { opening, type Piece } from "./liquid.ts";
import type { MaskedPage } from "./masked-page.ts";
import type { WrittenTag } from "./page-element.ts";
import { PageProblem } from "./page-problem.ts";
import { checkRawText, type RawTag, rawTag } from "./raw-text.ts";

interface ReadPage {
  readonly document: DefaultTreeAdapterTypes.Document;
  /** Each start tag, also one that the tree has no place for, with each attribute, also one that is there twice: another rendering may use it. */
  readonly tags: readonly WrittenTag[];
}

interface Reading {
  readonly treeAdapter: TreeAdapter<DefaultTreeAdapterMap>;
  onParseError(error: ParserError): void;
}

/** Throws PageProblem. */
export function readHtml({ parts }: MaskedPage, pieces: readonly Piece[], { treeAdapter, onParseError }: Reading): ReadPage {
  const parser = new TagParser({
    sourceCodeLocationInfo: true,
    scriptingEnabled: false,
    treeAdapter,
    onParseError(error) {
      if (error.code === "duplicate-attribute") parser.keepAttribute();
      onParseError(error);
    },
  });
  const places = new LiquidPlaces(parser, pieces);
  const { tokenizer } = parser;
  const html = parts.join("");
  let end = 0;
  for (const [at, part] of parts.entries()) {
    places.check(at);
    end += part.length;
    // As write() would, which copies what is not parsed yet each time
    tokenizer.preprocessor.html = html.slice(tokenizer.preprocessor.droppedBufferSize, end);
    tokenizer.write("", false);
  }
  tokenizer.write("", true);
  parser.checkRaw(html, places.uneven);
  return { document: parser.document, tags: parser.written() };
}

class TagParser extends Parser<DefaultTreeAdapterMap> {
  readonly #tags: Token.TagToken[] = [];
  readonly #raw: RawTag[] = [];
  readonly #twice = new Map<unknown, Token.Attribute[]>();

  override onStartTag(token: Token.TagToken): void {
    this.#tags.push(token);
    super.onStartTag(token);
    const raw = rawTag(this, token);
    if (raw) this.#raw.push(raw);
  }

  /** `uneven`: there is a branch that opens or closes elements. */
  checkRaw(html: string, uneven: boolean): void {
    checkRawText(html, this.#raw, new Set(uneven ? this.#tags.map(({ tagName }) => tagName) : []));
  }

  /** The names of the elements that are open. */
  open(): string {
    return this.openElements.items.slice(0, this.openElements.stackTop + 1).map(({ nodeName }) => nodeName).join(" ");
  }

  /** The one being read, which the parser leaves out. */
  keepAttribute(): void {
    const { currentToken, currentAttr } = stateOf(this);
    const kept = this.#twice.get(currentToken);
    if (kept) kept.push(currentAttr);
    else this.#twice.set(currentToken, [currentAttr]);
  }

  written(): WrittenTag[] {
    return this.#tags.map((tag) => ({
      tagName: tag.tagName,
      line: tag.location?.startLine,
      attrs: [...tag.attrs, ...(this.#twice.get(tag) ?? [])],
    }));
  }
}

/** What the library's tokenizer knows of where it is. */
interface TokenizerState {
  readonly state: number;
  readonly returnState: number;
  readonly currentToken: Token.Token | null;
  readonly currentAttr: Token.Attribute;
  readonly lastStartTagName: string;
}

function stateOf({ tokenizer }: Parser<DefaultTreeAdapterMap>): TokenizerState {
  return tokenizer as unknown as TokenizerState;
}

interface Spot extends Place {
  /** Which tag, which attribute or which element of raw text it is within. */
  readonly of: unknown;
}

interface Block {
  readonly begin: Spot;
  /** The elements that are open there. */
  readonly elements: string;
  /** Whether a word may be open where its branches begin, and where one of them ended. */
  readonly openBefore: boolean;
  openAfter: boolean;
}

/** Follows each rendering at once: all branches are in one place, and what may stand side by side is told by what may be open. */
class LiquidPlaces {
  readonly #parser: TagParser;
  readonly #pieces: readonly Piece[];
  readonly #blocks: Block[] = [];
  /** In some rendering what comes next stands directly behind a word of a tag, or behind an output in a comment. */
  #open = false;

  /** A branch ended with other elements open than where it began. */
  uneven = false;

  constructor(parser: TagParser, pieces: readonly Piece[]) {
    this.#parser = parser;
    this.#pieces = pieces;
  }

  /** Throws PageProblem where this piece may not stand where the parser has come to. */
  check(at: number): void {
    const piece = this.#pieces[at];
    if (piece === undefined) return;
    if (piece.kind === "html") this.#checkHtml(piece, this.#pieces[at - 1]?.kind);
    else if (piece.kind === "tag") this.#checkTag(piece);
    else this.#checkOutput(piece, at);
  }

  #checkHtml({ text, line }: Piece, before: Piece["kind"] | undefined): void {
    const { within } = this.#spot();
    if (this.#open && within === "tag" && !delimiter.test(text)) throw misplaced(line);
    if (this.#open && within === "comment" && endsComment(text)) throw misplaced(line);
    if (before === "tag" && within === "tag" && equals.test(text)) throw misplaced(line);
    this.#open = false;
  }

  #checkTag({ name, line }: Piece): void {
    const spot = this.#spot();
    if (!spot.takesTags) throw misplaced(line);
    this.#open ||= spot.open;
    if (opening.has(name)) this.#blocks.push({ begin: spot, elements: this.#parser.open(), openBefore: this.#open, openAfter: false });
    const ends = closing.has(name);
    const block = this.#blocks.at(-1);
    if (block === undefined || !(ends || branching.has(name))) return;
    if (block.begin.name !== spot.name || block.begin.of !== spot.of) {
      throw new PageProblem(line, "a branch of Liquid must end where it began: in text, within the same tag or within the same quotes");
    }
    this.uneven ||= block.elements !== this.#parser.open();
    block.openAfter ||= this.#open;
    this.#open = block.openBefore || (ends && block.openAfter);
    if (ends) this.#blocks.pop();
  }

  #checkOutput({ kind, text, line }: Piece, at: number): void {
    const { within, takesOutputs } = this.#spot();
    if (!takesOutputs) {
      throw within === "tag" ? new PageProblem(line, "Liquid output may not make the name of an attribute") : misplaced(line);
    }
    const unquoted = within === "before value" || within === "tag";
    const mayBeNothing = within === "before value" && kind === "output";
    if ((unquoted && text.includes("\n")) || (mayBeNothing && !isWholeAttribute(this.#textAfter(at)))) {
      throw new PageProblem(line, "Liquid output that makes the value of an attribute must stand in quotes, as it may be empty");
    }
    this.#open = within === "comment";
  }

  #spot(): Spot {
    const { state, returnState, currentToken, currentAttr, lastStartTagName } = stateOf(this.#parser);
    const place = placeOf(isReference(state) ? returnState : state);
    const parts: Partial<Record<Place["within"], unknown>> = { tag: currentToken, quotes: currentAttr, raw: lastStartTagName };
    return { ...place, of: parts[place.within] };
  }

  /** As far as it matters; a quote stands for a tag, as that may be nothing. */
  #textAfter(at: number): string {
    const next = this.#pieces.slice(at + 1, at + 8);
    return next.map(({ kind, text }) => (kind === "html" ? text.slice(0, 1_000) : kind === "tag" ? '"' : "x")).join("");
  }
}

const branching: ReadonlySet<string> = new Set(["else", "elsif", "when"]);
const closing: ReadonlySet<string> = new Set(["endif", "endunless", "endcase"]);

/** What ends a word in a tag, also a value without quotes. */
const delimiter = /^(?:[ \t\n\f\r]|\/?>)/;
const equals = /^[ \t\n\f\r]*=/;

/** Behind hyphens that an output put there. Where the comment ends anyway, it does. */
function endsComment(text: string): boolean {
  return !text.startsWith("-->") && /^[-!]*(?:>|$)/.test(text);
}

/** What a value that is empty takes in its place: nothing, or the next attribute as a whole. */
function isWholeAttribute(text: string): boolean {
  if (/^[^\s"'<>=/]/.test(text)) return true;
  const found = nothingOrAttribute.exec(text)?.[0];
  if (found === undefined || found.endsWith(">")) return found !== undefined;
  const rest = text.slice(found.length);
  return /^[ \t\n\f\r>]/.test(rest) && !equals.test(rest);
}

/** The end of the tag, or an attribute; none has a ">". */
const nothingOrAttribute = /^[ \t\n\f\r]*(?:\/?>|[^\s"'<>=/]+(?:=(?:"[^"\s>]*"|'[^'\s>]*'|[^\s"'>]+))?)/;

function misplaced(line: number): PageProblem {
  return new PageProblem(
    line,
    "Liquid may not stand here: it may stand in text, within quotes and, with white space before and after it, between attributes",
  );
}
