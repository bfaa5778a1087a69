/** The headers of limits: never a lie against a model of the buckets, on every answer to a known caller, and no way around them. */
import { connect } from "node:net";
import * as fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { fakeClock } from "../platform/clock.fixture.ts";
import type { Bucket } from "../platform/limiter/limiter.ts";
import { openMemoryLimiter } from "../platform/limiter/memory.ts";
import { limits } from "../platform/limits.ts";
import { exampleRequest } from "../test/example-request.ts";
import { startStubGateway, type StubGateway, stubHolder, stubKey, stubToken } from "../test/gateway-stub.ts";
import type { Access } from "./access/access.ts";
import { spendQuota } from "./guards/spend.ts";
import { quotaOf } from "./access/limits-table.ts";
import { entries } from "./openapi/entries.ts";
import { openRoutes } from "./routing/find-route.ts";
import { routeTable } from "./route-table.ts";

let gateway: StubGateway | undefined;
afterEach(async () => {
  await gateway?.gateway.close();
  gateway = undefined;
});

const plan = fc.oneof(
  fc.constant({ kind: "standard" } as const),
  fc.record({
    kind: fc.constant("monthly_active_users" as const),
    requestsPerHour: fc.integer({ min: 1, max: 40 }),
    requestsPerSecondBurst: fc.integer({ min: 1, max: 8 }),
  }),
);
const limit = fc.constantFrom("users_track", "users_identity", "users_export_ids" as const);
const asks = fc.array(
  fc.record({ waitMs: fc.oneof(fc.constant(0), fc.nat(900), fc.nat(400_000)), times: fc.integer({ min: 1, max: 12 }) }),
  { maxLength: 25, size: "max" },
);

/** Plain arithmetic, a number a bucket. */
class Model {
  readonly #levels = new Map<string, { tokens: number; at: number }>();

  level(name: string, { capacity, windowMs }: Bucket, now: number): number {
    const known = this.#levels.get(name) ?? { tokens: capacity, at: now };
    const tokens = Math.min(capacity, known.tokens + ((now - known.at) / windowMs) * capacity);
    this.#levels.set(name, { tokens, at: now });
    return tokens;
  }

  take(name: string): void {
    const known = this.#levels.get(name);
    if (known) known.tokens -= 1;
  }
}

test("the headers are those of the model, to within one, whatever the plan and however the clock goes", async () => {
  await fc.assert(
    fc.asyncProperty(plan, limit, asks, fc.boolean(), async (chosen, name, steps, isEarly) => {
      const clock = fakeClock();
      const limiter = openMemoryLimiter({ clock, keysMax: 100 });
      const base = stubHolder();
      const holder = {
        ...base,
        company: { ...base.company, onboardedAt: isEarly ? "2020-01-01" : "2026-01-01" },
        workspace: { ...base.workspace, plan: chosen, limits: { users_identity: 30, users_export_ids: 6 } },
      };
      const quota = quotaOf(name as "users_track", holder);
      const model = new Model();
      for (const { waitMs, times } of steps) {
        clock.advance(waitMs);
        for (let at = 0; at < times; at += 1) {
          const now = clock.now();
          const before = quota.parts.map((part) => model.level(part.name, part.bucket, now));
          const near = before.some((tokens) => Math.abs(tokens - Math.round(tokens)) < 1e-3);
          const { refusal, headers } = await spendQuota("w", quota, { limiter, clock });
          const admitted = before.every((tokens) => tokens >= 1 - 1e-3);
          if (!near) expect(refusal === undefined).toBe(admitted);
          if (refusal === undefined) { for (const part of quota.parts) model.take(part.name); }
          const said = new Map(headers.flatMap((text, index) => (index % 2 === 0 ? [[text, headers[index + 1] ?? ""] as const] : [])));
          const shown = quota.parts.find((part) => said.get("RateLimit")?.startsWith(`"${part.name}"`));
          if (!shown) throw new Error("The headers tell of no bucket of the limit");
          expect(said.get("X-RateLimit-Limit")).toBe(String(shown.bucket.capacity));
          const left = model.level(shown.name, shown.bucket, now);
          expect(Math.abs(Number(said.get("X-RateLimit-Remaining")) - left)).toBeLessThanOrEqual(1);
          const fullAt = now + ((shown.bucket.capacity - left) / shown.bucket.capacity) * shown.bucket.windowMs;
          expect(Math.abs(Number(said.get("X-RateLimit-Reset")) - fullAt / 1_000)).toBeLessThanOrEqual(1);
          expect(said.get("RateLimit-Policy")).toBe(quota.policy);
          for (const part of quota.parts) {
            const one = new RegExp(`"${part.name}";r=(\\d+);t=(\\d+)`).exec(said.get("RateLimit") ?? "");
            const tokens = model.level(part.name, part.bucket, now);
            expect(Math.abs(Number(one?.[1]) - tokens)).toBeLessThanOrEqual(1);
            const seconds = ((part.bucket.capacity - tokens) / part.bucket.capacity) * (part.bucket.windowMs / 1_000);
            expect(Math.abs(Number(one?.[2]) - seconds)).toBeLessThanOrEqual(1);
          }
          if (refusal) {
            // Waiting as long as it says is enough, and a second less is not, but for rounding up
            const seconds = Number(said.get("X-Ratelimit-Retry-After"));
            const needed = Math.max(...quota.parts.map((part) => {
              const tokens = model.level(part.name, part.bucket, now);
              return ((1 - tokens) / part.bucket.capacity) * (part.bucket.windowMs / 1_000);
            }));
            expect(seconds).toBeGreaterThanOrEqual(needed - 0.001);
            expect(seconds - 1).toBeLessThanOrEqual(Math.max(0, needed) + 0.001);
          }
        }
      }
    }),
    { numRuns: 150 },
  );
});

