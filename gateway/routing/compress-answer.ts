/**
 * Large answers to reads for holders of a key or token, compressed as the client likes it best. Nothing else is: what stands behind a
 * link holds the link's secret beside what the caller chose, and the length of both together would leak the secret (BREACH).
 */
import process from "node:process";
import { promisify } from "node:util";
import { limits } from "../../platform/limits.ts";
import { withoutEnds } from "../../platform/text-ends.ts";
import type { HttpAnswer, HttpRequest } from "../http/http-message.ts";
import type { Route } from "./route.ts";

const zlib = process.getBuiltinModule("node:zlib");

type Pack = (body: string | Uint8Array) => Promise<Uint8Array>;

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants;
/** As dense as gzip at its best, for a fraction of the time. */
const brotliQuality = 4;
const gzipLevel = 5;

/** By the name of the coding, of equals the first; zstd where the runtime has it. */
const packers: ReadonlyMap<string, Pack> = new Map<string, Pack>([
  ...typeof zlib.zstdCompress === "function" ? [["zstd", promisify(zlib.zstdCompress) as Pack] as const] : [],
  ["br", (body) =>
    promisify(zlib.brotliCompress)(body, {
      params: { [BROTLI_PARAM_QUALITY]: brotliQuality, [BROTLI_PARAM_SIZE_HINT]: body.length },
    })],
  ["gzip", (body) => promisify(zlib.gzip)(body, { level: gzipLevel })],
]);

/** The answer as it goes out: packed where it is large and the client takes a coding, else as it is. */
export async function compressedAnswer(answer: HttpAnswer, request: Pick<HttpRequest, "headers">, route: Route): Promise<HttpAnswer> {
  // What is written as it comes would wait in a compressor
  if (route.guard === "open" || route.takes === "write" || answer.status >= redirects || hasStrongTag(answer) || answer.stream) {
    return answer;
  }
  const varying = { ...answer, headers: [...answer.headers, "Vary", "Accept-Encoding"] };
  if (answer.body.length < limits.compressedAnswerBytesMin) return varying;
  const coding = codingFor(request.headers.get("accept-encoding") ?? "", packers.keys());
  const pack = coding === undefined ? undefined : packers.get(coding);
  if (coding === undefined || pack === undefined) return varying;
  return { ...varying, headers: [...varying.headers, "Content-Encoding", coding], body: await pack(answer.body) };
}

const redirects = 300;

/** It names these very bytes, and others would need a tag of their own (RFC 9110 section 8.8.3.3). */
function hasStrongTag({ headers }: HttpAnswer): boolean {
  const at = headers.indexOf("ETag");
  return at >= 0 && headers[at + 1]?.startsWith("W/") === false;
}

/** Of the codings the one with the highest weight; undefined where the client takes none (RFC 9110 section 12.5.3). */
export function codingFor(accepted: string, codings: Iterable<string>): string | undefined {
  if (accepted === "") return undefined;
  const weights = new Map(accepted.toLowerCase().split(",").map(weightOf));
  const others = weights.get("*") ?? 0;
  let best: { readonly coding: string; readonly weight: number } | undefined;
  for (const coding of codings) {
    const weight = weights.get(coding) ?? others;
    if (weight > (best?.weight ?? 0)) best = { coding, weight };
  }
  const plain = weights.get("identity") ?? 0;
  return best !== undefined && best.weight >= plain ? best.coding : undefined;
}

function weightOf(part: string): readonly [coding: string, weight: number] {
  const [coding = "", ...parameters] = part.split(";").map((piece) => withoutEnds(piece, " \t"));
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return [coding, weight === undefined ? 1 : Number(weight) || 0];
}
