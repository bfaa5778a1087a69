/** What belongs to another workspace or company is not there: a caller who names it gets the answer for what does not exist. */
import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import type { Answer } from "../client.ts";
import { apiKey, declared, scimTokens, workspace } from "../declaration.ts";
import { fresh, freshEmail, freshPhone, heddleSuite } from "../suite.ts";

const theirKey = "key-of-another-workspace";
const [ownToken, theirToken] = ["scim-token-of-acme-0001", "scim-token-of-rival-001"];
const heddle = heddleSuite({
  apply: declared({
    company: { scimTokens: scimTokens(ownToken) },
    others: [workspace("other", [apiKey("all", theirKey)])],
    companies: [{ name: "rival", scimTokens: scimTokens(theirToken) }],
  }),
});

/** A user of our workspace, with every name that one can have. */
const user = { external_id: fresh(), email: freshEmail(), phone: freshPhone(), alias: { alias_name: fresh("alias"), alias_label: "crm" } };
let brazeId = "";
let jobId = "";
beforeAll(async () => {
  await heddle.track({ attributes: [{ external_id: user.external_id, email: user.email, phone: user.phone, mine: 1 }] });
  await heddle.accept("/users/alias/new", { user_aliases: [{ external_id: user.external_id, ...user.alias }] });
  brazeId = (await heddle.user(user.external_id)).braze_id ?? "";
  const [source, target] = [fresh(), fresh()];
  await heddle.track({ attributes: [{ external_id: source, a: 1 }, { external_id: target, b: 2 }] });
  jobId = await heddle.merge(source, target);
  expect(jobId).toMatch(/\S/);
});

function theirs(method: string, path: string, body?: unknown): Promise<Answer> {
  return heddle.request(method, path, body, { key: theirKey });
}

/** An answer without what is of one request alone. */
function told({ status, text }: Answer, name: string): string {
  return `${status} ${text.replaceAll(name, "NAME")}`;
}

const names: readonly (readonly [what: string, ours: () => object, nobodys: () => object])[] = [
  ["an external id", () => ({ external_ids: [user.external_id] }), () => ({ external_ids: [fresh()] })],
  ["an id of ours", () => ({ braze_id: brazeId }), () => ({ braze_id: "0123456789abcdef01234567" })],
  ["an alias", () => ({ user_aliases: [user.alias] }), () => ({ user_aliases: [{ ...user.alias, alias_name: fresh() }] })],
  ["an email", () => ({ email_address: user.email }), () => ({ email_address: freshEmail() })],
  ["a phone", () => ({ phone: user.phone }), () => ({ phone: freshPhone() })],
];

test.each(names)("another workspace's key exports nobody by %s", async (_what, ours, nobodys) => {
  const [known, unknown] = [await theirs("POST", "/users/export/ids", ours()), await theirs("POST", "/users/export/ids", nobodys())];
  expect([known.status, known.body.users]).toEqual([unknown.status, []]);
  expect(Object.keys(known.body)).toEqual(Object.keys(unknown.body));
  expect((await heddle.find(ours())).length).toBe(1);
});

test("another workspace's key changes no user of ours, by whatever name", async () => {
  const before = await heddle.user(user.external_id);
  const alias = { user_alias: user.alias };
  await theirs("POST", "/users/track", {
    attributes: [{ braze_id: brazeId }, { platform_id: brazeId }, { external_id: user.external_id }, alias, { email: user.email }, {
      phone: user.phone,
    }].map((name) => ({ ...name, stolen: 1 })),
    events: [{ external_id: user.external_id, name: "stolen", time: "2026-01-01T00:00:00Z" }],
  });
  await theirs("POST", "/users/alias/update", {
    alias_updates: [{ alias_label: "crm", old_alias_name: user.alias.alias_name, new_alias_name: "x" }],
  });
  await theirs("POST", "/users/identify", { aliases_to_identify: [{ external_id: "thief", ...alias }] });
  await theirs("POST", "/users/external_ids/rename", {
    external_id_renames: [{ current_external_id: user.external_id, new_external_id: "thief" }],
  });
  await theirs("POST", "/users/external_ids/remove", { external_ids: [user.external_id] });
  await theirs("POST", "/users/merge", {
    merge_updates: [{ identifier_to_merge: { external_id: user.external_id }, identifier_to_keep: { external_id: "thief" } }],
  });
  await theirs("POST", "/users/delete", { external_ids: [user.external_id] });
  await theirs("POST", "/users/delete", { braze_ids: [brazeId] });
  await theirs("POST", "/users/delete", { user_aliases: [user.alias] });
  expect(await heddle.user(user.external_id)).toEqual(before);
});

