/** POST /users/merge: rules 1 to 8 of the specification over HTTP, and the words of its refusals. */
import { expect, test } from "vitest";
import { fresh, freshEmail, freshPhone, heddleSuite, instant } from "../suite.ts";

const heddle = heddleSuite();
const path = "/users/merge";
const identifiersText =
  "identifiers must be objects with an 'external_id' property that is a string, 'user_alias' property that is an object, " +
  "'email' property that is a string, or 'phone' property that is a string";

async function merge(source: object, target: object): Promise<void> {
  const answer = await heddle.post(path, { merge_updates: [{ identifier_to_merge: source, identifier_to_keep: target }] });
  expect(answer.status, answer.text).toBe(202);
  expect(answer.body).toMatchObject({ message: "success" });
}

async function two(source: object, target: object): Promise<[string, string]> {
  const [sourceId, targetId] = [fresh("source"), fresh("target")];
  await heddle.track({ attributes: [{ external_id: sourceId, ...source }, { external_id: targetId, ...target }] });
  return [sourceId, targetId];
}

test("POST /users/merge: the source is gone, the target has what it missed and keeps what it had", async () => {
  const email = freshEmail();
  const [source, target] = await two(
    {
      first_name: "Source",
      last_name: "Only",
      email,
      gender: "F",
      dob: "1980-01-02",
      home_city: "Rome",
      country: "IT",
      language: "it",
      time_zone: "Europe/Rome",
      a: 1,
      both: "source",
    },
    { first_name: "Target", both: "target", b: 2 },
  );
  await merge({ external_id: source }, { external_id: target });
  expect(await heddle.find({ external_ids: [source] })).toEqual([]);
  expect(await heddle.user(target)).toMatchObject({
    first_name: "Target",
    last_name: "Only",
    email,
    gender: "F",
    dob: "1980-01-02",
    home_city: "Rome",
    country: "IT",
    language: "it",
    time_zone: "Europe/Rome",
    custom_attributes: { a: 1, b: 2, both: "target" },
  });
  expect((await heddle.find({ email_address: email })).map((user) => user.external_id)).toEqual([target]);
});

test("POST /users/merge: counts and revenue are summed, first is the earliest and last the latest", async () => {
  const [source, target] = await two({}, {});
  await heddle.track({
    events: [["2026-01-01", source], ["2026-01-05", source], ["2026-01-03", target]].map(([time, external_id]) => ({
      external_id,
      name: "e",
      time,
    })),
    purchases: [["2026-02-01", source, 0.1], ["2026-02-09", target, 0.2], ["2026-02-05", target, 0.7]].map((
      [time, external_id, price],
    ) => ({ external_id, product_id: "p", currency: "USD", price, quantity: 2, time })),
  });
  await heddle.track({ events: [{ external_id: source, name: "only", time: "2026-01-02" }] });
  await merge({ external_id: source }, { external_id: target });
  const user = await heddle.user(target);
  const event = user.custom_events?.find(({ name }) => name === "e");
  expect([event?.count, instant(event?.first), instant(event?.last)]).toEqual([3, Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 5)]);
  expect(user.custom_events?.find(({ name }) => name === "only")?.count).toBe(1);
  const bought = user.purchases?.[0];
  expect([bought?.count, instant(bought?.first), instant(bought?.last)]).toEqual([6, Date.UTC(2026, 1, 1), Date.UTC(2026, 1, 9)]);
  expect(user.total_revenue).toBe(2);
});

test("POST /users/merge: what was sent for the source before is in, what comes later makes a new user", async () => {
  const [source, target] = await two({}, {});
  const before = (await heddle.user(source)).braze_id;
  for (let sent = 0; sent < 20; sent += 1) {
    await heddle.request("POST", "/users/track", { attributes: [{ external_id: source, n: { inc: 1 } }] });
  }
  await merge({ external_id: source }, { external_id: target });
  await heddle.track({ attributes: [{ external_id: source, later: true }, { external_id: target, n: { inc: 5 } }] });
  expect((await heddle.user(target)).custom_attributes).toEqual({ n: 25 });
  const again = await heddle.user(source);
  expect(again.custom_attributes).toEqual({ later: true });
  expect(again.braze_id).not.toBe(before);
});

