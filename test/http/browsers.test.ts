/** What browsers and other clients expect of HTTP: origins that a workspace lets in (CORS), and large answers that come compressed. */
import { request as httpRequest } from "node:http";
import process from "node:process";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { apiKey, declared, workspace } from "../declaration.ts";
import { demoKey } from "../heddle.ts";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";

const [app, elsewhere] = ["https://app.example.com", "https://app.example.org:8443"];
const otherKey = "key-of-the-workspace-without-origins";
const heddle = heddleSuite({
  apply: declared({
    demo: { corsOrigins: [app, elsewhere] },
    keys: [apiKey("none", "key-that-may-do-nothing", [])],
    others: [workspace("other", [apiKey("all", otherKey)])],
  }),
});

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** As it comes over the wire: fetch would leave headers out and unfold the body. */
function send({ method = "POST", path, headers = {}, body }: Sent) {
  return new Promise<{ status: number; headers: Readonly<Record<string, string | string[] | undefined>>; bytes: Buffer }>(
    (resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const type = text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
      const request = httpRequest(`${heddle.heddle.url}${path}`, { method, headers: { ...type, ...headers } }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on("data", (piece: Buffer) => pieces.push(piece));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(pieces) }));
      });
      request.on("error", reject);
      request.end(text);
    },
  );
}

function keyed(key: string, origin: string) {
  return { authorization: `Bearer ${key}`, origin };
}

const allowed = "access-control-allow-origin";

test("CORS: a preflight of an origin that a workspace names is answered, without credentials", async () => {
  for (const origin of [app, elsewhere]) {
    const answer = await send({
      method: "OPTIONS",
      path: "/users/track",
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization,content-type" },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      [allowed]: origin,
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": expect.stringMatching(/Authorization, Content-Type.*Idempotency-Key/),
      "access-control-max-age": "600",
      vary: expect.stringContaining("Origin"),
    });
    expect(answer.headers).not.toHaveProperty("access-control-allow-credentials");
  }
});

test("CORS: a preflight of another origin, method, path or API is answered as before", async () => {
  const asks = { "access-control-request-method": "POST" };
  for (
    const { path = "/users/track", headers } of [
      { headers: { ...asks, origin: "https://evil.example" } },
      { headers: { ...asks, origin: "null" } },
      { headers: { ...asks, origin: `${app}.evil.example` } },
      { headers: { ...asks, origin: app.toUpperCase() } },
      { headers: { "access-control-request-method": "DELETE", origin: app } },
      { headers: { origin: app } },
      { path: "/nowhere", headers: { ...asks, origin: app } },
      { path: "/scim/v2/Users", headers: { ...asks, origin: app } },
    ] as readonly { path?: string; headers: Record<string, string> }[]
  ) {
    const answer = await send({ method: "OPTIONS", path, headers });
    expect([404, 405], JSON.stringify(headers)).toContain(answer.status);
    expect(answer.headers).not.toHaveProperty("access-control-allow-methods");
    if (headers["origin"] !== app) expect(answer.headers).not.toHaveProperty(allowed);
  }
});

