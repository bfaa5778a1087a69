/** What changed between two texts, line by line, in the form of a unified diff without its heading. */

/**
 * Empty where the texts are equal. Equal lines at both ends are left out but for three on each side; the lines between are
 * compared by their longest common subsequence where that is affordable, and are shown as replaced whole where it is not.
 */
export function lineDiff(from: string, to: string): string {
  if (from === to) return "";
  const [before, after] = [linesOf(from), linesOf(to)];
  const head = equalLines(before, after);
  const tail = equalLines(before.slice(head).reverse(), after.slice(head).reverse());
  const context = Math.max(0, head - contextLines);
  const changed = changes(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  const following = before.slice(before.length - tail, before.length - tail + contextLines);
  const lines = [...before.slice(context, head).map(same), ...changed, ...following.map(same)];
  const counts = [lines.filter((line) => line[0] !== "+").length, lines.filter((line) => line[0] !== "-").length];
  return [`@@ -${context + 1},${counts[0]} +${context + 1},${counts[1]} @@`, ...lines].join("\n");
}

const contextLines = 3;
/** Cells of the table of common subsequences: 4 million are 16 MB and some 20 ms. */
const cellsMax = 4_000_000;

/** From the beginning of both. */
function equalLines(left: readonly string[], right: readonly string[]): number {
  const shorter = Math.min(left.length, right.length);
  let count = 0;
  while (count < shorter && left[count] === right[count]) count += 1;
  return count;
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}

function same(line: string): string {
  return ` ${line}`;
}

function changes(before: readonly string[], after: readonly string[]): string[] {
  if ((before.length + 1) * (after.length + 1) > cellsMax) return [...before.map(gone), ...after.map(come)];
  const shared = sharedLengths(before, after);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    const [was, now] = [before[i] ?? "", after[j] ?? ""];
    if (was === now) {
      lines.push(same(was));
      i += 1;
      j += 1;
    } else if (shared(i + 1, j) >= shared(i, j + 1)) {
      lines.push(gone(was));
      i += 1;
    } else {
      lines.push(come(now));
      j += 1;
    }
  }
  return [...lines, ...before.slice(i).map(gone), ...after.slice(j).map(come)];
}

/** How many lines the rests of both have in common, from a place in each. */
function sharedLengths(before: readonly string[], after: readonly string[]): (i: number, j: number) => number {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  function at(i: number, j: number): number {
    return lengths[i * width + j] ?? 0;
  }
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return at;
}

function gone(line: string): string {
  return `-${line}`;
}

function come(line: string): string {
  return `+${line}`;
}
