/** Shows how far a long command is: a bar where a person watches, a plain line now and then where a file does. */

export interface ProgressBar {
  /** `part` of `whole`, with a word on what was done. Draws at most ten times a second, plain lines every ten seconds. */
  show(part: number, whole: number, text: string): void;
  /** Wipes the bar, so that what is printed next stands on a line of its own. */
  clear(): void;
}

const width = 30;
const drawEveryMs = 100;
const lineEveryMs = 10_000;

export function openProgressBar(stream: NodeJS.WriteStream, now: () => number): ProgressBar {
  let drawnAt = stream.isTTY ? Number.NEGATIVE_INFINITY : now();
  return {
    show(part, whole, text) {
      if (now() - drawnAt < (stream.isTTY ? drawEveryMs : lineEveryMs)) return;
      drawnAt = now();
      const ratio = whole === 0 ? 1 : Math.min(1, part / whole);
      const percent = `${Math.floor(ratio * 100)}%`.padStart(4);
      const filled = Math.round(ratio * width);
      stream.write(
        stream.isTTY ? `\r\u001b[K[${"=".repeat(filled)}${" ".repeat(width - filled)}]${percent}  ${text}` : `${percent.trim()}  ${text}\n`,
      );
    },
    clear() {
      if (stream.isTTY) stream.write("\r\u001b[K");
    },
  };
}
