/** POST /users/track: which user an object means, who is created, and which identifiers are refused. */
import { expect, test } from "vitest";
import { fresh, freshEmail, freshPhone, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
const time = "2026-03-01T12:00:00Z";
const identifierMissing =
  /^('external_id' or 'braze_id' or 'user_alias' is required|'external_id', 'braze_id', 'user_alias', 'email' or 'phone' is required)$/;

test("external_id is case sensitive", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, a: 1 }, { external_id: id.toUpperCase(), a: 2 }] });
  expect((await heddle.user(id)).custom_attributes).toEqual({ a: 1 });
  expect((await heddle.user(id.toUpperCase())).custom_attributes).toEqual({ a: 2 });
});

test("external_id as a number comes back as text and means the same user", async () => {
  const id = 10_000_000 + Math.floor(Math.random() * 1e9);
  await heddle.track({ attributes: [{ external_id: id, a: 1 }, { external_id: String(id), b: 2 }] });
  expect(await heddle.user(String(id))).toMatchObject({ external_id: String(id), custom_attributes: { a: 1, b: 2 } });
});

test("external_id may have 987 bytes and not 988", async () => {
  const longest = fresh().padEnd(987, "x");
  await heddle.track({ attributes: [{ external_id: longest, a: 1 }] });
  expect((await heddle.user(longest)).custom_attributes).toEqual({ a: 1 });
  expect((await heddle.verdict("attributes", { external_id: `${longest}x`, a: 1 })).type).toBe(
    "'external_id' must be fewer than 988 bytes",
  );
  expect((await heddle.verdict("attributes", { external_id: "é".repeat(494), a: 1 })).type).toBe(
    "'external_id' must be fewer than 988 bytes",
  );
});

for (const array of ["attributes", "events", "purchases"] as const) {
  const rest = { name: "e", time, product_id: "p", currency: "USD", price: 1 };
  test(`${array}: an object without identifier is refused by name`, async () => {
    expect((await heddle.verdict(array, rest)).type).toMatch(identifierMissing);
  });
  test(`${array}: two primary identifiers are refused`, async () => {
    const alias = { alias_label: "l", alias_name: "n" };
    await heddle.verdict(array, { ...rest, external_id: fresh(), user_alias: alias });
    await heddle.verdict(array, { ...rest, external_id: fresh(), platform_id: "5eea769d45bb2e1467418f92" });
    await heddle.verdict(array, { ...rest, user_alias: alias, braze_id: "5eea769d45bb2e1467418f92" });
  });
  test(`${array}: identifiers of a wrong type are refused`, async () => {
    for (const external_id of ["", true, {}, ["a"], 1.5]) await heddle.verdict(array, { ...rest, external_id });
    for (
      const user_alias of ["a", {}, { alias_label: "l" }, { alias_name: "n" }, { alias_label: "", alias_name: "n" }, {
        alias_label: 1,
        alias_name: [],
      }]
    ) {
      await heddle.verdict(array, { ...rest, user_alias });
    }
    for (const platform_id of [1, "xyz", {}]) await heddle.verdict(array, { ...rest, platform_id });
  });
}

test("email that is no address is refused by name, as identifier and as field", async () => {
  const text = "The value provided for the 'email' field is not a valid email.";
  for (const email of ["nobody", "a@b", "a b@example.com", "@example.com", "a@", "a@@example.com", "a@ü%61.de", "a@例子.广告/x"]) {
    expect((await heddle.verdict("attributes", { email, a: 1 })).type).toBe(text);
    const id = fresh();
    expect((await heddle.verdict("attributes", { external_id: id, email })).type).toBe(text);
    expect(await heddle.find({ external_ids: [id] })).toEqual([]);
  }
});

