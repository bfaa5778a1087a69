/** Elements of a page as the checks read them. */
import type { DefaultTreeAdapterTypes } from "parse5";
import type { PageSettings } from "../domain/center.ts";
import type { MaskedPage } from "./masked-page.ts";

export type Element = DefaultTreeAdapterTypes.Element;

/** The page people choose on must have a form that works; the redirect page alone may lead elsewhere by itself. */
export type PageKind = "page" | "confirmation" | "redirect";

/** A start tag as it is written, wherever the tree puts its element. */
export interface WrittenTag {
  readonly tagName: string;
  readonly line: number | undefined;
  readonly attrs: readonly { readonly name: string; readonly value: string }[];
}

export interface Seen {
  readonly kind: PageKind;
  readonly masked: MaskedPage;
  readonly settings: PageSettings;
}

/** From 1, where the start tag begins. */
export function lineOf(element: Element): number | undefined {
  return element.sourceCodeLocation?.startLine;
}

export function attribute(element: Element, wanted: string): string | undefined {
  return element.attrs.find(({ name }) => name === wanted)?.value;
}
