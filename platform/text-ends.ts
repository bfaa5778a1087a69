/** Takes characters off the ends of a text, each looked at once: a pattern for the end of a text starts anew at every place. */

/** The text without those of `characters` that stand at its end. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** The text without those of `characters` that stand at its beginning or end. */
export function withoutEnds(text: string, characters: string): string {
  const inner = withoutEnd(text, characters);
  let start = 0;
  while (start < inner.length && characters.includes(inner.charAt(start))) start += 1;
  return inner.slice(start);
}
