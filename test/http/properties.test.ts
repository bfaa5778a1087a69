/**
 * Properties of their own authority (reliability S12): what only the service gives out cannot be set, changed or read by asking for
 * it, on every route that takes or gives properties. gateway/smuggled-properties.test.ts has the rest: what never leaves the gateway.
 */
import { expect, test } from "vitest";
import { demoKey } from "../heddle.ts";
import { core, enterprise, patchOp, type ScimBody } from "../scim.ts";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";
import { ids, translationDeclaration } from "../translations.ts";

const token = "scim-token-of-the-properties";
const suite = heddleSuite({
  apply: translationDeclaration(demoKey).replace(
    "  - name: acme",
    `  - name: acme\n    scimTokens: [{ name: idp, origin: okta, secret: ${token} }]`,
  ),
});
const long = "1999-01-01T00:00:00Z";

/** What an export gives that no object of /users/track can set, and a value that a caller might try. */
const givenOut: Readonly<Record<string, unknown>> = {
  created_at: long,
  updated_at: long,
  random_bucket: 1,
  total_revenue: 1_000_000,
  revenue_by_currency: { USD: 1_000_000 },
  purchase_count: 99,
  custom_events: [{ name: "bought", first: long, last: long, count: 99 }],
  custom_events_daily: [{ name: "bought", days: { "1999-01-01": 99 } }],
  purchases: [{ name: "shoe", first: long, last: long, count: 99 }],
  purchases_daily: [{ name: "shoe", days: { "1999-01-01": 99 } }],
  devices: [{ device_id: "d", model: "m", os: "o", last_seen: long }],
  apps: [{ app_id: "a", sessions: 99, first_used: long, last_used: long }],
  campaigns_received: [{ name: "c", last_received: long }],
  canvases_received: [{ name: "c", last_received_message: long }],
  last_coordinates: [1, 1],
  custom_attributes: { vip: true },
  user_aliases: [{ alias_name: "boss", alias_label: "role" }],
};

/** Everything that an export can give of a user. */
async function whole(externalId: string): Promise<Record<string, unknown>> {
  const plain = await suite.user(externalId);
  const fields_to_export = [...new Set([...Object.keys(plain), ...Object.keys(givenOut)])];
  const [user] = await suite.find({ external_ids: [externalId], fields_to_export });
  return { ...user };
}

test.each(Object.entries(givenOut))("POST /users/track cannot set %s", async (name, value) => {
  const id = fresh();
  await suite.track({ attributes: [{ external_id: id, first_name: "Ann" }] });
  const { updated_at: _, ...before } = await whole(id);
  const { status, text } = await suite.post("/users/track", { attributes: [{ external_id: id, [name]: value }] });
  expect([201, 400], text).toContain(status);
  const { updated_at, custom_attributes, ...after } = await whole(id);
  expect(after).toEqual(before);
  expect(Date.parse(String(updated_at))).toBeGreaterThan(Date.parse(long) + 1);
  // At most it is one of the client's own, whatever it is called
  if (custom_attributes) expect(Object.keys(custom_attributes as object)).toEqual([name]);
});

test.each(["braze_id", "platform_id"])("POST /users/track gives no user another %s, and touches none that has it", async (name) => {
  const [mine, theirs] = [fresh(), fresh()];
  await suite.track({ attributes: [{ external_id: mine, a: 1 }, { external_id: theirs, a: 2 }] });
  const [before, other] = [await suite.user(mine), await suite.user(theirs)];
  await suite.post("/users/track", { attributes: [{ external_id: mine, [name]: other[name], a: 3 }] });
  const [after, untouched] = [await suite.user(mine), await suite.user(theirs)];
  expect([after["braze_id"], after.created_at]).toEqual([before["braze_id"], before.created_at]);
  expect(untouched).toEqual(other);
});

test("POST /users/track counts an event and a purchase once, whatever they say of their numbers", async () => {
  const id = fresh();
  const time = "2026-02-01T00:00:00Z";
  const own = { id: "e-1", count: 99, first: long, last: long, created_at: long, app_group_id: "other", user_id: "x" };
  await suite.track({
    events: [{ external_id: id, name: "bought", time, ...own }],
    purchases: [{
      external_id: id,
      product_id: "shoe",
      currency: "USD",
      price: 5,
      time,
      ...own,
      revenue: 99,
      total: 99,
      total_revenue: 99,
    }],
  });
  const user = await whole(id);
  const summary = { first: "2026-02-01T00:00:00.000Z", last: "2026-02-01T00:00:00.000Z", count: 1 };
  expect(user).toMatchObject({ custom_events: [{ name: "bought", ...summary }], purchases: [{ name: "shoe", ...summary }] });
  expect([user["total_revenue"], user["purchase_count"]]).toEqual([5, 1]);
});

