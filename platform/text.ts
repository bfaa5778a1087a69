/** What a text may be, at every door: one that stores keep as it is, and as long as people count it. */

/** A NUL ends texts early in too many stores, and parts the two halves of an alias's key; half a surrogate pair is no text: two ids would become one. */
export function isStorable(text: string): boolean {
  return !text.includes("\u0000") && text.isWellFormed();
}

/** Whether the text has at most so many characters (Unicode code points). */
export function hasAtMostChars(text: string, charsMax: number): boolean {
  if (text.length <= charsMax) return true;
  if (text.length > charsMax * 2) return false;
  let chars = 0;
  for (const _ of text) chars += 1;
  return chars <= charsMax;
}
