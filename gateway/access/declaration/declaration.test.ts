/** The declaration format: what it takes, and that every problem is named with its line. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CenterState } from "../../../proto/gen/heddle/content/v1/content_service_pb.ts";

import { Refusal } from "../../../platform/refusal.ts";
import { parseDeclaration } from "./declaration.ts";
import { permissionNames } from "../permissions.ts";

/** The example of the format, as it was promised. */
const whole = `
companies:
  - name: acme
    scimTokens: [{ name: idp, origin: okta, secret: a-token-we-already-hand-out }]
    onboardedAt: 2026-11-20     # decides which published limits apply
    workspaces:
      - name: demo
        plan: standard            # or monthly_active_users (with its hourly limit and burst)
        currencyRates: { EUR: 1.08 }
        apps: [{ id: app-1, name: Web }]
        apiKeys: [{ name: all, permissions: ["*"], secret: a-key-clients-already-have }]   # without secret: made and printed once
        subscriptionGroups: [{ id: 11111111-1111-4111-8111-111111111111, name: Weekly, channel: email }]
        preferenceCenters: [{ id: 33333333-3333-4333-8333-333333333333, name: Main, state: active }]
`;

test("parseDeclaration() reads the whole format", () => {
  const [company] = parseDeclaration(whole).companies;
  expect(company).toMatchObject({ name: "acme", onboardedAt: "2026-11-20", line: 3 });
  expect(company?.scimTokens).toMatchObject([{ name: "idp", origin: "okta", secret: "a-token-we-already-hand-out" }]);
  expect(company?.workspaces[0]).toMatchObject({
    name: "demo",
    plan: { kind: "standard" },
    currencyRates: { EUR: "1.08" },
    apps: [{ id: "app-1", name: "Web" }],
    apiKeys: [{ name: "all", permissions: ["*"], secret: "a-key-clients-already-have" }],
    items: [
      { kind: "subscription_group", id: "11111111-1111-4111-8111-111111111111", content: { name: "Weekly", channel: "email" } },
    ],
    pages: { centers: [{ id: "33333333-3333-4333-8333-333333333333", name: "Main", content: { state: CenterState.ACTIVE } }] },
  });
});

test("parseDeclaration() reads JSON too", () => {
  const text = JSON.stringify({ companies: [{ name: "acme", workspaces: [{ name: "demo", currencyRates: { EUR: 1.08 } }] }] }, null, 2);
  expect(parseDeclaration(text).companies[0]?.workspaces[0]).toMatchObject({ name: "demo", line: 6, currencyRates: { EUR: "1.08" } });
});

test.each([
  ["standard", { kind: "standard" }],
  ["monthly_active_users", { kind: "monthly_active_users", requestsPerHour: 250_000, requestsPerSecondBurst: 1_000 }],
  [
    "{ kind: monthly_active_users, requestsPerHour: 7200, requestsPerSecondBurst: 10 }",
    { kind: "monthly_active_users", requestsPerHour: 7200, requestsPerSecondBurst: 10 },
  ],
])("parseDeclaration() reads the plan %s", (plan, expected) => {
  expect(parseDeclaration(workspace(`plan: ${plan}`)).companies[0]?.workspaces[0]?.plan).toEqual(expected);
});

test.each([
  ["1.08", "1.08"],
  ["1.10", "1.1"],
  ["2", "2"],
  ["0.0000000001", "0.0000000001"],
  [`"0.007"`, "0.007"],
])("parseDeclaration() keeps the rate %s as decimal text", (written, expected) => {
  expect(parseDeclaration(workspace(`currencyRates: { JPY: ${written} }`)).companies[0]?.workspaces[0]?.currencyRates).toEqual({
    JPY: expected,
  });
});