test("CORS: pages of the workspace's origins may read its answers, errors too, and nobody else's", async () => {
  const body = { attributes: [{ external_id: fresh(), a: 1 }] };
  const good = await send({ path: "/users/track", headers: keyed(demoKey, app), body });
  expect([good.status, good.headers[allowed]]).toEqual([201, app]);
  expect(good.headers["access-control-expose-headers"]).toMatch(/X-Heddle-Position/);
  expect(good.headers["access-control-expose-headers"]).toMatch(/X-Ratelimit-Retry-After/);
  for (
    const [status, sent] of [
      [400, { path: "/users/track", headers: keyed(demoKey, app), body: {} }],
      [401, { path: "/users/track", headers: keyed("no-such-key", app), body }],
      [401, { path: "/users/track", headers: { origin: app }, body }],
      [403, { path: "/users/track", headers: keyed("key-that-may-do-nothing", app), body }],
      [404, { path: "/nowhere", headers: keyed(demoKey, app), body }],
      [405, { method: "PUT", path: "/users/track", headers: keyed(demoKey, app), body }],
      [413, { path: "/users/alias/new", headers: keyed(demoKey, app), body: { x: "x".repeat(600_000) } }],
      [415, { path: "/users/track", headers: { ...keyed(demoKey, app), "content-type": "text/plain" }, body }],
    ] as const
  ) {
    const answer = await send(sent);
    expect([answer.status, answer.headers[allowed]]).toEqual([status, app]);
    expect(answer.headers).not.toHaveProperty("access-control-allow-credentials");
  }
  for (const headers of [keyed(demoKey, "https://evil.example"), keyed(otherKey, app), { authorization: `Bearer ${demoKey}` }]) {
    const answer = await send({ path: "/users/track", headers, body });
    expect(answer.status).toBe(201);
    expect(answer.headers).not.toHaveProperty(allowed);
  }
});

test("large answers to reads come in the coding that the client takes best, and say the same", async () => {
  const ids = Array.from({ length: 20 }, () => fresh());
  const custom = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`attribute ${at}`, "x".repeat(200)]));
  await heddle.track({ attributes: ids.map((external_id) => ({ external_id, ...custom })) });
  await heddle.user(ids[0] ?? "");
  const body = { external_ids: ids };
  const read = (accept: string | undefined) =>
    send({
      path: "/users/export/ids",
      headers: { authorization: `Bearer ${demoKey}`, ...(accept === undefined ? {} : { "accept-encoding": accept }) },
      body,
    });
  const plain = await read(undefined);
  expect(JSON.parse(plain.bytes.toString()).users).toHaveLength(20);
  const unfold = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
  for (
    const [accept, expected] of [
      ["gzip", "gzip"],
      ["br;q=1.0, gzip;q=0.8", "br"],
      ["gzip;q=1, br;q=0.1, *;q=0", "gzip"],
      ["deflate, gzip", "gzip"],
      ["zstd", process.versions["zstd"] === undefined ? undefined : "zstd"],
      ["identity", undefined],
      ["gzip;q=0", undefined],
      ["identity;q=1, gzip;q=0.5", undefined],
      ["compress", undefined],
      ["", undefined],
      [";;q=x,,gzip;q=nonsense", undefined],
    ] as const
  ) {
    const answer = await read(accept);
    expect([answer.status, answer.headers["vary"], answer.headers["content-length"]]).toEqual([
      201,
      "Accept-Encoding",
      `${answer.bytes.length}`,
    ]);
    const coding = answer.headers["content-encoding"];
    // A runtime without zstd answers plainly
    expect(accept === "zstd" ? [undefined, "zstd"] : [expected], accept).toContain(coding);
    const bytes = coding === undefined ? answer.bytes : unfold[coding as keyof typeof unfold](answer.bytes);
    expect(bytes.toString(), accept).toBe(plain.bytes.toString());
    if (coding !== undefined) expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 10);
  }
});

test("small answers, answers to writes and what stands behind a link come as they are", async () => {
  const email = freshEmail();
  await heddle.track({ attributes: [{ external_id: email, email }] });
  const coded = { authorization: `Bearer ${demoKey}`, "accept-encoding": "gzip, br, zstd" };
  const bad = Array.from({ length: 75 }, () => ({ external_id: "" }));
  const small = await send({ path: "/users/export/ids", headers: coded, body: { external_ids: [email] } });
  const write = await send({
    path: "/users/track",
    headers: coded,
    body: { attributes: [{ external_id: email }, ...bad.slice(1)], events: bad, purchases: bad },
  });
  const page = await send({ method: "GET", path: `/unsubscribe/${"x".repeat(100)}`, headers: { "accept-encoding": "gzip" } });
  expect(write.bytes.length).toBeGreaterThan(8 * 1024);
  for (const answer of [small, write, page]) expect(answer.headers).not.toHaveProperty("content-encoding");
});
