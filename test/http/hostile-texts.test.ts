/** Texts that mean something to a database, a log, a broker or a terminal are data, in every field, header and path. */
import { expect, test } from "vitest";
import { declared } from "../declaration.ts";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";

const group = "5c7a6c1e-3333-4c6b-9d0a-000000000003";
const heddle = heddleSuite({
  apply: declared({
    demo: { subscriptionGroups: [{ id: group, name: "own", channel: "email" }], apps: [{ id: "app-1", name: "Web" }] },
  }),
  env: { HEDDLE_LOG_LEVEL: "debug" },
});

/** Each is a valid external id, property value and name. */
const texts: readonly string[] = [
  "'; DROP TABLE profiles; --",
  "' OR '1'='1",
  '" OR ""="',
  "a' UNION SELECT digest FROM access_keys --",
  "/* x */ ? :id $1 {0} %s %n",
  "a\\'; --",
  "x'6162'",
  "{ts '2026-01-01'}",
  "*",
  ">",
  "a.b.*.>",
  "heddle_intake.>",
  "$JS.API.STREAM.DELETE.heddle_intake",
  "limit:{ws}:users_track",
  "}{:users_track",
  "../../etc/passwd",
  "%2e%2e%2f",
  "${jndi:ldap://x}",
  "{{7*7}}",
  "{% raw %}",
  "<script>alert(1)</script>",
  "=cmd|' /C calc'!A0",
  "\u202Eright to left",
  "e\u0301 and é",
  "\u{1F600}\u{1F468}\u200D\u{1F469}\u200D\u{1F467}",
  "line\nfeed",
  "carriage\r\nreturn: X-Evil: 1",
  "\u001b[31mred\u001b[0m",
  "tab\tand\u0007bell",
];

test.each(texts)("%j is an external id, a value, a name and an alias like any other", async (text) => {
  const id = `${fresh()} ${text}`;
  const alias = { alias_name: `${fresh()} ${text}`, alias_label: "label" };
  const tracked = await heddle.post("/users/track", {
    attributes: [{ external_id: id, value: text, first_name: text, home_city: text, list: [text, "other"] }],
    events: [{ external_id: id, name: text.trim(), time: "2026-01-01T00:00:00Z", properties: { text } }],
    purchases: [{ external_id: id, product_id: text, currency: "USD", price: 1, time: "2026-01-01T00:00:00Z" }],
  });
  expect(tracked.status, tracked.text).toBe(201);
  expect(tracked.body.errors).toBeUndefined();
  await heddle.accept("/users/alias/new", { user_aliases: [{ external_id: id, ...alias }] });
  const [user] = await heddle.find({ external_ids: [id] });
  expect(user).toMatchObject({ external_id: id, first_name: text, custom_attributes: { value: text, list: [text, "other"] } });
  expect(user?.custom_events?.map(({ name }) => name)).toEqual([text.trim()]);
  expect(user?.purchases?.map(({ name }) => name)).toEqual([text]);
  expect(await heddle.find({ user_aliases: [alias] })).toHaveLength(1);
  // No other user is named by a part of it
  expect(await heddle.find({ external_ids: [text] })).toEqual([]);
});

test("a text of 64 KB is refused or kept whole, and never a fault", async () => {
  const long = "x'--;".repeat(13_000);
  for (
    const body of [
      { attributes: [{ external_id: long, a: 1 }] },
      { attributes: [{ external_id: "a", [long]: 1 }] },
      { attributes: [{ external_id: "a", value: long }] },
      { events: [{ external_id: "a", name: long, time: "2026-01-01T00:00:00Z" }] },
      { purchases: [{ external_id: "a", product_id: long, currency: long, price: 1, time: long }] },
    ]
  ) {
    const answer = await heddle.post("/users/track", body);
    expect([201, 400]).toContain(answer.status);
    expect(answer.text.length).toBeLessThan(10_000);
  }
});

test("hostile texts in queries are looked for as they are", async () => {
  for (const text of texts) {
    const query = new URLSearchParams({ subscription_group_id: group, external_id: text });
    const answer = await heddle.get(`/subscription/status/get?${query}`);
    expect([200, 400, 501]).toContain(answer.status);
    if (answer.status === 200) expect(Object.keys(answer.body["status"] as object)).toEqual([text]);
    const merge = await heddle.get(`/users/merge/status/${encodeURIComponent(text)}`);
    expect([400, 404]).toContain(merge.status);
    const page = await heddle.get(`/email/unsubscribes?end_date=2099-01-01&email=${encodeURIComponent(`${text}@example.com`)}`);
    expect([200, 400, 501]).toContain(page.status);
  }
});

test("names of the language's own objects change nothing for those who come after", async () => {
  const id = fresh();
  await heddle.post(
    "/users/track",
    `{"attributes":[{"external_id":"${id}","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x"}]}`,
  );
  const other = fresh();
  await heddle.track({ attributes: [{ external_id: other, email: freshEmail() }] });
  const [user] = await heddle.find({ external_ids: [other] });
  expect(user?.custom_attributes ?? {}).toEqual({});
  expect(JSON.stringify(user)).not.toContain("polluted");
});

test("headers that carry line ends, escapes or a megabyte are refused, and no log line is more than one", async () => {
  for (const id of ["a".repeat(129), "é", "tab\tin it", "\u001b[31m"].map((text) => text)) {
    const answer = await fetch(`${heddle.heddle.url}/livez`, { headers: { "x-request-id": encodeURI(id) } });
    expect(answer.headers.get("x-request-id")).toMatch(/^[\x20-\x7e]{1,128}$/);
  }
  await heddle.request("POST", "/users/track\u001b[31m", {}, { headers: { "x-forwarded-for": "1.1.1.1, evil" } });
  const lines = heddle.heddle.output().split("\n").filter((line) => line.startsWith("{"));
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) {
    expect(() => JSON.parse(line) as unknown).not.toThrow(Error);
    for (const text of ["\u001b", "\u0007", "X-Evil: 1", "DROP TABLE"]) expect(line).not.toContain(text);
  }
});
