/**
 * A process with nothing but node:http, which does with a body the least that any server could: what a request costs beyond this is Heddle's
 * own. The header `x-least` says what that is, `x-bytes-max` how many bytes a body may have.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";

/** head: answered without its body. read: joined and decoded. unfold: from gzip. scan: each byte looked at once. parse: made values of, too. */
export type Least = "head" | "read" | "unfold" | "scan" | "parse";

/** What lives in the memory of any server, some 30 MB: what arrives makes the collector look through it now and then. */
const ballast = Array.from({ length: 250_000 }, (_, at) => ({ at, text: `${at}` }));

const server = createServer({ maxHeaderSize: 64 * 1024 }, answer);
server.maxHeadersCount = 0;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`Heddle bare-server is listening on http://127.0.0.1:${typeof address === "object" ? address?.port : 0}\n`);
});
process.once("SIGTERM", () => process.exit(0));

function answer(message: IncomingMessage, response: ServerResponse): void {
  const least = String(message.headers["x-least"]) as Least;
  if (least === "head") return end(response);
  const bytesMax = Number(message.headers["x-bytes-max"]);
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  message.on("error", () => {});
  message.on("data", (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes <= bytesMax) return void chunks.push(chunk);
    chunks = [];
    end(response);
  });
  message.on("end", () => {
    take(Buffer.concat(chunks), least, bytesMax);
    end(response);
  });
}

function take(body: Buffer, least: Least, bytesMax: number): void {
  try {
    const text = (least === "unfold" ? gunzipSync(body, { maxOutputLength: bytesMax }) : body).toString();
    if (least === "scan" || least === "parse") commasOf(body);
    if (least === "parse") JSON.stringify(JSON.parse(text));
  } catch {
    // Too large, or no JSON: both are known by trying
  }
}

function commasOf(bytes: Uint8Array): number {
  let commas = 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === 0x2c) commas += 1;
  return commas;
}

function end(response: ServerResponse): void {
  if (response.writableEnded) return;
  response.writeHead(200, { "Content-Length": 2, Connection: "close" });
  response.end(`${ballast.length}`.slice(-2));
}
