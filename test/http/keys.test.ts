/** API keys: missing, unknown, revoked and misplaced ones are refused, those of commands work at once, and none is kept or logged. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../command-line.ts";
import { apiKey, declared, scimTokens } from "../declaration.ts";
import { demoKey, testShape } from "../heddle.ts";
import { fresh, heddleSuite } from "../suite.ts";

const scimToken = "scim-token-of-the-key-tests";
const heddle = heddleSuite({
  apply: declared({
    company: { scimTokens: scimTokens(scimToken) },
    keys: [apiKey("doomed", "doomed-key-of-the-tests")],
  }),
});
const body = { attributes: [{ external_id: "someone", a: 1 }] };

for (
  const [title, headers] of [
    ["no key", {}],
    ["an empty header", { authorization: "" }],
    ["a key without Bearer", { authorization: demoKey }],
    ["another scheme", { authorization: `Basic ${demoKey}` }],
    ["a key in quotes", { authorization: `Bearer "${demoKey}"` }],
    ["an unknown key", { authorization: "Bearer nobody-has-this-key" }],
    ["a key in another case", { authorization: `Bearer ${demoKey.toUpperCase()}` }],
    ["a part of a key", { authorization: `Bearer ${demoKey.slice(0, -1)}` }],
    ["a key and more", { authorization: `Bearer ${demoKey} ${demoKey}` }],
    ["a key of 10 KB", { authorization: `Bearer ${"k".repeat(10_000)}` }],
    ["a key of ours with a wrong checksum", { authorization: "Bearer hdl_0000000000000000000000000000000000000000" }],
  ] as const
) {
  test(`keys: ${title} is 401 in JSON, without the key in the answer`, async () => {
    const answer = await heddle.post("/users/track", body, { key: undefined, headers });
    expect(answer.status).toBe(401);
    expect(answer.body.message).toMatch(/\S/);
    expect(answer.text).not.toContain(demoKey.slice(0, -1));
    expect(answer.text).not.toContain("nobody-has-this-key");
  });
}

test("keys: an unknown key reads Invalid API key", async () => {
  expect((await heddle.post("/users/track", body, { key: "nobody-has-this-key" })).body.message).toBe("Invalid API key");
});

test("keys: api_key in the body or the URL is refused with a message that names the header", async () => {
  const inBody = await heddle.post("/users/track", { ...body, api_key: demoKey }, { key: undefined });
  const inUrl = await heddle.post(`/users/track?api_key=${demoKey}`, body, { key: undefined });
  for (const answer of [inBody, inUrl]) {
    expect(answer.status).toBe(401);
    expect(answer.body.message).toContain("Authorization");
    expect(answer.text).not.toContain(demoKey);
  }
});

test("keys: api_key in the body is ignored beside a good key in the header, on every route alike", async () => {
  const reads = { external_ids: ["someone"] };
  const routes = [["/users/track", body], ["/users/track/sync", body], ["/users/track/bulk", body], ["/users/export/ids", reads]] as const;
  for (const [path, sent] of routes) {
    const answer = await heddle.post(path, { ...sent, api_key: "key-of-long-ago", partner: "someone" });
    expect([path, answer.status]).toEqual([path, 201]);
  }
});

test("keys: a key revoked on the command line is refused within a second, while the server runs", async () => {
  const doomed = { key: "doomed-key-of-the-tests" };
  expect((await heddle.request("POST", "/users/track", body, doomed)).status).toBe(201);
  const variables = heddle.heddle.commandEnv;
  const list = await runCommand(["keys", "list", "--workspace", "acme/demo", "--json"], variables);
  expect(list.code, list.errors).toBe(0);
  const keys: { id: string; name: string }[] = JSON.parse(list.output);
  const revoked = await runCommand(["keys", "revoke", keys.find((key) => key.name === "doomed")?.id ?? "none"], variables);
  expect(revoked.code, revoked.errors).toBe(0);
  const since = performance.now();
  await expect.poll(async () => (await heddle.request("POST", "/users/track", body, doomed)).status, { interval: 50 }).toBe(401);
  // A second is the promise; the rest is for a machine that has other things to do
  expect(performance.now() - since).toBeLessThan(5_000);
  expect((await heddle.request("POST", "/users/track", body)).status).toBe(201);
});

test("keys: a key made on the command line works at once, and opens what it may", async () => {
  const { secret } = await made("keys", "create", "--workspace", "acme/demo", "--name", "made", "--permissions", "users.track");
  await expect.poll(async () => (await heddle.request("POST", "/users/track", body, { key: secret })).status, { interval: 50 }).toBe(
    201,
  );
  expect((await heddle.request("POST", "/users/export/ids", { external_ids: ["a"] }, { key: secret })).status).toBe(403);
});

/** What a command that makes a secret prints. */
async function made(...words: string[]): Promise<{ id: string; secret: string }> {
  const result = await runCommand([...words, "--json"], heddle.heddle.commandEnv);
  expect(result.code, result.errors).toBe(0);
  return JSON.parse(result.output);
}

