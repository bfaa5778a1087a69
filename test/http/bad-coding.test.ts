/** How bodies and paths may be written: compressed, with a byte order mark, `charset=utf8`, a slash at the end; and what bounds them. */
import process from "node:process";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { fresh, heddleSuite } from "../suite.ts";

const zlib = process.getBuiltinModule("node:zlib");
const heddle = heddleSuite();
const codings: readonly (readonly [name: string, pack: (text: string) => Uint8Array])[] = [
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["GZIP", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
  ["zstd", zlib.zstdCompressSync],
  ["identity", (text) => Buffer.from(text)],
];

for (const [name, pack] of codings) {
  test(`a body with Content-Encoding: ${name} is taken`, async () => {
    const id = fresh();
    const text = JSON.stringify({ attributes: [{ external_id: id, note: "é".repeat(200) }] });
    const answer = await heddle.post("/users/track", Uint8Array.from(pack(text)), { headers: { "content-encoding": name } });
    expect([answer.status, answer.body], answer.text).toEqual([201, { attributes_processed: 1, message: "success" }]);
    expect((await heddle.user(id)).custom_attributes).toEqual({ note: "é".repeat(200) });
  });
}

test("a compressed body counts as its text for the Idempotency-Key", async () => {
  const id = fresh();
  const headers = { "idempotency-key": fresh("key") };
  const text = JSON.stringify({ attributes: [{ external_id: id, visits: { inc: 1 } }] });
  await heddle.post("/users/track", text, { headers });
  const again = await heddle.post("/users/track", Uint8Array.from(gzipSync(text)), { headers: { ...headers, "content-encoding": "gzip" } });
  expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
  expect((await heddle.user(id)).custom_attributes).toEqual({ visits: 1 });
});

test("a compressed body is bounded by what it unfolds to, whatever its own size", async () => {
  for (const pack of [gzipSync, deflateSync, brotliCompressSync]) {
    const name = pack === gzipSync ? "gzip" : pack === deflateSync ? "deflate" : "br";
    const body = Uint8Array.from(pack(Buffer.alloc(64 * 1024 * 1024, " ")));
    const answer = await heddle.post("/users/track", body, { headers: { "content-encoding": name } });
    expect([answer.status, answer.headers.get("x-heddle-reason")]).toEqual([413, "BODY_TOO_LARGE"]);
  }
});

test("a body that is not what its Content-Encoding says is told so", async () => {
  const text = '{"attributes":[{"external_id":"a"}]}';
  for (
    const [name, body] of [
      ["gzip", Buffer.from(text)],
      ["gzip", gzipSync(text).subarray(0, 20)],
      ["deflate", deflateRawSync(text)],
      ["br", gzipSync(text)],
    ] as const
  ) {
    const answer = await heddle.post("/users/track", Uint8Array.from(body), { headers: { "content-encoding": name } });
    expect([answer.status, answer.headers.get("x-heddle-reason")], name).toEqual([400, "BODY_NOT_DECODED"]);
  }
});

test("codings that nobody knows, and several, are refused with those that are taken", async () => {
  for (const name of ["compress", "gzip, br", "gzip,gzip", "aws-chunked", ""]) {
    const answer = await heddle.post("/users/track", "{}", { headers: { "content-encoding": name } });
    expect([answer.status, answer.body.message], name).toEqual([415, expect.stringContaining("gzip, deflate, br")]);
    expect(answer.headers.get("accept-encoding")).toMatch(/^gzip, deflate, br(, zstd)?$/);
  }
  // RFC 9110 section 12.5.3: so that the client knows which of the two it was
  const type = await heddle.post("/users/track", "{}", { headers: { "content-type": "text/plain" } });
  expect([type.status, type.headers.has("accept-encoding")]).toEqual([415, false]);
});

test("charset=utf8 and a byte order mark are taken", async () => {
  const id = fresh();
  const text = JSON.stringify({ attributes: [{ external_id: id, a: 1 }] });
  for (const type of ["application/json; charset=utf8", 'application/json;charset="UTF8"', "application/json; charset=UTF-8"]) {
    const answer = await heddle.post("/users/track", `\ufeff${text}`, { headers: { "content-type": type } });
    expect([answer.status, answer.text], type).toEqual([201, '{"attributes_processed":1,"message":"success"}']);
  }
  expect((await heddle.post("/users/alias/new", '\ufeff{"user_aliases":[{"alias_label":"l","alias_name":"bom"}]}')).status).toBe(201);
});

test("a slash at the end of a path is tolerated on POST as on GET, and a key holds for both", async () => {
  const id = fresh();
  const headers = { "idempotency-key": fresh("key") };
  const body = { attributes: [{ external_id: id, visits: { inc: 1 } }] };
  for (const path of ["/users/track/", "/users/track"]) expect((await heddle.post(path, body, { headers })).status, path).toBe(201);
  expect((await heddle.user(id)).custom_attributes).toEqual({ visits: 1 });
  expect((await heddle.post("/users/track//", body)).status).toBe(404);
});
