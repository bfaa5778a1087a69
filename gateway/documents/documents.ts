/** What the gateway serves about itself: made once when first asked for, kept compressed too, with an ETag. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { consoleAssets } from "../console/console-assets.ts";
import { consoleHeaders, consolePage } from "../console/console-page.ts";
import { previewHeaders, previewPage } from "../console/preview-page.ts";
import { entryOf, openapiDocument, routeName } from "../openapi/document.ts";
import { codingFor } from "../routing/compress-answer.ts";
import { type HttpAnswer, isKnownVersion, type RequestHeaders } from "../http/http-message.ts";
import type { Route } from "../routing/route.ts";
import type { Documents } from "../routing/documents.ts";
import { callHtml, callsHtml } from "./call-page.ts";
import { errorHtml } from "./error-reference.ts";
import { guideHtml, guides } from "./guides.ts";
import { page, pageHeaders } from "./page.ts";
import { searchIndex } from "./search-index.ts";
import { guideList, startPage, tryPage } from "./start-page.ts";

/** Where a document comes from. */
interface Source {
  readonly contentType: string;
  /** Beside those that every document has; names and values in turn. */
  readonly headers?: readonly string[];
  read(): Promise<string | Uint8Array>;
}

export function openDocuments(routes: readonly Route[]): Documents {
  const openapi = { contentType: "application/json", read: async () => JSON.stringify(openapiDocument(routes)) };
  const sources: ReadonlyMap<string, Source> = new Map<string, Source>([
    ["openapi.json", openapi],
    ...pages,
    ...guides.map(guideSource),
    ...routes.flatMap(callSource),
    ["docs/assets/search.json", { contentType: "application/json", read: searchIndex }],
    ...assets(),
    ...consoleSources(),
  ]);
  const made = new Map<string, Promise<Made>>();
  return {
    async answer(name, headers) {
      const source = sources.get(name);
      if (!source) return undefined;
      const making = made.get(name) ?? make(source);
      made.set(name, making);
      try {
        return answerOf(source, await making, headers);
      } catch (error) {
        // What could not be read now may be read later
        made.delete(name);
        throw error;
      }
    },
  };
}

const html = { contentType: "text/html; charset=utf-8", headers: pageHeaders };
const pages: readonly (readonly [string, Source])[] = [
  ["docs", { ...html, read: async () => startPage() }],
  ["docs/errors", {
    ...html,
    read: async () => page({ title: "Heddle: errors", aside: guideList(), main: errorHtml(), mainClass: "guide" }),
  }],
  ["docs/try", { ...html, read: async () => tryPage() }],
  ["docs/calls", { ...html, read: async () => page({ title: "Heddle: calls", aside: guideList(), main: callsHtml() }) }],
];

function guideSource(guide: (typeof guides)[number]): readonly [string, Source] {
  return [`docs/${guide.name}`, {
    ...html,
    read: async () =>
      page({ title: `Heddle: ${guide.title}`, aside: guideList(guide.name), main: await guideHtml(guide), mainClass: "guide" }),
  }];
}

function callSource(route: Route): readonly (readonly [string, Source])[] {
  const entry = entryOf(routeName(route));
  if (entry === undefined) return [];
  return [[`docs/calls/${entry.operationId}`, {
    ...html,
    read: async () => page({ title: `Heddle: ${entry.summary}`, aside: guideList(), main: callHtml(route) }),
  }]];
}

/** Files of ours and of the package of the reference; nothing is loaded from elsewhere. */
function assets(): readonly (readonly [string, Source])[] {
  const { resolve } = createRequire(import.meta.url);
  function ours(name: string): string {
    return fileURLToPath(new URL(`static/${name}`, import.meta.url));
  }
  function theirs(name: string): string {
    return resolve(`swagger-ui-dist/${name}`);
  }
  return [
    asset("docs.js", ours),
    asset("docs.css", ours),
    asset("try.js", ours),
    asset("minisearch.js", () => resolve("minisearch").replace(/cjs\/index\.cjs$/, "umd/index.js")),
    asset("swagger-ui-bundle.js", theirs),
    asset("swagger-ui.css", theirs),
    asset("favicon-32x32.png", theirs),
  ];
}

/** The console, which is no part of the documents but is served like them. */
function consoleSources(): readonly (readonly [string, Source])[] {
  return [
    ["console/preview", { contentType: html.contentType, headers: previewHeaders, read: async () => previewPage() }],
    ["console", { contentType: html.contentType, headers: consoleHeaders, read: async () => consolePage() }],
    ...consoleAssets().map(([name, read]): readonly [string, Source] => [`console/assets/${name}`, { contentType: typeOf(name), read }]),
  ];
}

function typeOf(name: string): string {
  return types.get(name.slice(name.lastIndexOf("."))) ?? "application/octet-stream";
}

function asset(name: string, fileOf: (name: string) => string): readonly [string, Source] {
  return [`docs/assets/${name}`, { contentType: typeOf(name), read: () => readFile(fileOf(name)) }];
}

const types: ReadonlyMap<string, string> = new Map([
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".png", "image/png"],
]);

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
  if (isKnownVersion(headers, etag)) return { ...shared, status: notModified, body: "" };
  if (codingFor(headers.get("accept-encoding") ?? "", ["gzip"]) === undefined) return { ...shared, status: ok, body: plain };
  return { ...shared, status: ok, body: zipped, headers: [...shared.headers, "Content-Encoding", "gzip"] };
}

const ok = 200;
const notModified = 304;