test("keys: no secret is at rest or in the log, in whatever place it was sent, and in none of its forms", async () => {
  const name = fresh("made");
  const key = await made("keys", "create", "--workspace", "acme/demo", "--name", name, "--permissions", "*");
  const next = await made("keys", "rotate", key.id);
  const token = await made("scim-tokens", "create", "--company", "acme", "--name", name, "--origin", "okta");
  const secrets = [demoKey, key.secret, next.secret, token.secret, scimToken, "nobody-has-this-key"];
  const id = fresh();
  for (const secret of secrets) {
    const authorization = `Basic ${Buffer.from(secret).toString("base64")}`;
    const origin = { "x-request-origin": "okta" };
    await heddle.post("/users/track", { attributes: [{ external_id: id, a: 1 }] }, {
      key: secret,
      headers: { "idempotency-key": fresh("key") },
    });
    await heddle.post(`/users/track?api_key=${secret}`, body, { key: secret });
    await heddle.post("/users/track", { ...body, api_key: secret }, { key: undefined, headers: { authorization } });
    await heddle.get(`/users/merge/status/${secret}`, { key: secret });
    await heddle.get(`/nowhere/${secret}`, { key: secret });
    await heddle.get(`/scim/v2/Users?access_token=${secret}`, { key: secret, headers: origin });
    await heddle.get("/scim/v2/Users/nobody", { key: secret, headers: { "x-request-origin": secret } });
  }
  // Where nothing at all is found, the wrong place was searched
  const markers = testShape === "mesh" ? [id, "limit:{", name] : [name];
  await expect.poll(() => heddle.heddle.dataFolders.map((folder, at) => holds(folder, markers[at] ?? ""))).toEqual(markers.map(() => true));
  for (const secret of secrets.flatMap(formsOf)) {
    for (const folder of heddle.heddle.dataFolders) expect(holds(folder, secret), `${folder} holds a secret`).toBe(false);
    expect(heddle.heddle.output()).not.toContain(secret);
  }
});

/** A secret as it is, and as others might write it down. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString("base64"), bytes.toString("base64url"), bytes.toString("hex")];
}

function holds(folder: string, text: string): boolean {
  return filesBelow(folder).some((path) => bytesOf(path).includes(text));
}

/** A server may drop a folder while we look: then we look again. */
function filesBelow(folder: string, looks = 20): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (looks === 1 || (error as { code?: string }).code !== "ENOENT") throw error;
    return filesBelow(folder, looks - 1);
  }
}

/** A database may drop a file while we look. */
function bytesOf(path: string): Buffer {
  return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
}

test("keys: a key that is declared with other permissions has those, under the same secret", async () => {
  const made = { name: fresh("made"), secret: fresh("secret-of-a-key") };
  const file = join(mkdtempSync(join(tmpdir(), "heddle-keys-")), "declaration.yaml");
  const call = { key: made.secret };
  for (const [permission, track, remove] of [["users.track", 201, 403], ["users.delete", 403, 201]] as const) {
    const key = `{ name: ${made.name}, secret: ${made.secret}, permissions: [${permission}] }`;
    writeFileSync(file, `companies:\n  - name: acme\n    workspaces:\n      - name: demo\n        apiKeys: [${key}]\n`);
    const { code, errors } = await runCommand(["apply", "-f", file], heddle.heddle.commandEnv);
    expect(code, errors).toBe(0);
    await expect.poll(async () => (await heddle.request("POST", "/users/track", body, call)).status).toBe(track);
    expect((await heddle.request("POST", "/users/delete", { external_ids: ["a"] }, call)).status).toBe(remove);
  }
  rmSync(dirname(file), { recursive: true });
});
