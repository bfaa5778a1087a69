/** Stored HTML as a hosted page: read as a browser reads it, refused with the line where it would do harm, with warnings of what will not work. */
import type { DefaultTreeAdapterTypes } from "parse5";
import { limits } from "../../../platform/limits.ts";
import type { PageSettings } from "../domain/center.ts";
import { boundedTree } from "./bounded-tree.ts";
import { checkAttributes, remoteWarnings } from "./check-attributes.ts";
import { checkForms } from "./check-form.ts";
import { elements, rawText, withoutEnd } from "./html-names.ts";
import type { AddedHtml, Parsed } from "./liquid.ts";
import { isConditional, type MaskedPage, maskPage, type PagePart } from "./masked-page.ts";
import { attribute, type Element, lineOf, type PageKind, type Seen } from "./page-element.ts";
import { PageProblem } from "./page-problem.ts";
import { readHtml } from "./read-html.ts";

type Node = DefaultTreeAdapterTypes.Node;

export interface CheckedPage {
  readonly warnings: readonly string[];
  /** Where the head's own HTML goes, a place in the template's source. */
  readonly head: number;
  readonly hasDoctype: boolean;
  /** What it says of itself in its head, as far as that does not depend on the person. */
  readonly about: AboutPage;
  readonly hasTitle: boolean;
  /** What its forms say of what the page shows. */
  readonly marks: readonly AddedHtml[];
}

export interface AboutPage {
  readonly title?: string;
  /** As `lang` of the html tag. */
  readonly language?: string;
  /** The content of the viewport meta tag. */
  readonly viewport?: string;
}

/** Throws PageProblem. */
export function checkHtml(parsed: Parsed, kind: PageKind, settings: PageSettings): CheckedPage {
  checkEffort(parsed.source);
  const masked = maskPage(parsed);
  const cut: string[] = [];
  const { document, tags } = readHtml(masked, parsed.pieces, {
    onParseError({ code, startLine }) {
      if (code.startsWith("eof-")) cut.push(`line ${startLine}: the page ends within a tag or comment (${code})`);
    },
    treeAdapter: boundedTree(),
  });
  const found = elementsOf(document);
  const seen: Seen = { kind, masked, settings };
  for (const tag of tags) checkAttributes(tag, seen);
  for (const element of found) {
    if (rawText.has(element.tagName)) checkRaw(element, seen);
  }
  const { marks, warnings } = checkForms(found, seen);
  const title = found.find(({ tagName, namespaceURI }) => tagName === "title" && namespaceURI.endsWith("xhtml"));
  return {
    warnings: [...new Set([...warnings, ...parsed.warnings, ...cut, ...warningsOf(found, seen)])].slice(0, limits.pageWarningsMax),
    head: masked.sourcePlace(headPlace(document, found)),
    hasDoctype: document.childNodes.some(({ nodeName }) => nodeName === "#documentType"),
    hasTitle: title !== undefined,
    about: aboutPage(found, title, masked),
    marks,
  };
}

function aboutPage(found: readonly Element[], title: Element | undefined, masked: MaskedPage): AboutPage {
  const viewport = found.findLast((element) => element.tagName === "meta" && attribute(element, "name")?.toLowerCase() === "viewport");
  const html = found.find(({ tagName }) => tagName === "html");
  const said = {
    title: isFixed(title?.sourceCodeLocation, masked) && title && textOf(title).trim(),
    language: isFixed(html?.sourceCodeLocation?.attrs?.["lang"], masked) && html && attribute(html, "lang"),
    viewport: isFixed(viewport?.sourceCodeLocation?.attrs?.["content"], masked) && viewport && attribute(viewport, "content"),
  };
  return Object.fromEntries(
    Object.entries(said).filter(([, text]) => typeof text === "string" && text !== "" && masked.marks(text).length === 0),
  );
}

/** Whether no condition decides about a part of the page; false where there is none. */
function isFixed(part: PagePart | null | undefined, masked: MaskedPage): boolean {
  return part !== null && part !== undefined && !isConditional(masked, part);
}

function warningsOf(found: readonly Element[], seen: Seen): string[] {
  const warnings = new Set<string>();
  for (const element of found) {
    for (const warning of [...tagWarnings(element), ...remoteWarnings(element, seen)]) warnings.add(warning);
    if (warnings.size >= limits.pageWarningsMax) break;
  }
  return [...warnings];
}

/** Before anything is read: what any reading of it would cost. What its tags cost together is counted while they are read. */
function checkEffort(source: string): void {
  let tags = 0;
  let words = 0;
  let within = false;
  for (let at = 0; at < source.length; at += 1) {
    const char = source.charCodeAt(at);
    if (char === lessThan) tags += 1;
    const parts = char <= space || char === slash || char === quote || char === apostrophe;
    if (within && parts) words += 1;
    within = !parts;
  }
  if (tags > limits.pageElementsMax) throw new PageProblem(undefined, `it has more than ${limits.pageElementsMax} tags`);
  if (words > limits.pageWordsMax) throw new PageProblem(undefined, `it has more than ${limits.pageWordsMax} words and attributes`);
}

const [space, quote, apostrophe, slash, lessThan] = [0x20, 0x22, 0x27, 0x2f, 0x3c] as const;

/** Those that were written, in their order. */
function elementsOf(root: Node): Element[] {
  const found: Element[] = [];
  const waiting: Node[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if ("tagName" in node && node.sourceCodeLocation) found.push(node);
    if ("content" in node) waiting.push(node.content);
    if ("childNodes" in node) { for (const child of node.childNodes.toReversed()) waiting.push(child); }
  }
  return found;
}

/** What browsers make something of, though hardly what was meant. */
function tagWarnings(element: Element): string[] {
  const { tagName, namespaceURI, sourceCodeLocation: place } = element;
  const line = `line ${lineOf(element) ?? 1}`;
  const foreign = !namespaceURI.endsWith("xhtml");
  if (!foreign && !elements.has(tagName) && !/^[a-z][a-z0-9]*-[a-z0-9-]*$/.test(tagName) && tagName !== "svg" && tagName !== "math") {
    return [`${line}: unknown tag <${tagName.slice(0, 40)}>`];
  }
  return place?.endTag || withoutEnd.has(tagName) || foreign ? [] : [`${line}: the tag <${tagName}> is not closed`];
}

/** Within scripts and styles nothing can be escaped: only what is made of harmless characters may stand there. */
function checkRaw(element: Element, { masked }: Seen): void {
  if (masked.marks(textOf(element)).every(({ fixed }) => fixed)) return;
  throw new PageProblem(lineOf(element), `within <${element.tagName}> may stand states, field names and the submit URL only`);
}

function textOf(element: Element): string {
  return element.childNodes.map((node) => ("value" in node ? node.value : "")).join("");
}

/** After the start tag of the head, or of the document, or after the doctype, or at the beginning. */
function headPlace(document: DefaultTreeAdapterTypes.Document, found: readonly Element[]): number {
  const written = found.find(({ tagName }) => tagName === "head") ?? found.find(({ tagName }) => tagName === "html");
  if (written) return written.sourceCodeLocation?.startTag?.endOffset ?? 0;
  return document.childNodes.find(({ nodeName }) => nodeName === "#documentType")?.sourceCodeLocation?.endOffset ?? 0;
}
