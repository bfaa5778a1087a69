/** Sessions of the console: opened with a key, taken from our own page alone, ended by the clock, by people and with their key; and keys made there. */
import { expect, test } from "vitest";
import { apiKey, declared, workspace } from "../declaration.ts";
import { demoKey } from "../heddle.ts";
import { fresh, heddleSuite } from "../suite.ts";

const viewer = "a-key-that-may-only-look";
const keeper = "a-key-that-keeps-keys-and-tracks";
const tracker = "a-key-that-may-only-track";
const local = "a-key-that-is-used-from-here-alone";
const stranger = "a-key-of-another-workspace";
const heddle = heddleSuite({
  apply: declared({
    demo: { corsOrigins: ["https://app.example.com"] },
    keys: [
      apiKey("viewer", viewer, ["console.view"]),
      apiKey("keeper", keeper, ["console.keys", "users.track"]),
      apiKey("tracker", tracker, ["users.track"]),
      { ...apiKey("local", local), ipAllow: ["127.0.0.0/8", "::1"] },
    ],
    others: [workspace("other", [apiKey("all", stranger)])],
  }),
});

async function signIn(key: string): Promise<string> {
  const answer = await heddle.request("POST", "/console/session", { secure: false }, { key });
  expect(answer.status, answer.text).toBe(201);
  const cookie = answer.headers.get("set-cookie") ?? "";
  expect(cookie).toMatch(/^heddle_session=[\w-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
  return cookie.slice(0, cookie.indexOf(";"));
}

/** As the console's own page asks. */
async function asPage(cookie: string, call: string, body?: unknown, headers: Record<string, string> = {}) {
  const [method = "", path = ""] = call.split(" ");
  const own = { cookie, "x-heddle-console": "1", "sec-fetch-site": "same-origin", ...headers };
  return await heddle.request(method, path, body, { key: undefined, headers: own });
}

interface Keys {
  readonly keys: readonly { id: string; name: string; state: string; last_used_at?: string }[];
}

test("a session does what its key may, on every route for keys, and no more", async () => {
  const id = fresh();
  const cookie = await signIn(demoKey);
  expect((await asPage(cookie, "POST /users/track", { attributes: [{ external_id: id, a: 1 }] })).status).toBe(201);
  expect((await asPage(cookie, "GET /console/session")).body).toMatchObject({ key: { name: "all", permissions: ["*"] } });
  const looking = await signIn(viewer);
  expect((await asPage(looking, "GET /console/overview")).status).toBe(200);
  expect((await asPage(looking, "POST /users/track", { attributes: [{ external_id: id, a: 1 }] })).status).toBe(403);
  expect((await heddle.request("POST", "/console/session", {}, { key: tracker })).status).toBe(403);
});

test("a page that came by TLS gets a cookie that no other host can set", async () => {
  const answer = await heddle.request("POST", "/console/session", {}, { key: viewer });
  expect(answer.headers.get("set-cookie")).toMatch(
    /^__Host-heddle_session=[\w-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
  );
});

test("a page that came by TLS takes no plain cookie, which another host of the domain could have set", async () => {
  const cookie = await signIn(demoKey);
  expect((await asPage(cookie, "GET /console/session", undefined, { "x-heddle-console": "tls" })).status).toBe(401);
  const own = (await heddle.request("POST", "/console/session", {}, { key: viewer })).headers.get("set-cookie")?.split(";")[0];
  const both = await asPage(`${cookie}; ${own}`, "GET /console/session", undefined, { "x-heddle-console": "tls" });
  expect(both.body).toMatchObject({ key: { name: "viewer" } });
});

test("a cookie alone is nobody: without the page's header, from another site, another origin, or as a bearer", async () => {
  const cookie = await signIn(demoKey);
  const wrong: Record<string, string>[] = [
    { "x-heddle-console": "" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
  ];
  for (const headers of wrong.slice(1)) {
    expect((await asPage(cookie, "GET /console/overview", undefined, headers)).status, JSON.stringify(headers)).toBe(401);
  }
  const bare = { key: undefined, headers: { cookie } };
  expect((await heddle.request("GET", "/console/overview", undefined, bare)).status).toBe(401);
  const foreign = { key: undefined, headers: { cookie, "x-heddle-console": "1", origin: "https://app.example.com" } };
  expect((await heddle.request("POST", "/console/keys", { name: "x", permissions: ["*"] }, foreign)).status).toBe(401);
  const [, token = ""] = cookie.split("=");
  expect((await heddle.request("GET", "/console/overview", undefined, { key: token })).status).toBe(401);
  for (const forged of [`${token.slice(0, -4)}AAAA`, token.slice(0, 40), "x", "AAAA".repeat(40)]) {
    expect((await asPage(`heddle_session=${forged}`, "GET /console/overview")).status).toBe(401);
  }
});

test("a preflight allows neither the page's header nor credentials, also for a declared origin", async () => {
  const answer = await fetch(`${heddle.heddle.url}/users/track`, {
    method: "OPTIONS",
    headers: {
      origin: "https://app.example.com",
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-heddle-console",
    },
  });
  expect(answer.status).toBe(204);
  expect(answer.headers.get("access-control-allow-headers")?.toLowerCase()).not.toContain("x-heddle-console");
  expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
});

test("signing out everywhere ends every session of the key, on all gateways, and no other key's", async () => {
  const [here, there, other] = [await signIn(viewer), await signIn(viewer), await signIn(demoKey)];
  const out = await asPage(here, "POST /console/session/end-all", { secure: false });
  expect(out.headers.get("set-cookie")).toContain("Max-Age=0");
  for (const cookie of [here, there]) {
    await expect.poll(async () => (await asPage(cookie, "GET /console/overview")).status).toBe(401);
  }
  expect((await asPage(other, "GET /console/overview")).status).toBe(200);
  const again = await signIn(viewer);
  await expect.poll(async () => (await asPage(again, "GET /console/overview")).status).toBe(200);
});

test("a session outlives a restart, and opens none of its own", async () => {
  const cookie = await signIn(viewer);
  await heddle.heddle.restart();
  await expect.poll(async () => (await asPage(cookie, "GET /console/overview")).status).toBe(200);
  expect((await asPage(cookie, "POST /console/session", {})).status).toBe(401);
});

test("a key is made, rotated and revoked; its session ends with it", async () => {
  const cookie = await signIn(demoKey);
  const name = fresh("key");
  const made = (await asPage(cookie, "POST /console/keys", { name, permissions: ["console.view"] })).body as unknown as {
    key: { id: string };
    secret: string;
  };
  const session = await signIn(made.secret);
  expect((await asPage(cookie, "POST /console/keys", { name, permissions: ["console.view"] })).status).toBe(409);
  const rotated = await asPage(cookie, "POST /console/keys/rotate", { id: made.key.id, overlap_seconds: 3_600 });
  expect(rotated.status, rotated.text).toBe(201);
  const { secret } = rotated.body as unknown as { secret: string };
  await expect.poll(async () => (await heddle.request("GET", "/console/overview", undefined, { key: secret })).status).toBe(200);
  const listed = ((await asPage(cookie, "GET /console/keys")).body as unknown as Keys).keys.filter((key) => key.name === name);
  expect(listed.map(({ state }) => state).toSorted()).toEqual(["ends", "valid"]);
  expect((await asPage(cookie, "GET /console/keys")).text).not.toMatch(/digest|sessionRoot|hdl_/);
  expect((await asPage(cookie, "POST /console/keys/revoke", { id: made.key.id })).status).toBe(201);
  await expect.poll(async () => (await asPage(session, "GET /console/overview")).status).toBe(401);
  await expect.poll(async () => (await heddle.request("GET", "/console/overview", undefined, { key: made.secret })).status).toBe(401);
});

test("a key that was used says in which hour, and one that was not says nothing", async () => {
  const made = (await heddle.request("POST", "/console/keys", { name: fresh("key"), permissions: ["users.track"] }, { key: demoKey }))
    .body as unknown as { key: { id: string }; secret: string };
  async function lastUse(): Promise<string | undefined> {
    const { keys } = (await heddle.request("GET", "/console/keys", undefined, { key: demoKey })).body as unknown as Keys;
    return keys.find(({ id }) => id === made.key.id)?.last_used_at;
  }
  expect(await lastUse()).toBeUndefined();
  const before = Date.now();
  await expect.poll(async () => (await heddle.request("POST", "/users/track", {}, { key: made.secret })).status).toBe(400);
  await expect.poll(lastUse).toMatch(/:00:00[.]000Z$/);
  expect(Date.parse(await lastUse() ?? "")).toBeGreaterThan(before - 3_600_000);
});

test("nobody gives a key more than their own may, and keys of another workspace are not there", async () => {
  async function make(key: string, permissions: readonly string[]): Promise<number> {
    return (await heddle.request("POST", "/console/keys", { name: fresh("key"), permissions }, { key })).status;
  }
  expect(await make(keeper, ["users.track"])).toBe(201);
  expect(await make(keeper, ["users.track", "users.delete"])).toBe(403);
  expect(await make(keeper, ["*"])).toBe(403);
  expect(await make(demoKey, ["*"])).toBe(201);
  expect(await make(demoKey, ["console.operate"])).toBe(403);
  expect(await make(viewer, ["console.view"])).toBe(403);
  expect(await make(demoKey, ["users.nothing"])).toBe(400);
  const { keys } = (await heddle.request("GET", "/console/keys", undefined, { key: demoKey })).body as unknown as Keys;
  const all = keys.find(({ name }) => name === "all")?.id ?? "";
  expect((await heddle.request("POST", "/console/keys/rotate", { id: all }, { key: keeper })).status).toBe(403);
  const none = await heddle.request("POST", "/console/keys/revoke", { id: "key_none" }, { key: keeper });
  expect([none.status, none.body.message]).toEqual([404, 'No API key has the id "key_none"']);
  for (const name of ["two\nlines", "\u001b[2J"]) {
    const made = await heddle.request("POST", "/console/keys", { name, permissions: ["users.track"] }, { key: keeper });
    expect([made.status, made.body.message]).toEqual([400, expect.stringContaining("'name'")]);
  }
  for (const path of ["/console/keys/revoke", "/console/keys/rotate"]) {
    expect((await heddle.request("POST", path, { id: all }, { key: stranger })).status).toBe(404);
  }
});

test("a key that is held to addresses gives no secret that is good elsewhere", async () => {
  const answer = await heddle.request("POST", "/console/keys", { name: fresh("key"), permissions: ["console.view"] }, { key: local });
  const { key: made } = answer.body as unknown as { key: { id: string; ip_allow: string[] } };
  expect(made.ip_allow).toEqual(["127.0.0.0/8", "::1"]);
  expect((await heddle.request("POST", "/console/keys/rotate", { id: made.id }, { key: local })).status).toBe(201);
  const { keys } = (await heddle.request("GET", "/console/keys", undefined, { key: demoKey })).body as unknown as Keys;
  const all = keys.find(({ name }) => name === "viewer")?.id ?? "";
  const refused = await heddle.request("POST", "/console/keys/rotate", { id: all }, { key: local });
  expect([refused.status, refused.headers.get("x-heddle-reason")]).toEqual([403, "ADDRESS_NOT_ALLOWED"]);
});

test("who signed in, and whom a session exported, is in the audit log", async () => {
  const cookie = await signIn(demoKey);
  const requestId = `exported-${fresh()}`;
  await asPage(cookie, "POST /users/export/ids", { external_ids: ["nobody"] }, { "x-request-id": requestId });
  const { actions } = (await heddle.request("GET", "/console/actions", undefined, { key: demoKey })).body as unknown as {
    actions: { request_id: string; route: string; key: { name: string }; status: number }[];
  };
  expect(actions.find((action) => action.request_id === requestId)).toMatchObject({ key: { name: "all" }, route: "/users/export/ids" });
  expect(actions.find(({ route }) => route === "/console/session")).toMatchObject({ key: { name: "all" }, status: 201 });
});

test("what a session did is in the audit log with its key, refused or not; what a key did itself is not", async () => {
  const cookie = await signIn(viewer);
  const requestId = `refused-${fresh()}`;
  await asPage(cookie, "POST /users/delete", { external_ids: ["x"] }, { "x-request-id": requestId });
  await heddle.request("POST", "/users/delete", { external_ids: [fresh()] }, { headers: { "x-request-id": `direct-${requestId}` } });
  const answer = await heddle.request("GET", "/console/actions", undefined, { key: demoKey });
  const { actions } = answer.body as unknown as { actions: { request_id: string; key: { name: string } }[] };
  expect(actions.find((action) => action.request_id === requestId)).toMatchObject({
    key: { name: "viewer" },
    method: "POST",
    route: "/users/delete",
    status: 403,
    reason: "PERMISSION_MISSING",
  });
  expect(answer.text).not.toContain(`direct-${requestId}`);
  expect((await heddle.request("GET", "/console/actions", undefined, { key: stranger })).body).toMatchObject({ actions: [] });
});

test("everyone is listed in pages, of the own workspace alone", async () => {
  const id = fresh();
  await heddle.request("POST", "/users/track", {
    purchases: [{ external_id: id, product_id: "book", currency: "USD", price: 1, time: "2026-01-01" }],
  });
  interface People {
    users: { external_id?: string; purchases: number }[];
    next_page_token?: string;
  }
  async function everyone(key: string): Promise<People["users"]> {
    const found: People["users"] = [];
    for (let token: string | undefined = ""; token !== undefined;) {
      const body = token === "" ? {} : { page_token: token };
      const { users, next_page_token: next } = (await heddle.request("POST", "/console/people", body, { key })).body as unknown as People;
      found.push(...users);
      token = next;
    }
    return found;
  }
  await expect.poll(async () => (await everyone(viewer)).find((user) => user.external_id === id)).toMatchObject({ purchases: 1 });
  expect(await everyone(stranger)).toEqual([]);
});

test("the page and all its modules are small enough to open anywhere", async () => {
  let bytes = 0;
  const seen = new Set<string>();
  async function load(path: string): Promise<void> {
    if (seen.has(path)) return;
    seen.add(path);
    const answer = await fetch(heddle.heddle.url + path, { headers: { "accept-encoding": "gzip" } });
    expect(answer.status, path).toBe(200);
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    bytes += Number(answer.headers.get("content-length"));
    const text = await answer.text();
    const named = [...text.matchAll(/(?:src|href)="(\/console\/[^"]+)"|from ?"(\.\/|\/console\/assets\/)([\w.-]+)"/g)];
    for (const [, page, , module] of named) await load(page ?? `/console/assets/${module}`);
  }
  await load("/console");
  expect(seen.size).toBeGreaterThan(15);
  expect([...seen].join()).toContain("preact.js");
  expect(bytes).toBeLessThan(150 * 1024);
});