test("email with a quoted local part is an address at every door, and the same one without quotes that it does not need", async () => {
  const word = fresh("w").slice(0, 30);
  const email = `"John ${word}, \\"J\\""@example.com`;
  const [id, plain] = [fresh(), fresh()];
  await heddle.track({ attributes: [{ external_id: id, email, first_name: "John" }] });
  await heddle.track({ events: [{ email, name: "seen", time: "2026-01-01" }] });
  const form = email.replace("John", "john").replace('J\\"', 'j\\"');
  expect(await heddle.find({ email_address: email })).toMatchObject([{ external_id: id, email: form, custom_events: [{ name: "seen" }] }]);
  await heddle.accept("/email/status", { email, subscription_state: "unsubscribed" });
  const read = await heddle.get(`/email/unsubscribes?email=${encodeURIComponent(email)}`);
  expect([read.status, read.body["emails"]]).toMatchObject([200, [{ email: form }]]);
  await heddle.track({ attributes: [{ external_id: plain, email: `"${word}"@example.com` }] });
  expect(await heddle.find({ email_address: `${word}@example.com` })).toMatchObject([{ external_id: plain, email: `${word}@example.com` }]);
  for (const bad of [`"${word}@example.com`, `${word} x@example.com`, `""@example.com`, `"a"b"@example.com`]) {
    expect((await heddle.verdict("attributes", { email: bad, a: 1 })).type).toMatch(/not a valid email/);
  }
});

test("platform_id and braze_id mean the user that has this id", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
  const { braze_id: platformId } = await heddle.user(id);
  expect(platformId).toMatch(/^[0-9a-f]{24}$/);
  await heddle.track({
    attributes: [{ platform_id: platformId, b: 2 }, { braze_id: platformId, c: 3 }],
    events: [{ platform_id: platformId, name: "e", time }],
  });
  expect(await heddle.user(id)).toMatchObject({
    braze_id: platformId,
    custom_attributes: { a: 1, b: 2, c: 3 },
    custom_events: [{ name: "e", count: 1 }],
  });
});

test("platform_id that nobody has creates nobody", async () => {
  const answer = await heddle.post("/users/track", { attributes: [{ platform_id: "ffffffffffffffffffffffff", a: 1 }] });
  expect(answer.status).toBe(201);
  expect(await heddle.find({ braze_id: "ffffffffffffffffffffffff" })).toEqual([]);
});

test("email alone makes an email-only user without alias, and then means it in any case of letters", async () => {
  const email = freshEmail();
  await heddle.track({ attributes: [{ email, a: 1 }], events: [{ email: email.toUpperCase(), name: "e", time }] });
  const users = await heddle.find({ email_address: email });
  expect(users).toMatchObject([{ email, custom_attributes: { a: 1 }, custom_events: [{ name: "e", count: 1 }] }]);
  expect(users[0]?.external_id).toBeUndefined();
  expect(users[0]?.user_aliases ?? []).toEqual([]);
});

test("phone alone makes a phone-only user; a bare number of 10 digits is one of the US", async () => {
  const phone = freshPhone();
  const spaced = `${phone.slice(0, 3)} ${phone.slice(3, 6)} ${phone.slice(6)}`;
  await heddle.track({ attributes: [{ phone, a: 1 }, { phone: spaced, b: 2 }] });
  expect(await heddle.find({ phone })).toMatchObject([{ phone, custom_attributes: { a: 1, b: 2 } }]);
  await heddle.track({ attributes: [{ phone: "2125550123", us: true }, { phone: "+1 (212) 555-0123", same: true }] });
  expect(await heddle.find({ phone: "+12125550123" })).toMatchObject([{
    phone: "+12125550123",
    custom_attributes: { us: true, same: true },
  }]);
});

test("phone that is no number is refused as identifier", async () => {
  for (const phone of ["12", "abc", "+1", 5, {}]) await heddle.verdict("attributes", { phone, a: 1 });
});

test("email wins over phone when both stand in an object", async () => {
  const email = freshEmail();
  const phone = freshPhone();
  await heddle.track({ attributes: [{ email, a: 1 }, { phone, a: 2 }, { email, phone, b: 3 }] });
  expect((await heddle.find({ email_address: email }))[0]?.custom_attributes).toEqual({ a: 1, b: 3 });
});

test("email beside an external_id is data: a known email does not lead an unknown id to its user", async () => {
  const email = freshEmail();
  const [first, second] = [fresh(), fresh()];
  await heddle.track({ attributes: [{ external_id: first, email }, { external_id: second, email, a: 2 }] });
  expect((await heddle.find({ email_address: email })).map((user) => user.external_id).toSorted()).toEqual([first, second].toSorted());
  expect((await heddle.user(first)).custom_attributes ?? {}).toEqual({});
});

