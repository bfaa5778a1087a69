/** Texts as HTML. */

/** For text and quoted attributes of pages that we write. */
export function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}

/** For pages that others write: safe in text and in attributes, quoted or not, as all but letters, digits and a few marks become references. */
export function escapeAnywhere(value: unknown): string {
  return String(value ?? "").replaceAll(/[^\p{L}\p{N}@._-]/gu, (mark) => `&#${mark.codePointAt(0)};`);
}
