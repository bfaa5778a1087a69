/** Request bodies that come compressed: bounded as they come and as they unfold. */
import process from "node:process";
import { promisify } from "node:util";
import { limits } from "../../platform/limits.ts";
import { Refusal } from "../../platform/refusal.ts";

const zlib = process.getBuiltinModule("node:zlib");

type Unpack = (bytes: Uint8Array, options: { maxOutputLength: number; chunkSize: number }) => Promise<Uint8Array>;

/** By the name of the coding (RFC 9110 section 8.4.1). `deflate` is zlib's form; zstd where the runtime has it. */
const unpackers: ReadonlyMap<string, Unpack> = new Map([
  ["gzip", promisify(zlib.gunzip) as Unpack],
  ["x-gzip", promisify(zlib.gunzip) as Unpack],
  ["deflate", promisify(zlib.inflate) as Unpack],
  ["br", promisify(zlib.brotliDecompress) as Unpack],
  ...typeof zlib.zstdDecompress === "function" ? [["zstd", promisify(zlib.zstdDecompress) as Unpack] as const] : [],
]);

/** What is said to clients that send another one, and in `Accept-Encoding`. */
const bodyCodings = [...unpackers.keys()].filter((name) => name !== "x-gzip").join(", ");

/** The coding of a body by its Content-Encoding; undefined for none. Throws CONTENT_TYPE_UNSUPPORTED for others and for several. */
export function bodyCodingOf(header: string | undefined): string | undefined {
  const coding = header?.toLowerCase() ?? "identity";
  if (coding === "identity") return undefined;
  if (unpackers.has(coding)) return coding;
  const text = `The Content-Encoding of a request body must be one of ${bodyCodings}, or none`;
  throw new Refusal("CONTENT_TYPE_UNSUPPORTED", text, { acceptEncoding: bodyCodings });
}

/** Throws BODY_TOO_LARGE before more than `bytesMax` are unfolded, BODY_NOT_DECODED for what the coding does not make. */
export async function decodeBody(coding: string, bytes: Uint8Array, bytesMax: number): Promise<Uint8Array> {
  try {
    return await (unpackers.get(coding) as Unpack)(bytes, { maxOutputLength: bytesMax, chunkSize: limits.bodyPieceBytes });
  } catch (cause) {
    if ((cause as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE") {
      throw new Refusal("BODY_TOO_LARGE", `The request body may not be larger than ${bytesMax} bytes, also once it is decompressed`);
    }
    throw new Refusal("BODY_NOT_DECODED", `The body is not what its Content-Encoding says: ${coding}`, { cause });
  }
}