test("a merge job of ours is one that nobody has", async () => {
  const nobody = `job_${"0".repeat(Math.max(1, jobId.length - "job_".length))}`;
  for (
    const [method, path, body] of [
      ["GET", (id: string) => `/users/merge/status/${id}`, () => undefined],
      ["POST", () => "/users/merge/undo", (id: string) => ({ job_id: id })],
    ] as const
  ) {
    const known = await theirs(method, path(jobId), body(jobId));
    const unknown = await theirs(method, path(nobody), body(nobody));
    expect(told(known, jobId)).toBe(told(unknown, nobody));
    expect([400, 404, 409]).toContain(known.status);
  }
  expect((await heddle.get(`/users/merge/status/${jobId}`)).status).toBe(200);
});

test("an Idempotency-Key of ours is free for them, and answers of ours are not theirs", async () => {
  const headers = { "idempotency-key": randomUUID() };
  const id = fresh();
  const ours = await heddle.post("/users/track", { attributes: [{ external_id: id, a: 1 }] }, { headers });
  const other = await heddle.request("POST", "/users/track", {
    events: [{ external_id: id, name: "e", time: "2026-01-01T00:00:00Z" }],
  }, {
    key: theirKey,
    headers,
  });
  expect([ours.status, other.status, other.headers.get("idempotency-replayed")]).toEqual([201, 201, null]);
  expect(other.body.events_processed).toBe(1);
});

test("a position of ours tells them nothing and opens nothing", async () => {
  const { headers } = await heddle.track({ attributes: [{ external_id: fresh(), a: 1 }] });
  const position = headers.get("x-heddle-position") ?? "";
  const answer = await heddle.request("POST", "/users/export/ids", { external_ids: [user.external_id] }, {
    key: theirKey,
    headers: { "x-heddle-position": position },
  });
  expect([answer.status, answer.body.users]).toEqual([201, []]);
});

test("an account of another company is one that nobody has, and its name is free", async () => {
  function scim(token: string, method: string, path: string, body?: unknown): Promise<Answer> {
    return heddle.request(method, `/scim/v2/${path}`, body, { key: token, headers: { "x-request-origin": "okta" } });
  }
  const account = {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    userName: freshEmail(),
    name: { givenName: "A", familyName: "B" },
    department: "engineering",
    permissions: { companyPermissions: ["manage_company_settings"], appGroup: [] },
    // What only the service may say (OWASP API3)
    id: "chosen-by-the-client",
    lastSignInAt: "2020-01-01T00:00:00Z",
    meta: { created: "2020-01-01T00:00:00Z" },
  };
  const made = await scim(ownToken, "POST", "Users", account);
  expect([200, 201], made.text).toContain(made.status);
  expect(made.body.id).not.toBe("chosen-by-the-client");
  expect(made.text).not.toContain("2020-01-01");
  const ours = String(made.body.id);
  for (
    const [method, body] of [["GET", undefined], ["PUT", account], ["PATCH", { schemas: [], Operations: [] }], [
      "DELETE",
      undefined,
    ]] as const
  ) {
    const known = await scim(theirToken, method, `Users/${ours}`, body);
    const unknown = await scim(theirToken, method, "Users/nobody", body);
    expect(told(known, ours)).toBe(told(unknown, "nobody"));
  }
  const filter = encodeURIComponent(`userName eq "${account.userName}"`);
  expect((await scim(theirToken, "GET", `Users?filter=${filter}`)).body.totalResults).toBe(0);
  expect([200, 201]).toContain((await scim(theirToken, "POST", "Users", account)).status);
  expect((await scim(ownToken, "GET", `Users/${ours}`)).status).toBe(200);
});
