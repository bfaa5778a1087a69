/** Finds the word that a person meant: the nearest of a list, where it is near enough to be worth naming. */

/** The candidate within two edits (one for short words) of `word`, letters' case aside; undefined when none is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: edits(plain(word), plain(candidate)) }))
    .sort((a, b) => a.edits - b.edits)[0];
  const most = word.length < 5 ? 1 : 2;
  return ranked && ranked.edits <= most ? ranked.candidate : undefined;
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[_\-. ]/g, "");
}

/** Insertions, deletions and replacements between two words (Levenshtein). */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