test("POST /users/export/ids gives what is named and nothing that is no field", async () => {
  const id = fresh();
  await suite.track({ attributes: [{ external_id: id, email: freshEmail(), first_name: "Ann" }] });
  const inner =
    "mark stamp workspace workspace_id held open_merges journal frozen source revision body row log * .. __proto__ constructor toString";
  const [nothing] = await suite.find({ external_ids: [id], fields_to_export: inner.split(" ") });
  expect(nothing).toEqual({});
  const all = await whole(id);
  for (const field of Object.keys(all)) {
    const [user] = await suite.find({ external_ids: [id], fields_to_export: [field, "mark"] });
    expect(user).toEqual({ [field]: all[field] });
  }
});

test("POST /email/status decides no time", async () => {
  const email = freshEmail();
  const times = { unsubscribed_at: long, created_at: long, at: long, hard_bounced_at: long };
  await suite.accept("/email/status", { email, subscription_state: "unsubscribed", ...times });
  const { body } = await suite.get(`/email/unsubscribes?end_date=2099-01-01&email=${encodeURIComponent(email)}`);
  const [found] = body["emails"] as { unsubscribed_at: string }[];
  expect(Date.parse(found?.unsubscribed_at ?? "")).toBeGreaterThan(Date.parse("2026-01-01"));
  expect((await suite.get(`/email/hard_bounces?end_date=2099-01-01&email=${encodeURIComponent(email)}`)).body["emails"]).toEqual([]);
});

test("preference centers: id, times, version and name are the service's", async () => {
  const path = "/preference_center/v1";
  const own = { preference_center_api_id: fresh(), id: "mine", created_at: long, updated_at: long, version: 99, liquid_tag: "x" };
  const pages = { preference_center_page_html: "", confirmation_page_html: "" };
  const name = fresh("center");
  const made = await suite.post(path, { name, ...pages, ...own });
  expect(made.status, made.text).toBe(201);
  const id = String(made.body["preference_center_api_id"]);
  expect(id).not.toBe(own.preference_center_api_id);
  expect([made.body["created_at"], made.body["liquid_tag"]]).not.toContain(long);
  const before = (await suite.get(`${path}/${id}`)).body;
  expect(
    (await suite.request("PUT", `${path}/${id}`, { name: fresh("other"), ...pages, ...own, preference_center_title: "Yours" }))
      .status,
  ).toBe(200);
  const { updated_at, ...after } = (await suite.get(`${path}/${id}`)).body;
  expect({ ...after, updated_at: before["updated_at"] }).toEqual({ ...before, preference_center_title: "Yours" });
  expect(updated_at).not.toBe(long);
  const listed = (await suite.get(`${path}/${id}/versions`)).body["versions"] as { version: number }[];
  expect(listed.map(({ version }) => version)).toEqual([2, 1]);
});

test("translations: a body changes its own language's texts and nothing of message, source or locale", async () => {
  const query = `campaign_id=${ids.campaign}&message_variation_id=${ids.email}`;
  const source = (await suite.get(`/campaigns/translations/source?${query}`)).body;
  async function translated(): Promise<unknown[]> {
    return (await suite.get(`/campaigns/translations?${query}`)).body["translations"] as unknown[];
  }
  const before = await translated();
  const put = await suite.request("PUT", "/campaigns/translations", {
    campaign_id: ids.campaign,
    message_variation_id: ids.email,
    locale_id: ids.spanish,
    translation_map: { id_0: "hola", id_1: "adios" },
    source: { id_0: "smuggled" },
    locale: { name: "xx", uuid: ids.french },
    updated_at: long,
    message: { channel: "sms" },
  });
  expect(put.status, put.text).toBe(200);
  expect((await suite.get(`/campaigns/translations/source?${query}`)).body).toEqual(source);
  const changed = before.map((one) => {
    const { locale } = one as { locale: { name: string } };
    return locale.name === "es-MX" ? { locale, translation_map: { id_0: "hola", id_1: "adios" } } : one;
  });
  expect(before.length).toBeGreaterThan(1);
  expect(await translated()).toEqual(changed);
});

