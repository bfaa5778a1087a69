/** Bytes over a plain socket, for requests that no HTTP client would send. */
import { connect } from "node:net";

/** Writes the pieces in turn and gives all that came back until the server closed, an answer was complete, or `waitMs` passed. */
export function rawExchange(url: string, pieces: Iterable<string | Uint8Array>, waitMs = 5_000): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((done) => {
    const socket = connect(Number(port), hostname);
    let text = "";
    const late = setTimeout(() => finish(false), waitMs);
    function finish(closed: boolean): void {
      clearTimeout(late);
      socket.destroy();
      done({ text, closed, statuses: [...text.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)].map((match) => Number(match[1])) });
    }
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      text += String(chunk);
    });
    socket.on("error", () => finish(true));
    socket.on("close", () => finish(true));
    socket.on("connect", () => void send(pieces[Symbol.iterator]()));
    function answered(): boolean {
      return socket.destroyed || text !== "";
    }
    async function send(rest: Iterator<string | Uint8Array>): Promise<void> {
      for (let next = rest.next(); !next.done && !answered(); next = rest.next()) {
        await new Promise<void>((written) => socket.write(next.value, () => written()));
      }
    }
  });
}

/** The head of a request with a key, `\r\n` line ends and the closing empty line. */
export function head(start: string, headers: readonly string[]): string {
  return [start, ...headers, "", ""].join("\r\n");
}

export interface RawAnswer {
  readonly text: string;
  /** True when the server closed the connection. */
  readonly closed: boolean;
  readonly statuses: readonly number[];
}
