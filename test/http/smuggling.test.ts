/** Requests that two parsers could read differently are refused, and one request never has two answers. */
import { expect, test } from "vitest";
import { demoKey } from "../heddle.ts";
import { head, rawExchange } from "../raw.ts";
import { heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
const key = `Authorization: Bearer ${demoKey}`;
const json = "Content-Type: application/json";
const start = "POST /users/track HTTP/1.1";
const second = head("GET /smuggled HTTP/1.1", ["Host: localhost"]);

const requests: readonly (readonly [title: string, bytes: string])[] = [
  ["two Host headers", head(start, ["Host: a", "Host: b", key, json, "Content-Length: 2"]) + "{}"],
  ["no Host header", head(start, [key, json, "Content-Length: 2"]) + "{}"],
  [
    "Content-Length and Transfer-Encoding",
    head(start, ["Host: a", key, json, "Content-Length: 6", "Transfer-Encoding: chunked"]) + "0\r\n\r\n" + second,
  ],
  ["two Content-Lengths", head(start, ["Host: a", key, json, "Content-Length: 2", "Content-Length: 40"]) + "{}" + second],
  ["a list of Content-Lengths", head(start, ["Host: a", key, json, "Content-Length: 2, 2"]) + "{}"],
  ["a negative Content-Length", head(start, ["Host: a", key, json, "Content-Length: -1"]) + "{}"],
  ["a signed Content-Length", head(start, ["Host: a", key, json, "Content-Length: +2"]) + "{}"],
  ["a space before the colon", head(start, ["Host: a", key, json, "Content-Length : 2"]) + "{}"],
  ["a folded header", head(start, ["Host: a", key, json, "X-A: b", " c", "Content-Length: 2"]) + "{}"],
  ["an unknown Transfer-Encoding", head(start, ["Host: a", key, json, "Transfer-Encoding: xchunked"]) + "0\r\n\r\n"],
  [
    "a Transfer-Encoding that does not end in chunked",
    head(start, ["Host: a", key, json, "Transfer-Encoding: chunked, identity"]) + "0\r\n\r\n",
  ],
  ["a chunk size that is no number", head(start, ["Host: a", key, json, "Transfer-Encoding: chunked"]) + "zz\r\n{}\r\n0\r\n\r\n"],
  ["a chunk longer than it says", head(start, ["Host: a", key, json, "Transfer-Encoding: chunked"]) + "1\r\n{}\r\n0\r\n\r\n"],
  ["a NUL in a header", head(start, ["Host: a", key, json, "X-A: a\u0000b", "Content-Length: 2"]) + "{}"],
  ["a bare line feed for a line end", `${start}\nHost: a\n${key}\n${json}\nContent-Length: 2\n\n{}`],
  ["HTTP/0.9", "GET /\r\n\r\n"],
  ["a version that does not exist", head("POST /users/track HTTP/9.9", ["Host: a", key, json, "Content-Length: 2"]) + "{}"],
  ["a method that does not exist", head("TRACKIT /users/track HTTP/1.1", ["Host: a", key])],
  ["an HTTP/2.0 line", head("POST /users/track HTTP/2.0", ["Host: a", key, json, "Content-Length: 2"]) + "{}"],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  [
    "an absolute-form target with user information",
    head("POST http://a@a/users/track HTTP/1.1", ["Host: a", key, json, "Content-Length: 2"]) + "{}",
  ],
  ["an absolute-form target of another scheme", head("GET ws://a/livez HTTP/1.1", ["Host: a"])],
  ["an absolute-form target without a host", head("GET http:///livez HTTP/1.1", ["Host: a"])],
  ["an absolute-form target and no Host header", head("GET http://a/livez HTTP/1.1", [])],
  ["an authority-form target", head("CONNECT a:1 HTTP/1.1", ["Host: a"])],
  ["an asterisk-form target", head("OPTIONS * HTTP/1.1", ["Host: a"])],
  ["a target that is no path", head("GET livez HTTP/1.1", ["Host: a"])],
  ["chunks in HTTP/1.0", head("POST /users/track HTTP/1.0", [key, json, "Transfer-Encoding: chunked"]) + "2\r\n{}\r\n0\r\n\r\n"],
  ["another coding before chunked", head(start, ["Host: a", key, json, "Transfer-Encoding: gzip, chunked"]) + "2\r\n{}\r\n0\r\n\r\n"],
  ["two Transfer-Encodings", head(start, ["Host: a", key, json, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"]) + "0\r\n\r\n"],
  ["a hexadecimal Content-Length", head(start, ["Host: a", key, json, "Content-Length: 0x2"]) + "{}"],
  ["a body on GET that is a request", head("GET /livez HTTP/1.1", ["Host: a", `Content-Length: ${second.length}`]) + second],
  ["two Authorization headers", head(start, ["Host: a", key, key, json, "Content-Length: 2"]) + "{}"],
  ["an expectation that is unknown", head(start, ["Host: a", key, json, "Expect: magic", "Content-Length: 2"]) + "{}"],
  ["a carriage return alone in a header", head(start, ["Host: a", key, json, "X-A: b\rX-B: c", "Content-Length: 2"]) + "{}"],
  [
    "an obsolete chunk extension with a line feed",
    head(start, ["Host: a", key, json, "Transfer-Encoding: chunked"]) + "2;a\n{}\r\n0\r\n\r\n",
  ],
  ["a space in the target", head("POST /users/track x HTTP/1.1", ["Host: a", key, json, "Content-Length: 2"]) + "{}"],
];

for (const [title, bytes] of requests) {
  test(`smuggling: ${title} has one answer, of the 400 class, and the connection ends`, async () => {
    const answer = await rawExchange(heddle.heddle.url, [bytes], 3_000);
    expect(answer.statuses.map((status) => Math.floor(status / 100)), answer.text).toEqual([4]);
    expect(answer.closed).toBe(true);
  });
}

test("smuggling: the request that is made bad in one way each is taken without it", async () => {
  const body = '{"attributes":[{"external_id":"not-smuggled","a":1}]}';
  const answer = await rawExchange(heddle.heddle.url, [
    head(start, ["Host: a", key, json, "Connection: close", `Content-Length: ${body.length}`]) + body,
  ], 10_000);
  expect(answer.statuses, answer.text).toEqual([201]);
});

test("smuggling: every refusal is JSON with a message", async () => {
  const answer = await rawExchange(heddle.heddle.url, [head(start, ["Host: a", "Host: b", key, json, "Content-Length: 2"]) + "{}"], 3_000);
  expect(answer.text).toMatch(/content-type: application\/json/i);
  expect(answer.text).toMatch(/"message":"[^"]+"/);
});

test("smuggling: the server still answers", async () => {
  await heddle.track({ attributes: [{ external_id: "after-smuggling", a: 1 }] });
});
