/** Applying declarations: idempotent, additive without prune, and exact with it. */
import { describe, expect, test } from "vitest";

import { fakeClock } from "../../../platform/clock.fixture.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { parseDeclaration } from "../declaration/declaration.ts";
import { declare, type DeclareOptions } from "./declare.ts";
import { differencesOf } from "./declared-differences.ts";
import { revokeKey, rotateKey } from "../keys/keys.ts";
import { openAccess } from "../store/sqlite.ts";
import { rotateToken } from "../keys/tokens.ts";

const acme = `
companies:
  - name: acme
    onboardedAt: 2026-11-20
    scimTokens: [{ name: idp, origin: okta }]
    workspaces:
      - name: demo
        currencyRates: { EUR: 1.08 }
        apps: [{ id: app-1, name: Web }]
        apiKeys:
          - { name: ours, permissions: [users.track], secret: a-key-clients-already-have }
          - { name: made, permissions: ["*"] }
        subscriptionGroups: [{ id: g1, name: Weekly, channel: email }]
        teams: [{ name: Main }]
`;

async function open() {
  const clock = fakeClock();
  const access = await openAccess({ database: openDatabase({ path: ":memory:" }), clock });
  return { access, clock, apply: (text: string, options?: DeclareOptions) => declare(access, parseDeclaration(text), options) };
}

test("declare() makes everything once and shows the secrets it made once", async () => {
  const { access, apply } = await open();
  const result = await apply(acme);
  expect(new Set(result.changes.map((change) => change.action))).toEqual(new Set(["created"]));
  expect(result.secrets.map((made) => made.path)).toEqual(["acme/demo/made", "acme/idp"]);
  expect(access.findScimToken(result.secrets[1]?.secret ?? "")?.token.name).toBe("idp");
  expect(access.findApiKey(result.secrets[0]?.secret ?? "")?.key.name).toBe("made");
  const workspaceId = access.findApiKey("a-key-clients-already-have")?.workspace.id ?? "";
  expect(access.declared(workspaceId, "subscription_group")).toMatchObject([{ id: "g1", content: { name: "Weekly", channel: "email" } }]);
  expect(access.declared(workspaceId, "team")).toMatchObject([{ content: { name: "Main" } }]);
});

test("declare() of the same file changes nothing, with prune or without", async () => {
  const { access, apply } = await open();
  await apply(acme);
  const rows = access.rows();
  for (const prune of [false, true]) {
    const again = await apply(acme, { prune });
    expect(new Set(again.changes.map((change) => change.action))).toEqual(new Set(["unchanged"]));
    expect(again.secrets).toEqual([]);
    expect(access.rows()).toEqual(rows);
  }
});

test("declare() with dryRun changes nothing and makes no secret", async () => {
  const { access, apply } = await open();
  const result = await apply(acme, { dryRun: true });
  expect(result.changes.length).toBeGreaterThan(0);
  expect(result.secrets).toEqual([]);
  expect(access.rows().companies).toEqual([]);
});

test("declare() keeps what the file leaves out, and updates what it says otherwise", async () => {
  const { access, apply } = await open();
  await apply(acme);
  const before = access.findApiKey("a-key-clients-already-have")?.workspace;
  const result = await apply(`
companies:
  - name: acme
    workspaces:
      - name: demo
        plan: monthly_active_users
        currencyRates: { GBP: 1.3 }
        apps: [{ id: app-1, name: Web shop }, { id: app-2, name: Phone }]
        apiKeys: [{ name: ours, permissions: [users.track, users.export.ids], secret: a-key-clients-already-have }]
`);
  expect(result.changes.map((change) => [change.action, change.path])).toEqual([
    ["unchanged", "acme"],
    ["updated", "acme/demo"],
    ["updated", "acme/demo/ours"],
  ]);
  const holder = access.findApiKey("a-key-clients-already-have");
  expect(holder?.key.permissions).toEqual(["users.track", "users.export.ids"]);
  expect(holder?.company.onboardedAt).toBe("2026-11-20");
  expect(holder?.workspace).toMatchObject({
    id: before?.id,
    plan: { kind: "monthly_active_users" },
    currencyRates: { EUR: "1.08", GBP: "1.3" },
    apps: [{ id: "app-1", name: "Web shop" }, { id: "app-2", name: "Phone" }],
  });
  expect(access.rows().keys).toHaveLength(2);
});

test("declare() with prune removes what the file does not name, and the same secret may come back", async () => {
  const { access, apply } = await open();
  await apply(acme);
  const { changes } = await apply("companies:\n  - name: acme\n    workspaces: [{ name: demo }]", { prune: true });
  expect(changes.filter((change) => change.action === "pruned").map((change) => change.path).sort()).toEqual([
    "acme/demo/Main",
    "acme/demo/Weekly",
    "acme/demo/made",
    "acme/demo/ours",
    "acme/idp",
  ]);
  expect(access.findApiKey("a-key-clients-already-have")).toBeUndefined();
  expect(access.rows()).toMatchObject({ keys: [], tokens: [], declared: [], workspaces: [{ currencyRates: {}, apps: [] }] });
  await apply(acme);
  expect(access.findApiKey("a-key-clients-already-have")).toBeDefined();
});

