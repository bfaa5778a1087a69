/** Stands in for test/raw.ts before a mesh that runs already: the secrets in a request are those of this run. */
import { type RawAnswer, rawExchange as exchange } from "../../raw.ts";
import { names } from "./this-file.ts";

export { head, type RawAnswer } from "../../raw.ts";

export function rawExchange(url: string, pieces: Iterable<string | Uint8Array>, waitMs?: number): Promise<RawAnswer> {
  return exchange(url, owned(pieces), waitMs);
}

function* owned(pieces: Iterable<string | Uint8Array>): Iterable<string | Uint8Array> {
  for (const piece of pieces) yield typeof piece === "string" ? names.request(piece) : piece;
}