test("email that several share means the last updated of those with an external_id", async () => {
  const email = freshEmail();
  const [first, second] = [fresh(), fresh()];
  await heddle.track({ attributes: [{ email, who: "anonymous" }] });
  await heddle.track({ attributes: [{ external_id: first, email }] });
  await heddle.track({ attributes: [{ external_id: second, email }] });
  await heddle.track({ attributes: [{ external_id: first, touched: 1 }] });
  await heddle.track({ attributes: [{ email, found: "first" }] });
  await heddle.track({ attributes: [{ external_id: second, touched: 2 }] });
  await heddle.track({ events: [{ email, name: "found", time }] });
  expect(await heddle.user(first)).toMatchObject({ custom_attributes: { touched: 1, found: "first" } });
  expect(await heddle.user(second)).toMatchObject({ custom_attributes: { touched: 2 }, custom_events: [{ name: "found", count: 1 }] });
  const anonymous = (await heddle.find({ email_address: email })).find((user) => user.external_id === undefined);
  expect(anonymous?.custom_attributes).toEqual({ who: "anonymous" });
});

test("email means a user with an external_id even where one without was updated later", async () => {
  const email = freshEmail();
  const id = fresh();
  const alias = { alias_label: "share", alias_name: fresh() };
  await heddle.track({ attributes: [{ external_id: id, email }] });
  await heddle.track({ attributes: [{ user_alias: alias, email, _update_existing_only: false }] });
  await heddle.track({ events: [{ user_alias: alias, name: "touch", time }] });
  await heddle.track({ attributes: [{ email, found: true }] });
  expect((await heddle.user(id)).custom_attributes).toEqual({ found: true });
  expect((await heddle.find({ user_aliases: [alias] }))[0]?.custom_attributes ?? {}).toEqual({});
});

test("email that several without external_id share means the last updated of them", async () => {
  const email = freshEmail();
  const [one, two] = [fresh(), fresh()].map((alias_name) => ({ alias_label: "share", alias_name }));
  await heddle.track({
    attributes: [{ user_alias: one, email, _update_existing_only: false }, { user_alias: two, email, _update_existing_only: false }],
  });
  await heddle.track({ events: [{ user_alias: one, name: "touch", time }] });
  await heddle.track({ attributes: [{ email, found: true }] });
  expect((await heddle.find({ user_aliases: [one] }))[0]?.custom_attributes).toEqual({ found: true });
  expect((await heddle.find({ user_aliases: [two] }))[0]?.custom_attributes ?? {}).toEqual({});
});

test("email moves with its user: the old address is free, null takes it away", async () => {
  const id = fresh();
  const [before, after] = [freshEmail(), freshEmail()];
  await heddle.track({ attributes: [{ external_id: id, email: before }] });
  await heddle.track({ attributes: [{ external_id: id, email: after }] });
  expect(await heddle.find({ email_address: before })).toEqual([]);
  expect(await heddle.find({ email_address: after })).toMatchObject([{ external_id: id }]);
  await heddle.track({ attributes: [{ external_id: id, email: null }] });
  expect(await heddle.find({ email_address: after })).toEqual([]);
  expect((await heddle.user(id)).email ?? null).toBeNull();
});

test("user_alias: attributes create an alias-only user only with _update_existing_only false", async () => {
  const [plain, always, never] = [fresh(), fresh(), fresh()].map((alias_name) => ({ alias_label: "crm", alias_name }));
  await heddle.track({
    attributes: [
      { user_alias: plain, a: 1 },
      { user_alias: always, a: 1, _update_existing_only: false },
      { user_alias: never, a: 1, _update_existing_only: true },
    ],
  });
  expect(await heddle.find({ user_aliases: [plain] })).toEqual([]);
  expect(await heddle.find({ user_aliases: [never] })).toEqual([]);
  expect(await heddle.find({ user_aliases: [always] })).toMatchObject([{ user_aliases: [always], custom_attributes: { a: 1 } }]);
});

test("user_alias: events and purchases never create, whatever _update_existing_only says", async () => {
  const alias = { alias_label: "crm", alias_name: fresh() };
  await heddle.track({
    events: [{ user_alias: alias, name: "e", time }, { user_alias: alias, name: "e", time, _update_existing_only: false }],
    purchases: [{ user_alias: alias, product_id: "p", currency: "USD", price: 1, time, _update_existing_only: false }],
  });
  expect(await heddle.find({ user_aliases: [alias] })).toEqual([]);
});