test("declare() with prune removes a workspace and a company", async () => {
  const { access, apply } = await open();
  await apply(acme);
  await apply("companies: [{ name: other }]", { prune: true });
  expect(access.rows()).toMatchObject({ companies: [{ name: "other" }], workspaces: [], keys: [], tokens: [] });
});

test("declare() never brings a revoked key back", async () => {
  const { access, apply } = await open();
  await apply(acme);
  await revokeKey(access, access.findApiKey("a-key-clients-already-have")?.key.id ?? "");
  const { changes } = await apply(acme);
  expect(access.findApiKey("a-key-clients-already-have")).toBeUndefined();
  expect(changes.find((change) => change.path === "acme/demo/ours")).toMatchObject({
    action: "unchanged",
    note: expect.stringContaining("revoked"),
  });
});

describe("declare() of what ends by itself, as its secret was rotated", () => {
  const ours = "a-key-clients-already-have";
  const narrow = `
companies:
  - name: acme
    scimTokens: [{ name: idp, ipAllow: [10.0.0.0/8] }]
    workspaces: [{ name: demo, apiKeys: [{ name: ours, permissions: [users.export.ids], secret: ${ours} }, { name: made, permissions: [email.status] }] }]
`;

  async function rotated() {
    const { access, clock, apply } = await open();
    const { secrets } = await apply(acme);
    const [made = "", idp = ""] = secrets.map(({ secret }) => secret);
    const next = await rotateKey(access, access.findApiKey(made)?.key.id ?? "", 1_000);
    await rotateKey(access, access.findApiKey(ours)?.key.id ?? "", 1_000);
    await rotateToken(access, access.findScimToken(idp)?.token.id ?? "", 1_000);
    return { access, clock, apply, made, idp, next };
  }

  test("gives it the rights of the file, with the secret in it or not, and leaves it its end", async () => {
    const { access, clock, apply, made, idp, next } = await rotated();
    const trial = await apply(narrow, { dryRun: true });
    const { changes } = await apply(narrow);
    expect(changes).toEqual(trial.changes);
    expect(
      changes.filter(({ note }) => note === `ends at ${new Date(clock.now() + 1_000).toISOString()}`).map((
        { action, path },
      ) => [action, path]),
    )
      .toEqual([["updated", "acme/demo/ours"], ["updated", "acme/demo/made"], ["updated", "acme/idp"]]);
    expect(access.findApiKey(ours)?.key.permissions).toEqual(["users.export.ids"]);
    expect(access.findApiKey(made)?.key.permissions).toEqual(["email.status"]);
    expect(access.findApiKey(next.secret)?.key.permissions).toEqual(["email.status"]);
    expect(access.findScimToken(idp)?.token.ipAllow).toEqual(["10.0.0.0/8"]);
    clock.advance(1_000);
    expect([access.findApiKey(ours), access.findApiKey(made), access.findScimToken(idp)]).toEqual([undefined, undefined, undefined]);
    const after = await apply(narrow);
    expect(after.changes.find(({ path }) => path === "acme/demo/ours")).toMatchObject({
      action: "unchanged",
      note: expect.stringContaining("revoked"),
    });
    expect(after.secrets).toEqual([]);
  });

  test("prunes it no earlier where the file does not say the secret, and makes another where no other is left", async () => {
    const { access, apply, made, idp, next } = await rotated();
    await apply(acme, { prune: true });
    expect(access.findApiKey(made)).toBeDefined();
    expect(access.findScimToken(idp)).toBeDefined();
    await revokeKey(access, next.key.id);
    const { changes, secrets } = await apply(acme);
    expect(secrets.map(({ path }) => path)).toEqual(["acme/demo/made"]);
    expect(changes.filter(({ path }) => path === "acme/demo/made").map(({ note }) => note)).not.toContainEqual(
      expect.stringContaining("pruned"),
    );
    await apply(acme, { prune: true });
    expect(access.findApiKey(made)).toBeDefined();
  });

  test("differencesOf() compares it as any other", async () => {
    const { access, clock, apply } = await rotated();
    await apply(narrow);
    const { workspaces } = access.rows();
    const declaration = parseDeclaration(narrow.replace(`, secret: ${ours}`, "").replace("email.status", "users.track"));
    const compared = { workspaceId: workspaces[0]?.id ?? "", now: clock.now() };
    expect(
      differencesOf(declaration, access.rows(), compared).filter(({ what }) => what === "API key").map((
        { action, path },
      ) => [action, path]),
    )
      .toEqual([["updated", "acme/demo/ours"], ["updated", "acme/demo/made"], ["updated", "acme/demo/made"]]);
  });
});