test("POST /users/merge: data for the platform_id of a merged-away user goes to the one that took it in", async () => {
  const [source, target] = await two({ a: 1 }, { b: 1 });
  const [last] = await two({}, {});
  const id = (await heddle.user(source)).braze_id ?? "";
  const kept = (await heddle.user(target)).braze_id;
  await merge({ external_id: source }, { external_id: target });
  const time = "2026-03-01";
  await heddle.track({
    attributes: [{ platform_id: id, c: 1 }, { braze_id: id, n: { inc: 2 } }],
    events: [{ braze_id: id, name: "late", time }],
    purchases: [{ braze_id: id, product_id: "p", currency: "USD", price: 1, time }],
  });
  const taken = { external_id: target, braze_id: kept, custom_attributes: { a: 1, b: 1, c: 1, n: 2 }, custom_events: [{ name: "late" }] };
  expect(await heddle.user(target)).toMatchObject(taken);
  expect(await heddle.find({ braze_id: id })).toMatchObject([taken]);
  const synced = await heddle.post("/users/track/sync", { attributes: [{ braze_id: id, d: 1 }] });
  expect(synced.body.users).toMatchObject([{ braze_id: id, custom_attributes: { a: 1, b: 1, c: 1, d: 1, n: 2 } }]);
  // Through another merge too; what deletes means the user of this very id
  await merge({ external_id: target }, { external_id: last });
  await heddle.track({ attributes: [{ platform_id: id, e: 1 }] });
  await heddle.post("/users/delete", { braze_ids: [id] });
  expect((await heddle.user(last)).custom_attributes).toMatchObject({ a: 1, e: 1 });
  expect(await heddle.find({ external_ids: [source, target] })).toEqual([]);
});

test("POST /users/merge: aliases move; of one label the target's stays", async () => {
  const [source, target] = await two({ a: 1 }, { b: 1 });
  const [moving, conflicting, kept] = ["one", "two", "two"].map((alias_label) => ({ alias_label, alias_name: fresh() }));
  await heddle.accept("/users/alias/new", {
    user_aliases: [{ external_id: source, ...moving }, { external_id: source, ...conflicting }, { external_id: target, ...kept }],
  });
  await merge({ external_id: source }, { external_id: target });
  expect(((await heddle.user(target)).user_aliases ?? []).toSorted((a, b) => a.alias_label.localeCompare(b.alias_label))).toEqual([
    moving,
    kept,
  ]);
  expect(await heddle.find({ user_aliases: [moving] })).toMatchObject([{ external_id: target }]);
  expect(await heddle.find({ user_aliases: [conflicting] })).toEqual([]);
});

test("POST /users/merge: sides may be named by alias, email and phone", async () => {
  const [alias, email, phone] = [{ alias_label: "crm", alias_name: fresh() }, freshEmail(), freshPhone()];
  const target = fresh();
  await heddle.track({
    attributes: [
      { user_alias: alias, _update_existing_only: false, from_alias: 1 },
      { email, from_email: 1 },
      { phone, from_phone: 1 },
      { external_id: target, a: 1 },
    ],
  });
  await merge({ user_alias: alias }, { external_id: target });
  await merge({ email, prioritization: ["unidentified", "most_recently_updated"] }, { external_id: target });
  await merge({ phone, prioritization: ["unidentified"] }, { external_id: target });
  expect((await heddle.user(target)).custom_attributes).toEqual({ a: 1, from_alias: 1, from_email: 1, from_phone: 1 });
});

for (
  const [prioritization, chosen] of [
    [["identified"], "merged"],
    [["unidentified"], undefined],
    [["unidentified", "most_recently_updated"], "touched last"],
    [["unidentified", "least_recently_updated"], "touched first"],
    [["most_recently_updated"], "identified"],
  ] as const
) {
  test(`POST /users/merge: ${prioritization.join(" then ")} among three who share an email ${chosen ? "chooses one" : "leaves two, so nothing merges"}`, async () => {
    const email = freshEmail();
    const [first, last] = ["f", "l"].map((alias_label) => ({ alias_label, alias_name: fresh() }));
    const [identified, target] = [fresh(), fresh()];
    await heddle.track({ attributes: [{ user_alias: first, _update_existing_only: false, email, who: "touched first" }] });
    await heddle.track({ attributes: [{ user_alias: last, _update_existing_only: false, email, who: "touched last" }] });
    await heddle.track({
      attributes: [{ external_id: identified, email, who: prioritization[0] === "identified" ? "merged" : "identified" }, {
        external_id: target,
        kept: 1,
      }],
    });
    await merge({ email, prioritization }, { external_id: target });
    expect((await heddle.user(target)).custom_attributes?.who).toBe(chosen);
    expect(await heddle.find({ email_address: email })).toHaveLength(3);
  });
}