async function scim(method: string, path: string, body?: unknown): Promise<{ status: number; body: ScimBody; text: string }> {
  const type = { "content-type": "application/scim+json", "x-request-origin": "okta" };
  const answer = await suite.request(method, `/scim/v2/${path}`, body, { key: token, headers: type });
  return { status: answer.status, body: answer.body as ScimBody, text: answer.text };
}

function account(values: object = {}): object {
  return {
    schemas: [core],
    userName: freshEmail(),
    name: { givenName: "Ann", familyName: "Archer" },
    department: "finance",
    permissions: { companyPermissions: [] },
    ...values,
  };
}

/** Attributes that only the service gives out, or that no attribute is; as RFC 7644 section 3.5.1 has it they are ignored or refused. */
const readOnly: Readonly<Record<string, unknown>> = {
  id: "mine",
  lastSignInAt: "Friday, January 2, 1970 12:00:00 AM",
  createdAt: "Friday, January 2, 1970 12:00:00 AM",
  meta: { created: long, lastModified: long, version: 'W/"99"', location: "https://smuggled.example", resourceType: "Group" },
  companyId: "other",
  revision: 99,
  userNameKey: "other",
  groups: [{ value: "admins" }],
  constructor: "x",
};

test.each(Object.keys(readOnly))("SCIM: neither POST nor PUT nor PATCH sets %s", async (name) => {
  const value = readOnly[name];
  const made = await scim("POST", "Users", account({ [name]: value }));
  expect([201, 400], made.text).toContain(made.status);
  const user = made.status === 201 ? made.body : (await scim("POST", "Users", account())).body;
  const usual = (await scim("POST", "Users", account())).body;
  expect(Object.keys(user).toSorted()).toEqual(Object.keys(usual).toSorted());
  expect(JSON.stringify(user)).not.toMatch(/smuggled|1999-|January 2, 1970|"99"|mine|admins/);
  const id = String(user.id);
  const changes: [method: string, body: object][] = [
    ["PUT", { ...account({ userName: user.userName }), [name]: value }],
    ["PUT", { ...account({ userName: user.userName }), schemas: [core, enterprise], [enterprise]: { [name]: value } }],
    ["PATCH", { schemas: [patchOp], Operations: [{ op: "replace", path: name, value }] }],
    ["PATCH", { schemas: [patchOp], Operations: [{ op: "add", value: { [name]: value } }] }],
    ["PATCH", { schemas: [patchOp], Operations: [{ op: "remove", path: name }] }],
    ["PATCH", { schemas: [patchOp], Operations: [{ op: "replace", path: `${name}.created`, value: long }] }],
  ];
  for (const [method, body] of changes) {
    const changed = await scim(method, `Users/${id}`, body);
    expect([200, 204, 400], `${method} ${JSON.stringify(body)}: ${changed.text}`).toContain(changed.status);
    const found = await scim("GET", `Users/${id}`);
    const { meta: metaAfter, ...after } = found.body;
    const { meta: metaBefore, ...before } = user;
    expect(after, `${method} ${JSON.stringify(body)}`).toEqual(before);
    expect([metaAfter?.["created"], metaAfter?.["location"]]).toEqual([metaBefore?.["created"], metaBefore?.["location"]]);
  }
});

test("SCIM: a filter finds nobody by what an answer does not show", async () => {
  const { body: user } = await scim("POST", "Users", account());
  const hidden = [
    "companyId",
    "revision",
    "userNameKey",
    "password",
    "token",
    "secret",
    "digest",
    "constructor",
    "__proto__",
    "meta.actor",
  ];
  for (const name of hidden) {
    for (const filter of [`${name} pr`, `${name} sw "a"`, `${name} eq "${user.id}"`, `${name} ne "x"`, `not (${name} eq "x")`]) {
      const { status, body, text } = await scim("GET", `Users?filter=${encodeURIComponent(`id eq "${user.id}" and ${filter}`)}`);
      // What is no attribute has no value, so that no answer depends on what a row holds
      const without = await scim(
        "GET",
        `Users?filter=${encodeURIComponent(`id eq "${user.id}" and ${filter.replace(name, "noSuchAttribute")}`)}`,
      );
      expect([name, filter, status, body.totalResults], text).toEqual([name, filter, without.status, without.body.totalResults]);
    }
    const shown = await scim("GET", `Users/${user.id}?attributes=${encodeURIComponent(name)}`);
    expect(Object.keys(shown.body).toSorted()).toEqual(["id", "schemas"]);
  }
});