test("declare() with another secret adds it, and the former one ends with prune", async () => {
  const { access, apply } = await open();
  await apply(acme);
  const changed = acme.replace("a-key-clients-already-have", "another-key-of-ours");
  await apply(changed);
  expect(access.findApiKey("a-key-clients-already-have")).toBeDefined();
  expect(access.findApiKey("another-key-of-ours")).toBeDefined();
  await apply(changed, { prune: true });
  expect(access.findApiKey("a-key-clients-already-have")).toBeUndefined();
  expect(access.findApiKey("another-key-of-ours")).toBeDefined();
});

test("declare() keeps given ids, and finds a thing by its id under another name", async () => {
  const { access, apply } = await open();
  await apply("companies: [{ name: a, id: co-1, workspaces: [{ name: w, id: ws-1, teams: [{ name: P, id: pc-1 }] }] }]");
  const { changes } = await apply(
    "companies: [{ name: b, id: co-1, workspaces: [{ name: v, id: ws-1, teams: [{ name: Q, id: pc-1 }] }] }]",
  );
  expect(changes.map((change) => [change.action, change.id])).toEqual([["updated", "co-1"], ["updated", "ws-1"], ["updated", "pc-1"]]);
  expect(access.workspace("ws-1")?.name).toBe("v");
});

test.each([
  [
    "another id for a known name",
    "companies:\n  - { name: acme, id: other }",
    /line 2: the company "acme" exists with the id "co_\w+"; an id cannot change to "other"/,
  ],
  [
    "a secret of another workspace",
    `companies:\n  - name: acme\n    workspaces:\n      - name: new\n        apiKeys: [{ name: k, permissions: ["*"], secret: a-key-clients-already-have }]`,
    /line 5: the secret of "acme\/new\/k" already belongs to another key or token/,
  ],
  [
    "two entries that mean one key",
    `companies:\n  - name: acme\n    workspaces:\n      - name: demo\n        apiKeys:\n          - { name: x, permissions: ["*"], secret: a-key-clients-already-have }\n          - { name: ours, permissions: ["*"] }`,
    /line 7: the API key "acme\/demo\/ours" is one that the file has under another name/,
  ],
])("declare() refuses %s and changes nothing", async (_, text, expected) => {
  const { access, apply } = await open();
  await apply(acme);
  const rows = access.rows();
  await expect(apply(text)).rejects.toThrow(expected);
  expect(access.rows()).toEqual(rows);
});

const provisioned = `
companies:
  - name: acme
    permissionSets: [{ id: set-1, name: Editors }]
    scimTokens: [{ name: idp, origin: okta, originHeader: optional, defaultWorkspace: demo, secret: a-token-of-the-company }]
    workspaces:
      - name: demo
        teams: [{ id: team-1, name: North }, { name: South }]
  - name: other
    permissionSets: [{ id: set-1, name: Readers }]
    workspaces: [{ name: hidden, teams: [{ name: Main }] }]
`;

test("declare() gives a token its terms and the directory of its own company", async () => {
  const { access, apply } = await open();
  await apply(provisioned);
  const holder = access.findScimToken("a-token-of-the-company");
  const [workspace] = access.rows().workspaces;
  expect(holder?.token).toMatchObject({ origin: "okta", originHeader: "optional", defaultWorkspaceId: workspace?.id });
  expect(holder?.directory).toEqual({
    permissionSets: [{ id: "set-1", name: "Editors" }],
    workspaces: [{
      id: workspace?.id,
      name: "demo",
      teams: expect.arrayContaining([{ id: "team-1", name: "North" }, { id: expect.any(String), name: "South" }]),
    }],
  });
  for (const prune of [false, true]) {
    expect(new Set((await apply(provisioned, { prune })).changes.map(({ action }) => action))).toEqual(new Set(["unchanged"]));
  }
  // What the file leaves out stays
  await apply(`companies: [{ name: acme, scimTokens: [{ name: idp, secret: a-token-of-the-company }] }]`);
  expect(access.findScimToken("a-token-of-the-company")?.token).toMatchObject({ origin: "okta", defaultWorkspaceId: workspace?.id });
  const pruned = await apply(`companies: [{ name: acme }]`, { prune: true });
  expect(pruned.changes.filter(({ action }) => action === "pruned").map(({ what, path }) => `${what} ${path}`)).toEqual(
    expect.arrayContaining(["team acme/demo/North", "permission set acme/Editors", "permission set other/Readers", "SCIM token acme/idp"]),
  );
});

test("declare() refuses a new token without an origin, and a default workspace of another company", async () => {
  const { apply } = await open();
  await apply(provisioned);
  await expect(apply(`companies: [{ name: acme, scimTokens: [{ name: new }] }]`)).rejects.toThrow(/line 1: .*has no "origin"/);
  await expect(apply(`companies: [{ name: acme, scimTokens: [{ name: new, origin: o, defaultWorkspace: hidden }] }]`)).rejects.toThrow(
    /no workspace "hidden"/,
  );
  for (const terms of [`origin: "a b\\u0001"`, `origin: o, originHeader: never`]) {
    expect(() => parseDeclaration(`companies: [{ name: acme, scimTokens: [{ name: new, ${terms} }] }]`)).toThrow(/origin/);
  }
});
