/** Every malformed thing gets a clear JSON error, changes nothing, and leaves the server as it was. */
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import type { Answer, CallOptions } from "../client.ts";
import { demoKey } from "../heddle.ts";
import { head, rawExchange } from "../raw.ts";
import { fresh, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
const path = "/users/track";

afterEach(async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, alive: true }] });
  expect((await heddle.user(id)).custom_attributes).toEqual({ alive: true });
});

async function refused(status: number, body: unknown, call: CallOptions = {}): Promise<Answer> {
  const answer = await heddle.post(path, body, call);
  expect(answer.status, answer.text.slice(0, 300)).toBe(status);
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  expect(answer.body.message).toMatch(/\S/);
  expect(answer.text).not.toMatch(/\bat .*\.(ts|js):\d+|node:internal/);
  return answer;
}

for (
  const [title, body] of [
    ["an empty body", ""],
    ["text", "hello"],
    ["half an object", '{"attributes":[{"external_id":"a"'],
    ["single quotes", "{'attributes':[]}"],
    ["a trailing comma", '{"attributes":[],}'],
    ["bytes after the end", '{"attributes":[]} x'],
    ["two documents", '{"attributes":[]}{"attributes":[]}'],
    ["a raw NUL inside a text", '{"attributes":[{"external_id":"a\u0000b"}]}'],
    ["a raw line end inside a text", '{"attributes":[{"external_id":"a\nb"}]}'],
    ["NaN", '{"attributes":[{"external_id":"a","v":NaN}]}'],
    ["a hexadecimal number", '{"attributes":[{"external_id":"a","v":0x10}]}'],
    ["a comment", '{"attributes":[] /* none */}'],
  ] as const
) {
  test(`bad input: ${title} is 400 with message and error`, async () => {
    const answer = await refused(400, body);
    expect(answer.body.error).toMatch(/\S/);
  });
}

for (
  const [title, bytes] of [
    ["a lone continuation byte", [0x80]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["a surrogate in UTF-8", [0xed, 0xa0, 0x80]],
    ["a cut sequence", [0xe2, 0x82]],
    ["a byte that never occurs", [0xff]],
  ] as const
) {
  test(`bad input: ${title} is 400`, async () => {
    const [before, after] = [new TextEncoder().encode('{"attributes":[{"external_id":"a","v":"'), new TextEncoder().encode('"}]}')];
    await refused(400, Uint8Array.from([...before, ...bytes, ...after]));
  });
}

test("bad input: UTF-16 is refused, with and without saying so", async () => {
  const utf16 = Uint8Array.from(Buffer.from('\ufeff{"attributes":[{"external_id":"a"}]}', "utf16le"));
  await refused(400, utf16);
  await refused(415, utf16, { headers: { "content-type": "application/json; charset=utf-16" } });
});

test("bad input: the same key twice is 400, at every depth and however it is written", async () => {
  for (
    const body of [
      '{"attributes":[],"attributes":[{"external_id":"a"}]}',
      '{"attributes":[{"external_id":"a","external_id":"b"}]}',
      '{"attributes":[{"external_id":"a","v":{"x":1,"x":2}}]}',
      '{"attributes":[{"external_id":"a","external\\u005fid":"b"}]}',
    ]
  ) await refused(400, body);
});

for (
  const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonx",
    "application/json-patch+json",
    "application/json, text/plain",
    "application/json; charset=latin1",
    "text/json",
    "*/*",
    ";application/json",
  ]
) {
  test(`bad input: the content type ${JSON.stringify(type)} is 415`, async () => {
    await refused(415, JSON.stringify({ attributes: [{ external_id: fresh() }] }), { headers: { "content-type": type } });
  });
}

for (
  const type of [
    "application/json",
    "application/json; charset=utf-8",
    "Application/JSON;charset=UTF-8",
    'application/json; charset="utf-8"',
    "application/json ;charset=utf-8",
  ]
) {
  test(`bad input: the content type ${JSON.stringify(type)} is right`, async () => {
    const answer = await heddle.post(path, { attributes: [{ external_id: fresh(), a: 1 }] }, { headers: { "content-type": type } });
    expect(answer.status, answer.text).toBe(201);
  });
}

