/** What the options of a center put into the head of its pages. */
import { escapeText } from "../../../platform/escape-html.ts";
import type { PageOptions } from "../domain/center.ts";

export function headOf({ viewport, linkTags }: PageOptions): string {
  const meta = viewport === undefined ? [] : [`<meta name="viewport" content="${escapeText(viewport)}">`];
  const links = linkTags.map((tag) => {
    const attributes = Object.entries(tag).map(([name, value]) => ` ${name}="${escapeText(value)}"`);
    return `<link${attributes.join("")}>`;
  });
  return [...meta, ...links].join("\n");
}