test("POST /users/merge: a missing side and a merge into itself change nothing", async () => {
  const [source, target] = await two({ a: 1 }, { b: 2 });
  await merge({ external_id: fresh() }, { external_id: target });
  await merge({ external_id: source }, { external_id: fresh() });
  await merge({ external_id: target }, { external_id: target });
  expect((await heddle.user(source)).custom_attributes).toEqual({ a: 1 });
  expect((await heddle.user(target)).custom_attributes).toEqual({ b: 2 });
});

test("POST /users/merge: chains, and A into B while B into A", async () => {
  const ids = Array.from({ length: 5 }, () => fresh());
  await heddle.track({
    attributes: ids.map((external_id, at) => ({ external_id, n: { inc: 1 }, [`from${at}`]: true })),
    events: ids.map((external_id) => ({ external_id, name: "e", time: "2026-01-01" })),
  });
  for (let at = 0; at < 4; at += 1) await merge({ external_id: ids[at] }, { external_id: ids[at + 1] });
  expect(await heddle.user(ids[4] ?? "")).toMatchObject({ custom_attributes: { from0: true, from4: true }, custom_events: [{ count: 5 }] });
  const [a, b] = await two({ a: 1 }, { b: 1 });
  await Promise.all(
    [[a, b], [b, a]].map(([source, target]) =>
      heddle.request("POST", path, {
        merge_updates: [{ identifier_to_merge: { external_id: source }, identifier_to_keep: { external_id: target } }],
      })
    ),
  );
  const left = await heddle.find({ external_ids: [a, b] });
  expect(left).toMatchObject([{ custom_attributes: { a: 1, b: 1 } }]);
});

for (
  const [title, body, message] of [
    ["no merge_updates", {}, "'merge_updates' must be an array of objects"],
    ["merge_updates of a wrong type", { merge_updates: "x" }, "'merge_updates' must be an array of objects"],
    ["elements that are no objects", { merge_updates: ["x"] }, "'merge_updates' must be an array of objects"],
    ["more than 50", {
      merge_updates: Array.from({ length: 51 }, () => pair({ external_id: "a" }, { external_id: "b" })),
    }, "a single request may not contain more than 50 merge updates"],
    [
      "an unknown key",
      { merge_updates: [{ ...pair({ external_id: "a" }, { external_id: "b" }), extra: 1 }] },
      "'merge_updates' must only have 'identifier_to_merge' and 'identifier_to_keep'",
    ],
    ["identifiers that are no objects", { merge_updates: [pair("a", "b")] }, identifiersText],
    ["an empty identifier", { merge_updates: [pair({}, { external_id: "b" })] }, identifiersText],
    ["an external_id that is no string", { merge_updates: [pair({ external_id: {} }, { external_id: "b" })] }, identifiersText],
  ] as const
) {
  test(`POST /users/merge with ${title} answers 400 word for word`, async () => {
    const answer = await heddle.post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toBe(message);
  });
}

for (
  const [title, identifier] of [
    ["two identifiers", { external_id: "a", email: "a@example.com", prioritization: ["identified"] }],
    ["an email without prioritization", { email: "a@example.com" }],
    ["a phone without prioritization", { phone: "+12125550123" }],
    ["a prioritization that is no array", { email: "a@example.com", prioritization: "identified" }],
    ["an unknown priority", { email: "a@example.com", prioritization: ["newest"] }],
    ["identified and unidentified", { email: "a@example.com", prioritization: ["identified", "unidentified"] }],
    ["both recency priorities", { email: "a@example.com", prioritization: ["most_recently_updated", "least_recently_updated"] }],
  ] as const
) {
  test(`POST /users/merge refuses ${title}`, async () => {
    for (const update of [pair(identifier, { external_id: "b" }), pair({ external_id: "b" }, identifier)]) {
      const answer = await heddle.post(path, { merge_updates: [update] });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toMatch(/\S/);
    }
  });
}

function pair(identifier_to_merge: unknown, identifier_to_keep: unknown) {
  return { identifier_to_merge, identifier_to_keep };
}