test("user_alias: the same name under two labels is two users", async () => {
  const alias_name = fresh();
  const [left, right] = ["left", "right"].map((alias_label) => ({ alias_label, alias_name }));
  await heddle.track({
    attributes: [{ user_alias: left, a: 1, _update_existing_only: false }, { user_alias: right, a: 2, _update_existing_only: false }],
  });
  expect((await heddle.find({ user_aliases: [left] }))[0]?.custom_attributes).toEqual({ a: 1 });
  expect((await heddle.find({ user_aliases: [right] }))[0]?.custom_attributes).toEqual({ a: 2 });
});

test("_update_existing_only true creates nobody, in any array and by any identifier", async () => {
  const [id, email, phone] = [fresh(), freshEmail(), freshPhone()];
  const only = { _update_existing_only: true };
  for (const by of [{ external_id: id }, { email }, { phone }]) {
    await heddle.track({
      attributes: [{ ...by, ...only, a: 1 }],
      events: [{ ...by, ...only, name: "e", time }],
      purchases: [{ ...by, ...only, product_id: "p", currency: "USD", price: 1, time }],
    });
  }
  expect(await heddle.find({ external_ids: [id] })).toEqual([]);
  expect(await heddle.find({ email_address: email })).toEqual([]);
  expect(await heddle.find({ phone })).toEqual([]);
});

test("_update_existing_only true updates a user that exists", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
  await heddle.track({
    attributes: [{ external_id: id, _update_existing_only: true, b: 2 }],
    events: [{ external_id: id, _update_existing_only: true, name: "e", time }],
  });
  expect(await heddle.user(id)).toMatchObject({ custom_attributes: { a: 1, b: 2 }, custom_events: [{ name: "e", count: 1 }] });
});

for (const array of ["events", "purchases"]) {
  test(`${array}: an unknown external_id makes a user`, async () => {
    const id = fresh();
    await heddle.track({ [array]: [{ external_id: id, name: "e", product_id: "p", currency: "USD", price: 1, time }] });
    expect(await heddle.user(id)).toMatchObject({ external_id: id });
  });
}

test("_update_existing_only of a wrong type is refused", async () => {
  await heddle.verdict("attributes", { external_id: fresh(), _update_existing_only: "yes", a: 1 });
});

test("an event and a purchase are taken by each of the five identifiers", async () => {
  const [id, email, phone] = [fresh(), freshEmail(), freshPhone()];
  const user_alias = { alias_label: "crm", alias_name: fresh() };
  await heddle.track({ attributes: [{ external_id: id, email, phone }] });
  await heddle.accept("/users/alias/new", { user_aliases: [{ external_id: id, ...user_alias }] });
  const platform_id = (await heddle.user(id)).braze_id;
  const by = [{ external_id: id }, { user_alias }, { platform_id }, { email }, { phone }];
  await heddle.track({
    events: by.map((one) => ({ ...one, name: "e", time })),
    purchases: by.map((one) => ({ ...one, product_id: "p", currency: "USD", price: 1, time })),
  });
  expect(await heddle.user(id)).toMatchObject({ custom_events: [{ name: "e", count: 5 }], purchases: [{ name: "p", count: 5 }] });
});

test("_update_existing_only of events and purchases that is no boolean is refused", async () => {
  for (const array of ["events", "purchases"] as const) {
    for (const wrong of ["yes", 1, {}]) {
      const rest = { name: "e", product_id: "p", currency: "USD", price: 1, time };
      await heddle.verdict(array, { external_id: fresh(), ...rest, _update_existing_only: wrong });
    }
  }
});

test("objects that name one alias make one user", async () => {
  const user_alias = { alias_label: "crm", alias_name: fresh() };
  await heddle.track({ attributes: ["a", "b"].map((name) => ({ user_alias, _update_existing_only: false, [name]: 1 })) });
  await heddle.track({ attributes: [{ user_alias, _update_existing_only: false, c: 1 }] });
  expect((await heddle.find({ user_aliases: [user_alias] })).map((user) => user.custom_attributes)).toEqual([{ a: 1, b: 1, c: 1 }]);
});

test("an email may have letters of all languages before its at sign, and its domain is told in ASCII", async () => {
  const id = fresh();
  const name = fresh("жук");
  await heddle.track({ attributes: [{ external_id: id, email: `${name}@bücher.example` }] });
  expect((await heddle.user(id)).email).toBe(`${name}@xn--bcher-kva.example`);
  expect(await heddle.find({ email_address: `${name}@BÜCHER.example` })).toMatchObject([{ external_id: id }]);
});