test("bad input: no content type is 415", async () => {
  const body = '{"attributes":[{"external_id":"a"}]}';
  const answer = await rawExchange(heddle.heddle.url, [
    head("POST /users/track HTTP/1.1", [
      "Host: localhost",
      `Authorization: Bearer ${demoKey}`,
      `Content-Length: ${body.length}`,
      "Connection: close",
    ]) + body,
  ]);
  expect(answer.statuses).toEqual([415]);
});

test("bad input: a body that unfolds to more than the route takes is refused", async () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000, " "));
  const answer = await heddle.post(path, Uint8Array.from(bomb), { headers: { "content-encoding": "gzip" } });
  expect(answer.status).toBe(413);
  expect(answer.body.message).toMatch(/decompressed/);
});

test("bad input: 100 MB announced are refused with 413 before they are sent", async () => {
  const answer = await rawExchange(heddle.heddle.url, [requestHead(["Content-Length: 104857600"]), "{"]);
  expect(answer.statuses).toEqual([413]);
  expect(answer.text).toMatch(/"message":"[^"]+"/);
});

test("bad input: 100 MB in chunks are cut off with 413", async () => {
  const chunk = `10000\r\n${"a".repeat(0x10000)}\r\n`;
  function* endless(): Iterable<string> {
    yield requestHead(["Transfer-Encoding: chunked"]);
    for (let sent = 0; sent < 1600; sent += 1) yield chunk;
  }
  const answer = await rawExchange(heddle.heddle.url, endless(), 15_000);
  expect(answer.statuses).toEqual([413]);
});

for (
  const [title, body] of [
    ["arrays", "[".repeat(1_000_000) + "]".repeat(1_000_000)],
    ["arrays that never close", "[".repeat(1_000_000)],
    ["objects", '{"a":'.repeat(400_000) + "1" + "}".repeat(400_000)],
    ["arrays in an attribute", `{"attributes":[{"external_id":"a","v":${"[".repeat(500_000)}${"]".repeat(500_000)}}]}`],
  ] as const
) {
  test(`bad input: a depth of a million ${title} is 400 at once`, async () => {
    const started = performance.now();
    await refused(400, body);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
}

test("bad input: an array of ten million is 413, one of a million in a body of the right size 400", async () => {
  await refused(400, `{"attributes":[${"0,".repeat(1_000_000)}0]}`);
  const answer = await rawExchange(heddle.heddle.url, [requestHead(["Content-Length: 20000020"]), '{"attributes":[0,0,0,']);
  expect(answer.statuses).toEqual([413]);
});

test("bad input: a key of a megabyte is refused", async () => {
  await refused(400, JSON.stringify({ attributes: [{ external_id: fresh(), ["k".repeat(1_000_000)]: 1 }] }));
});

test("bad input: three thousand headers are refused and the connection is closed", async () => {
  const many = Array.from({ length: 3000 }, (_, at) => `X-H${at}: ${at}`);
  const answer = await rawExchange(heddle.heddle.url, [requestHead([...many, "Content-Length: 2"]), "{}"]);
  expect(answer.statuses[0]).toBe(431);
  expect(answer.closed).toBe(true);
});

test("bad input: an unknown path is 404 in JSON", async () => {
  for (
    const [method, unknown] of [["GET", "/"], ["POST", "/users"], ["POST", "/users/trackx"], ["POST", "/users/track/x"], [
      "GET",
      "/users/track%2f",
    ], ["POST", "/USERS/TRACK"]] as const
  ) {
    const answer = await heddle.request(method, unknown, method === "POST" ? {} : undefined);
    expect(answer.status, unknown).toBe(404);
    expect(answer.body.message).toMatch(/\S/);
  }
});

test("bad input: a wrong method is 405 and names the right one", async () => {
  for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
    const answer = await heddle.request(method, path, method === "GET" ? undefined : {});
    expect(answer.status, method).toBe(405);
    expect(answer.headers.get("allow")).toContain("POST");
    expect(answer.body.message).toMatch(/\S/);
  }
});

function requestHead(headers: readonly string[]): string {
  return head("POST /users/track HTTP/1.1", [
    "Host: localhost",
    `Authorization: Bearer ${demoKey}`,
    "Content-Type: application/json",
    ...headers,
  ]);
}
