/** Cuts a stream of bytes into lines that know where they stand, however long the file. A CR before the line feed stays. */

export interface Line {
  readonly text: string;
  /** Byte offset of the first byte, and of the first byte behind the line end. */
  readonly offset: number;
  readonly end: number;
  /** Counts from 1. */
  readonly line: number;
  /** Set instead of a text where the line cannot be read. */
  readonly error?: string;
}

const lineFeed = 0x0a;

/** The lines of the chunks. A line above `bytesMax` is not kept in memory and comes with an error. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let held = 0;
  let offset = 0;
  let line = 1;

  function take(end: number): Line {
    const found = { ...decode(parts, { held, bytesMax, first: line === 1 }), offset, end, line };
    parts = [];
    held = 0;
    offset = end;
    line += 1;
    return found;
  }

  let position = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, from)) {
      keep(chunk.subarray(from, at));
      from = at + 1;
      yield take(position + from);
    }
    keep(chunk.subarray(from));
    position += chunk.length;
  }
  if (offset < position) yield take(position);

  function keep(bytes: Uint8Array): void {
    held += bytes.length;
    if (held <= bytesMax && bytes.length > 0) parts.push(bytes);
  }
}

function decode(
  parts: readonly Uint8Array[],
  options: { held: number; bytesMax: number; first: boolean },
): { text: string; error?: string } {
  if (options.held > options.bytesMax) return { text: "", error: `The line is longer than ${options.bytesMax} bytes` };
  const whole = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  try {
    // A byte order mark may open a file; within it, U+FEFF is a character like others.
    return { text: (options.first ? openingDecoder : decoder).decode(whole) };
  } catch {
    return { text: "", error: "The line is not valid UTF-8" };
  }
}

const openingDecoder = new TextDecoder("utf-8", { fatal: true });
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
