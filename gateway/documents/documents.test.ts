/** How documents are answered: with an ETag, compressed where the caller takes it, made once. */
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { HeaderName } from "../http/http-message.ts";
import { routeTable } from "../route-table.ts";
import { openDocuments } from "./documents.ts";

const documents = openDocuments(routeTable);

function ask(headers: Readonly<Record<string, string>> = {}, name = "openapi.json") {
  return documents.answer(name, new Map(Object.entries(headers) as [HeaderName, string][]));
}

test("openDocuments() answers the document with an ETag, and 304 to a caller who has it", async () => {
  const answer = await ask();
  expect(answer).toMatchObject({ status: 200, contentType: "application/json", cacheControl: "no-cache" });
  const etag = answer?.headers[1] ?? "";
  expect(answer?.headers[0]).toBe("ETag");
  for (const tag of [etag, `"other", ${etag}`, etag.slice(2), "*"]) {
    expect(await ask({ "if-none-match": tag })).toMatchObject({ status: 304, body: "" });
  }
  expect(await ask({ "if-none-match": '"other"' })).toMatchObject({ status: 200 });
});

test.each(["gzip", "br, gzip;q=0.5", "GZIP"])("openDocuments() compresses for Accept-Encoding: %s", async (accepted) => {
  const [plain, zipped] = [await ask(), await ask({ "accept-encoding": accepted })];
  expect(zipped?.headers.slice(-2)).toEqual(["Content-Encoding", "gzip"]);
  expect(gunzipSync(zipped?.body as Uint8Array)).toEqual(plain?.body);
});

test.each(["br", "gzip;q=0", "gzip;q=0.000", "x-gzip"])("openDocuments() does not compress for Accept-Encoding: %s", async (accepted) => {
  expect((await ask({ "accept-encoding": accepted }))?.headers).not.toContain("Content-Encoding");
});

test("openDocuments() makes a document once", async () => {
  expect((await ask())?.body).toBe((await ask())?.body);
});

test("openDocuments() knows no other names", async () => {
  expect(await ask({}, "../package.json")).toBeUndefined();
});

test("a document that could not be made is made when it is asked for again", async () => {
  let isAway = true;
  const [first] = routeTable;
  const route = Object.defineProperty({ ...first }, "limit", {
    get() {
      if (isAway) throw new Error("It cannot be read");
      return "users_track";
    },
  }) as (typeof routeTable)[number];
  const some = openDocuments([route]);
  await expect(some.answer("openapi.json", new Map())).rejects.toThrow("It cannot be read");
  isAway = false;
  expect(await some.answer("openapi.json", new Map())).toMatchObject({ status: 200 });
});