/** What the limiter was asked for, by bucket, over all requests. */
function counting() {
  const costs = new Map<string, number>();
  const take = (key: string, { capacity }: Bucket, cost: number) => {
    costs.set(key, (costs.get(key) ?? 0) + cost);
    return { admitted: true, remaining: capacity, fullAt: 0, retryAfterMs: 0 };
  };
  return { costs, take };
}

const threeHeaders = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

test("every answer to a known key has the three headers, also 404 and 405, and a count of its own; to others they are empty", async () => {
  const { costs, take } = counting();
  gateway = await startStubGateway({ take });
  const key = { authorization: `Bearer ${stubKey}` };
  for (
    const [method, path, status] of [["POST", "/nowhere", 404], ["GET", "/users/track", 405], ["DELETE", "/users/merge", 405]] as const
  ) {
    const answer = await fetch(gateway.url + path, { method, headers: key });
    expect([answer.status, answer.headers.get("x-ratelimit-limit")]).toEqual([status, "250000"]);
    expect(answer.headers.get("ratelimit-policy")).toBe('"unknown_routes";q=250000;w=3600');
    const unknown = await fetch(gateway.url + path, { method, headers: { authorization: "Bearer nobody-has-this" } });
    expect([unknown.status, ...threeHeaders.map((name) => unknown.headers.get(name))]).toEqual([status, "", "", ""]);
    expect(unknown.headers.has("ratelimit-policy")).toBe(false);
  }
  const scim = await fetch(`${gateway.url}/scim/v2/nowhere`, { headers: { authorization: `Bearer ${stubToken}` } });
  expect([scim.status, scim.headers.get("x-ratelimit-limit")]).toEqual([404, "250000"]);
  expect([...costs]).toEqual([["limit:{ws-1}:unknown_routes", 3], ["limit:{co-1}:unknown_routes", 1]]);
});

test("what is refused before anybody knows who asks has the three headers, empty", async () => {
  gateway = await startStubGateway();
  for (const headers of [{ expect: "magic" }, { "transfer-encoding": "gzip, chunked" }, { "content-length": "nonsense" }]) {
    const answer = await rawRequest({ method: "POST", target: "/users/track", headers });
    expect([Math.floor(answer.status / 100), ...threeHeaders.map((name) => answer.headers[name])]).toEqual([4, "", "", ""]);
  }
});

/** The target and the headers as they are: fetch() itself would make another path of some. */
function rawRequest(
  { method, target, headers }: { method: string; target: string; headers: Record<string, string> },
): Promise<{ status: number; headers: Record<string, string | undefined> }> {
  return new Promise((resolve, reject) => {
    const socket = connect(gateway?.port ?? 0, "127.0.0.1");
    const lines = Object.entries({ host: "a", connection: "close", ...headers }).map(([name, value]) => `${name}: ${value}`);
    let text = "";
    socket.setEncoding("latin1");
    socket.once("error", reject);
    socket.on("data", (chunk) => {
      text += String(chunk);
      const [head = "", body] = text.split("\r\n\r\n");
      if (body === undefined) return;
      const [first = "", ...rest] = head.split("\r\n");
      const named = rest.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]);
      resolve({ status: Number(first.split(" ")[1]), headers: Object.fromEntries(named) });
      socket.destroy();
      // What lingers with an unread body does so until now
      gateway?.clock.advance(limits.lingerMs);
    });
    socket.write([`${method} ${target} HTTP/1.1`, ...lines, "", ""].join("\r\n"));
  });
}

