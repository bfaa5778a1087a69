/** Says how far a move is: one line that changes where a person watches, a line for each kind of row where a file does. */

export interface MoveProgress {
  /** From now on rows of this kind are copied. */
  begin(what: string): void;
  moved(count: number): void;
  /** Ends the last kind. */
  end(): void;
}

const drawEveryMs = 100;
const lineEveryMs = 10_000;

export function openMoveProgress(stream: NodeJS.WriteStream, now: () => number): MoveProgress {
  let kind = { what: "", count: 0 };
  let drawnAt = Number.NEGATIVE_INFINITY;
  function line(): string {
    return `Copying ${kind.what}${kind.count === 0 ? "" : `: ${kind.count}`}`;
  }
  function draw(): void {
    drawnAt = now();
    stream.write(stream.isTTY ? `\r\u001b[K${line()}` : `${line()}\n`);
  }
  function end(): void {
    if (kind.what !== "" && stream.isTTY) stream.write("\r\u001b[K");
    kind = { what: "", count: 0 };
  }
  return {
    begin(what) {
      end();
      kind = { what, count: 0 };
      draw();
    },
    moved(count) {
      kind.count += count;
      if (now() - drawnAt >= (stream.isTTY ? drawEveryMs : lineEveryMs)) draw();
    },
    end,
  };
}
