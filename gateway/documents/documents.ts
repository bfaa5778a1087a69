/** What the gateway serves about itself: made once when first asked for, kept compressed too, with an ETag. */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { openapiDocument } from "../openapi/document.ts";
import type { HttpAnswer, RequestHeaders } from "../http-message.ts";
import type { Route } from "../route.ts";
import type { Documents } from "./answers.ts";

/** Where a document comes from. */
export interface Source {
  readonly contentType: string;
  /** Beside those that every document has; names and values in turn. */
  readonly headers?: readonly string[];
  read(): Promise<string | Uint8Array>;
}

export function openDocuments(routes: readonly Route[]): Documents {
  const sources: ReadonlyMap<string, Source> = new Map([
    ["openapi.json", { contentType: "application/json", read: async () => JSON.stringify(openapiDocument(routes)) }],
  ]);
  const made = new Map<string, Promise<Made>>();
  return {
    async answer(name, headers) {
      const source = sources.get(name);
      if (!source) return undefined;
      const making = made.get(name) ?? make(source);
      made.set(name, making);
      return answerOf(source, await making, headers);
    },
  };
}

interface Made {
  readonly etag: string;
  readonly plain: Uint8Array;
  readonly zipped: Uint8Array;
}

const zip = promisify(gzip);
const tagChars = 22;

async function make(source: Source): Promise<Made> {
  const plain = Buffer.from(await source.read());
  const hash = createHash("sha256").update(plain).digest("base64url").slice(0, tagChars);
  return { etag: `W/"${hash}"`, plain, zipped: await zip(plain) };
}

function answerOf(source: Source, { etag, plain, zipped }: Made, headers: RequestHeaders): HttpAnswer {
  const shared = {
    cacheControl: "no-cache",
    contentType: source.contentType,
    headers: ["ETag", etag, "Vary", "Accept-Encoding", "X-Content-Type-Options", "nosniff", ...(source.headers ?? [])],
  };
  const known = headers.get("if-none-match")?.split(",").map((tag) => tag.trim());
  if (known?.some((tag) => tag === "*" || strong(tag) === strong(etag))) return { ...shared, status: notModified, body: "" };
  if (!takesGzip(headers.get("accept-encoding") ?? "")) return { ...shared, status: ok, body: plain };
  return { ...shared, status: ok, body: zipped, headers: [...shared.headers, "Content-Encoding", "gzip"] };
}

const ok = 200;
const notModified = 304;

function strong(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}

/** `gzip` is named, and not with a weight of 0 (RFC 9110 section 12.5.3). */
function takesGzip(accepted: string): boolean {
  return accepted.toLowerCase().split(",").some((part) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/.test(part));
}
