/** Shows how far a long command is: a bar where a person watches, a plain line now and then where a file does. */

export interface ProgressBar {
  /** `part` of `whole`, with a word on what was done. Draws at most ten times a second, plain lines every ten seconds. */
  show(part: number, whole: number, text: string): void;
  /** What was done, where nobody knows how much there is. */
  say(text: string): void;
  /** Wipes the bar, so that what is printed next stands on a line of its own. */
  clear(): void;
}

const width = 30;
const drawEveryMs = 100;
const lineEveryMs = 10_000;

export function openProgressBar(stream: NodeJS.WriteStream, now: () => number): ProgressBar {
  let drawnAt = stream.isTTY ? Number.NEGATIVE_INFINITY : now();
  function say(text: string): void {
    if (now() - drawnAt < (stream.isTTY ? drawEveryMs : lineEveryMs)) return;
    drawnAt = now();
    stream.write(stream.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
  }
  return {
    say,
    show(part, whole, text) {
      const ratio = whole === 0 ? 1 : Math.min(1, part / whole);
      const percent = `${Math.floor(ratio * 100)}%`.padStart(4);
      const filled = Math.round(ratio * width);
      say(stream.isTTY ? `[${"=".repeat(filled)}${" ".repeat(width - filled)}]${percent}  ${text}` : `${percent.trim()}  ${text}`);
    },
    clear() {
      if (stream.isTTY) stream.write("\r\u001b[K");
    },
  };
}