test("a caller that tries paths for ever is told to wait, in the form of 429", async () => {
  gateway = await startStubGateway({ take: () => ({ admitted: false, remaining: 0, fullAt: 0, retryAfterMs: 2_500 }) });
  const answer = await gateway.post("/nowhere", {});
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "3"]);
  const scim = await fetch(`${gateway.url}/scim/v2/nowhere`, { headers: { authorization: `Bearer ${stubToken}` } });
  expect([scim.status, scim.headers.get("retry-after")]).toEqual([429, "3"]);
  expect(await scim.json()).toMatchObject({ schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"], status: 429 });
});

test("the limiter is asked at most once a request, on every route and however it is answered", async () => {
  let asked = 0;
  const options = { asked: () => void (asked += 1), permissions: ["*"] };
  async function asksOf(target: string, init: RequestInit): Promise<number> {
    const before = asked;
    await (await fetch(target, init)).arrayBuffer();
    return asked - before;
  }
  for (const terms of [options, { ...options, permissions: [] }]) {
    gateway = await startStubGateway(terms);
    const { url } = gateway;
    const seen = new Map<string, number>();
    for (const entry of entries) {
      for (const example of entry.examples) {
        const [target, init] = exampleRequest(url, entry, example);
        // As it is; with a body that cannot be read; as another method, which no route may have
        const asks = [await asksOf(target, init), await asksOf(target, { ...init, method: "PATCH" })];
        if (init.body !== undefined) asks.push(await asksOf(target, { ...init, body: "{" }));
        seen.set(entry.route, Math.max(seen.get(entry.route) ?? 0, ...asks));
      }
    }
    // How full all buckets are is what that page is for
    const twice = terms.permissions.length > 0 ? ["GET /console/overview"] : [];
    expect([...seen].filter(([, count]) => count > 1)).toEqual(twice.map((route) => [route, 2]));
    expect([...seen.values()].filter((count) => count === 1).length).toBeGreaterThan(50);
    await gateway.gateway.close();
    gateway = undefined;
  }
});

const findRoute = openRoutes(routeTable);
const spellings: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => path.toUpperCase(),
  (path) => path.replace("/", "//"),
  (path) => path.replaceAll("/", "//"),
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => path.replace(/\w/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => `/%2e${path}`,
  (path) => `/./${path.slice(1)}`,
  (path) => `/x/..${path}`,
  (path) => `/x/%2e%2e${path}`,
  (path) => `${path}%20`,
  (path) => `${path}%00`,
  (path) => `${path};a=b`,
  (path) => `${path}?a=b`,
  (path) => path.replaceAll("/", "%2f").replace("%2f", "/"),
  (path) => path.replaceAll("/", "\\").replace("\\", "/"),
];
const overrides: readonly Record<string, string>[] = [
  {},
  { "x-http-method-override": "POST" },
  { "x-http-method": "POST" },
  { "x-method-override": "POST" },
  { "x-original-url": "/users/track", "x-rewrite-url": "/users/track" },
];

test("no spelling of a path and no method override reaches a route without its limit", async () => {
  for (const route of routeTable.filter((row) => row.guard === "key")) {
    const { costs, take } = counting();
    gateway = await startStubGateway({ take, permissions: ["*", route.permission, route.alsoPermission ?? "*"] });
    const path = route.path.replaceAll(/:\w+/g, "x");
    const authorization = `Bearer ${stubKey}`;
    let requests = 0;
    for (const spell of spellings) {
      for (const method of ["GET", "HEAD", "POST", "PUT"] as const) {
        const target = spell(path);
        const answer = await rawRequest({ method, target, headers: { authorization, ...overrides[requests % overrides.length] } });
        requests += 1;
        const found = findRoute(method, target.split("?")[0] ?? "");
        const limitName = found.kind === "route" && found.route.guard === "key" ? found.route.limit : "unknown_routes";
        expect([method, target, answer.headers["ratelimit-policy"]]).toEqual([
          method,
          target,
          expect.stringContaining(`"${limitName}"`),
        ]);
      }
    }
    const counted = [...costs.values()].reduce((sum, cost) => sum + cost, 0);
    expect(counted, path).toBe(requests);
    await gateway.gateway.close();
    gateway = undefined;
  }
}, 60_000);

test("a caller of another workspace takes from other buckets", async () => {
  const clock = fakeClock();
  const limiter = openMemoryLimiter({ clock, keysMax: 10 });
  const holder = stubHolder();
  const other: ReturnType<Access["findApiKey"]> = { ...holder, workspace: { ...holder.workspace, id: "ws-2" } };
  const one = await spendQuota(holder.workspace.id, quotaOf("users_track", holder), { limiter, clock });
  const two = await spendQuota(other.workspace.id, quotaOf("users_track", other), { limiter, clock });
  expect(one.headers).toEqual(two.headers);
});
