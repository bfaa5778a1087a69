/** POST /users/track: standard profile fields with their types, and what happens to values they do not take. */
import { expect, test } from "vitest";
import { fresh, freshEmail, freshPhone, heddleSuite, instant } from "../suite.ts";

const heddle = heddleSuite();

/** Field, what is sent, what the export shows under the same name. */
const kept: readonly (readonly [field: string, sent: unknown, shown: unknown])[] = [
  ["first_name", "Ann", "Ann"],
  ["last_name", "O'Neill-Ødegård", "O'Neill-Ødegård"],
  ["home_city", "東京", "東京"],
  ["country", "DE", "DE"],
  ["country", "Australia", "AU"],
  ["language", "de", "de"],
  ["dob", "1980-12-21", "1980-12-21"],
  ["gender", "F", "F"],
  ["gender", "M", "M"],
  ["gender", "O", "O"],
  ["gender", "N", "N"],
  ["gender", "P", "P"],
  ["time_zone", "Europe/Berlin", "Europe/Berlin"],
  ["push_subscribe", "opted_in", "opted_in"],
  ["push_subscribe", "unsubscribed", "unsubscribed"],
];

for (const [field, sent, shown] of kept) {
  test(`${field} ${JSON.stringify(sent)} is shown as ${JSON.stringify(shown)} and is no custom attribute`, async () => {
    const id = fresh();
    await heddle.track({ attributes: [{ external_id: id, [field]: sent }] });
    const user = await heddle.user(id);
    expect(user[field]).toEqual(shown);
    expect(user.custom_attributes ?? {}).toEqual({});
  });
}

for (const field of ["first_name", "last_name", "home_city", "country", "language", "dob", "gender", "time_zone"]) {
  test(`${field} null takes the field away`, async () => {
    const id = fresh();
    const value = { country: "DE", language: "de", dob: "1980-12-21", gender: "F", time_zone: "Europe/Berlin" }[field] ?? "text";
    await heddle.track({ attributes: [{ external_id: id, [field]: value }] });
    await heddle.track({ attributes: [{ external_id: id, [field]: null }] });
    expect((await heddle.user(id))[field] ?? null).toBeNull();
  });
}

/** A value that the field does not take never overwrites a good one, whether the object is refused or the value ignored. */
const notKept: readonly (readonly [field: string, good: unknown, wrong: unknown])[] = [
  ["first_name", "Ann", 5],
  ["first_name", "Ann", { a: 1 }],
  ["last_name", "Ann", ["x"]],
  ["home_city", "Rome", true],
  ["dob", "1980-12-21", "21.12.1980"],
  ["dob", "1980-12-21", "1980-02-30"],
  ["dob", "1980-12-21", 1980],
  ["gender", "F", "X"],
  ["gender", "F", "female"],
  ["time_zone", "Europe/Berlin", "Mars/Olympus"],
  ["time_zone", "Europe/Berlin", 7],
  ["push_subscribe", "opted_in", "maybe"],
  ["language", "de", 5],
];

for (const [field, good, wrong] of notKept) {
  test(`${field} ${JSON.stringify(wrong)} does not overwrite ${JSON.stringify(good)}`, async () => {
    const id = fresh();
    await heddle.track({ attributes: [{ external_id: id, [field]: good }] });
    const answer = await heddle.post("/users/track", { attributes: [{ external_id: id, [field]: wrong }] });
    expect([201, 400]).toContain(answer.status);
    expect((await heddle.user(id))[field]).toEqual(good);
    expect((await heddle.user(id)).custom_attributes ?? {}).toEqual({});
  });
}

test("country that nobody knows becomes null", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, country: "DE" }] });
  await heddle.track({ attributes: [{ external_id: id, country: "Atlantis" }] });
  expect((await heddle.user(id)).country ?? null).toBeNull();
});

test("email is stored in lower case, trimmed", async () => {
  const id = fresh();
  const email = freshEmail();
  await heddle.track({ attributes: [{ external_id: id, email: ` ${email.toUpperCase()} ` }] });
  expect((await heddle.user(id)).email).toBe(email);
});

test("phone is stored in E.164 form", async () => {
  const id = fresh();
  const phone = freshPhone();
  await heddle.track({ attributes: [{ external_id: id, phone: phone.replace("+49151", "+49 (151) ") }] });
  expect((await heddle.user(id)).phone).toBe(phone);
});

test("current_location is shown as last_coordinates, longitude first", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, current_location: { longitude: 13.405, latitude: 52.52 } }] });
  expect((await heddle.user(id)).last_coordinates).toEqual([13.405, 52.52]);
});