test.each<[string, string, RegExp]>([
  ["a misspelt field", workspace("aps: []"), /^line 5: unknown field "aps" in .*did you mean "apps"/],
  ["another case", workspace("apikeys: []"), /^line 5: unknown field "apikeys".*did you mean "apiKeys"/],
  ["an unknown field", workspace("colour: red"), /^line 5: unknown field "colour".*it has name, id, plan/],
  ["an unknown field at the top", "companies: []\nusers: []", /^line 2: unknown field "users"/],
  ["nothing", "", /^line 1: the declaration has no "companies"/],
  ["a list", "[]", /^line 1: "the declaration" must be a mapping/],
  ["text for a list", workspace("apps: web"), /^line 5: "apps" must be a list, not text/],
  ["a missing name", "companies:\n  - onboardedAt: 2026-01-01", /^line 2: companies\[0\] has no "name"/],
  ["an empty name", "companies:\n  - name:", /^line 2: "name" is empty/],
  ["a number for a name", "companies:\n  - name: 2026", /^line 2: "name" must be text, not the number 2026: put it in quotes/],
  ["a day that is none", "companies:\n  - name: a\n    onboardedAt: 2026-02-30", /^line 3: "onboardedAt" must be a date/],
  ["an unknown plan", workspace("plan: standart"), /^line 5: unknown plan "standart"; did you mean "standard"/],
  [
    "a plan's limit below 1",
    workspace("plan: { kind: monthly_active_users, requestsPerHour: 0 }"),
    /^line 5: "requestsPerHour" must be a whole number from 1/,
  ],
  [
    "a limit on the standard plan",
    workspace("plan: { kind: standard, requestsPerHour: 5 }"),
    /^line 5: the standard plan has no "requestsPerHour"/,
  ],
  ["a rate of nothing", workspace("currencyRates: { EUR: 0 }"), /^line 5: the rate of EUR must be a decimal number above 0/],
  ["a rate of no currency", workspace("currencyRates: { EURO: 1.1 }"), /^line 5: "EURO" is not an ISO 4217 currency code/],
  ["a rate of the dollar", workspace("currencyRates: { USD: 1 }"), /^line 5: rates are US dollars/],
  [
    "an unknown permission",
    workspace("apiKeys: [{ name: k, permissions: [user.track] }]"),
    /unknown permission "user.track"; did you mean "users.track"/,
  ],
  ["a key without permissions", workspace("apiKeys: [{ name: k }]"), /^line 5: an API key has no "permissions"/],
  [
    "a short secret",
    workspace(`apiKeys: [{ name: k, permissions: ["*"], secret: short }]`),
    /^line 5: a secret has at least 10 printable characters/,
  ],
  ["a secret with a tab", workspace(`apiKeys: [{ name: k, permissions: ["*"], secret: "a\\tsecret-of-ours" }]`), /printable ASCII/],
  [
    "a made-up secret of ours",
    workspace(`apiKeys: [{ name: k, permissions: ["*"], secret: hdl_0123456789 }]`),
    /checksum of this one is wrong/,
  ],
  [
    "an address that is none",
    workspace(`apiKeys: [{ name: k, permissions: ["*"], ipAllow: [10.0.0.0/33] }]`),
    /neither an IP address nor a range/,
  ],
  [
    "an address with a zone",
    workspace(`apiKeys: [{ name: k, permissions: ["*"], ipAllow: [fe80::1%eth0] }]`),
    /neither an IP address nor a range/,
  ],
  ["an unknown channel", workspace("subscriptionGroups: [{ id: g1, name: G, channel: mail }]"), /unknown channel "mail"/],
  [
    "an unknown state",
    workspace("preferenceCenters: [{ id: p1, name: P, state: activ }]"),
    /unknown state "activ"; it is one of active, draft/,
  ],
  [
    "half of a surrogate pair",
    workspace(String.raw`campaigns: [{ name: C, variations: [{ name: A, channel: email, source: { id_0: "a\ud800b" } }] }]`),
    /^line 5: "id_0" must not hold half of a surrogate pair/,
  ],
  ["an id with a space", workspace("id: a b"), /^line 5: "id" must be letters/],
  ["the same field twice", workspace("id: a\n        id: b"), /^line 6: the same field stands twice/],
  ["broken YAML", "companies: [", /^line 1: not valid YAML or JSON/],
  ["broken JSON", `{"companies": [}`, /^line 1: not valid YAML or JSON/],
])("parseDeclaration() refuses %s and names the line", (_, text, expected) => {
  expect(refusalOf(text).message).toMatch(expected);
});

test.each<[string, string, RegExp]>([
  ["a company", "companies:\n  - name: a\n  - name: a", /^line 3: the company "a" stands on line 2 already/],
  ["a workspace of a company", "companies:\n  - name: a\n    workspaces:\n      - name: w\n      - name: w", /^line 5: the workspace "w"/],
  [
    "a workspace id anywhere",
    "companies:\n  - name: a\n    workspaces: [{ name: w, id: x }]\n  - name: b\n    workspaces: [{ name: w, id: x }]",
    /^line 5: the workspace id "x"/,
  ],
  [
    "a key name",
    workspace(`apiKeys:\n          - { name: k, permissions: ["*"] }\n          - { name: k, permissions: ["*"] }`),
    /^line 7: the API key "k" stands on line 6/,
  ],
  [
    "a group id",
    workspace("subscriptionGroups:\n          - { id: g, name: A, channel: email }\n          - { id: g, name: B, channel: sms }"),
    /^line 7: the subscription group id "g"/,
  ],
  ["an app id", workspace("apps:\n          - { id: x, name: A }\n          - { id: x, name: B }"), /^line 7: the app id "x"/],
])("parseDeclaration() refuses %s twice", (_, text, expected) => {
  expect(refusalOf(text).message).toMatch(expected);
});

test("parseDeclaration() refuses a secret twice, wherever it stands, and does not show it", () => {
  const text = `
companies:
  - name: a
    scimTokens: [{ name: t, secret: the-same-secret }]
    workspaces: [{ name: w, apiKeys: [{ name: k, permissions: ["*"], secret: the-same-secret }] }]
`;
  const { message } = refusalOf(text);
  expect(message).toMatch(/^line 5: the secret stands on line 4 already/);
  expect(message).not.toContain("the-same-secret");
});

test("parseDeclaration() reports all problems at once, in the order of their lines", () => {
  const refusal = refusalOf(`
companies:
  - name: acme
    onboardedOn: 2026-01-01
    workspaces:
      - name: demo
        plan: gold
        apps: [{ id: app-1, nam: Web }]
  - nam: other
`);
  const lines = refusal.message.split("\n").map((line) => line.slice(0, 7));
  expect(refusal.reason).toBe("INPUT_INVALID");
  expect(lines).toEqual(["line 4:", "line 7:", "line 8:", "line 8:", "line 9:", "line 9:"]);
});

function workspace(field: string): string {
  return `companies:\n  - name: acme\n    workspaces:\n      - name: demo\n        ${field}\n`;
}

function refusalOf(text: string): Refusal {
  try {
    parseDeclaration(text);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("It was not refused");
}

test("parseDeclaration() takes the example, and its description names every permission", () => {
  const root = new URL("../../../", import.meta.url);
  expect(parseDeclaration(readFileSync(new URL("examples/demo.yaml", root), "utf8")).companies[0]?.workspaces).toHaveLength(2);
  const page = readFileSync(new URL("docs/declaration.md", root), "utf8");
  for (const name of permissionNames) expect(page).toContain(`\`${name}\``);
});