test("current_location out of range or of a wrong type is not kept", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, current_location: { longitude: 1, latitude: 2 } }] });
  for (
    const current_location of [
      { longitude: 200, latitude: 0 },
      { longitude: 0, latitude: -91 },
      { longitude: "1", latitude: 2 },
      { latitude: 2 },
      "here",
      [1, 2],
    ]
  ) {
    await heddle.post("/users/track", { attributes: [{ external_id: id, current_location }] });
  }
  expect((await heddle.user(id)).last_coordinates).toEqual([1, 2]);
});

test("push_subscribe and email_subscribe read subscribed where nothing was set", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
  const user = await heddle.user(id);
  expect(user.push_subscribe ?? "subscribed").toBe("subscribed");
  expect(user.email_subscribe ?? "subscribed").toBe("subscribed");
});

test("email_subscribe of a wrong value is refused, its values are taken and are no custom attributes", async () => {
  const id = fresh();
  await heddle.verdict("attributes", { external_id: id, email_subscribe: "perhaps" });
  await heddle.verdict("attributes", { external_id: id, email_subscribe: 1 });
  for (const email_subscribe of ["opted_in", "unsubscribed", "subscribed"]) {
    await heddle.track({ attributes: [{ external_id: id, email_subscribe }] });
  }
  expect((await heddle.user(id)).custom_attributes ?? {}).toEqual({});
});

test("subscription_groups of a wrong shape are refused, right ones are no custom attributes", async () => {
  const id = fresh();
  const subscription_group_id = "11111111-1111-4111-8111-111111111111";
  for (
    const subscription_groups of [
      "x",
      {},
      [1],
      [{}],
      [{ subscription_group_id }],
      [{ subscription_group_id, subscription_state: "maybe" }],
      [{ subscription_state: "subscribed" }],
    ]
  ) {
    await heddle.verdict("attributes", { external_id: id, subscription_groups });
  }
  await heddle.track({
    attributes: [{ external_id: id, subscription_groups: [{ subscription_group_id, subscription_state: "subscribed" }] }],
  });
  expect((await heddle.user(id)).custom_attributes ?? {}).toEqual({});
});

test("session dates and spam mark take a date text", async () => {
  const id = fresh();
  const sent = {
    date_of_first_session: "2026-01-02T03:04:05Z",
    date_of_last_session: "2026-02-03",
    marked_email_as_spam_at: "2026-03-04 05:06:07",
  };
  await heddle.track({ attributes: [{ external_id: id, ...sent }] });
  const user = await heddle.user(id);
  expect(user.custom_attributes ?? {}).toEqual({});
  for (
    const [field, at] of [
      ["date_of_first_session", Date.UTC(2026, 0, 2, 3, 4, 5)],
      ["date_of_last_session", Date.UTC(2026, 1, 3)],
      ["marked_email_as_spam_at", Date.UTC(2026, 2, 4, 5, 6, 7)],
    ] as const
  ) {
    expect(instant(user[field]), field).toBe(at);
  }
});

test("fields of other kinds are taken and are no custom attributes", async () => {
  const id = fresh();
  await heddle.track({
    attributes: [{
      external_id: id,
      image_url: "https://example.com/a.png",
      facebook: { id: "1", likes: ["a"], num_friends: 3 },
      twitter: { id: 1, screen_name: "ann", followers_count: 1, friends_count: 2, statuses_count: 3 },
      email_open_tracking_disabled: true,
      email_click_tracking_disabled: false,
      push_tokens: [{ app_id: "app-1", token: "t0ken" }],
    }],
  });
  expect((await heddle.user(id)).custom_attributes ?? {}).toEqual({});
});

test("standard fields are case sensitive: other cases are custom attributes", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, First_Name: "Ann", GENDER: "F" }] });
  const user = await heddle.user(id);
  expect(user.custom_attributes).toEqual({ First_Name: "Ann", GENDER: "F" });
  expect(user.first_name).toBeUndefined();
});

test("time_zone takes the names of zones that other systems use", async () => {
  const id = fresh();
  for (const time_zone of ["Eastern Time (US & Canada)", "America/New_York", "UTC"]) {
    await heddle.track({ attributes: [{ external_id: id, time_zone }] });
    expect((await heddle.user(id))["time_zone"]).toBe(time_zone);
  }
});

test("push_token_import makes a user of an email, and is refused beside an external_id or a platform_id", async () => {
  const [email, id] = [freshEmail(), fresh()];
  const push_tokens = [{ app_id: "app-1", token: "t0ken", device_id: "device-1" }];
  await heddle.track({ attributes: [{ email, push_token_import: true, push_tokens }] });
  expect(await heddle.find({ email_address: email })).toMatchObject([{ push_tokens: [{ app_id: "app-1" }] }]);
  await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
  const { braze_id } = await heddle.user(id);
  for (const by of [{ external_id: id }, { braze_id }]) await heddle.verdict("attributes", { ...by, push_token_import: true, push_tokens });
});
