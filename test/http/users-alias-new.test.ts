/** POST /users/alias/new: aliases for users that exist, alias-only users, uniqueness by label and name. */
import { expect, test } from "vitest";
import { fresh, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
const path = "/users/alias/new";
const time = "2026-03-01T12:00:00Z";

function alias(alias_label = "crm") {
  return { alias_label, alias_name: fresh("alias") };
}

test("POST /users/alias/new answers 201 with the number of aliases", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
  const [one, two] = [alias("one"), alias("two")];
  const answer = await heddle.post(path, { user_aliases: [{ external_id: id, ...one }, { external_id: id, ...two }] });
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({ aliases_processed: 2, message: "success" });
  for (const each of [one, two]) expect(await heddle.find({ user_aliases: [each] })).toMatchObject([{ external_id: id }]);
});

test("POST /users/alias/new right after the /users/track that creates the user works without waiting", async () => {
  for (let round = 0; round < 20; round += 1) {
    const id = fresh();
    const name = alias();
    await heddle.request("POST", "/users/track", { attributes: [{ external_id: id, round }] });
    await heddle.request("POST", path, { user_aliases: [{ external_id: id, ...name }] });
    const read = await heddle.request("POST", "/users/export/ids", { user_aliases: [name] });
    expect(read.body.users).toMatchObject([{ external_id: id, custom_attributes: { round } }]);
  }
});

test("POST /users/alias/new without external_id makes an alias-only user that /users/track reaches", async () => {
  const name = alias();
  await heddle.accept(path, { user_aliases: [name] });
  await heddle.track({
    attributes: [{ user_alias: name, a: 1 }],
    events: [{ user_alias: name, name: "e", time }],
    purchases: [{ user_alias: name, product_id: "p", currency: "USD", price: 1, time }],
  });
  const [user] = await heddle.find({ user_aliases: [name] });
  expect(user).toMatchObject({
    user_aliases: [name],
    custom_attributes: { a: 1 },
    custom_events: [{ count: 1 }],
    purchases: [{ count: 1 }],
  });
  expect(user?.external_id).toBeUndefined();
});

test("POST /users/alias/new for an external_id that nobody has adds no alias and makes no user", async () => {
  const id = fresh();
  const name = alias();
  const answer = await heddle.post(path, { user_aliases: [{ external_id: id, ...name }] });
  expect(answer.status).toBe(201);
  expect(await heddle.find({ user_aliases: [name] })).toEqual([]);
  expect(await heddle.find({ external_ids: [id] })).toEqual([]);
});

test("POST /users/alias/new of a pair in use changes nothing; repeating it is harmless", async () => {
  const [owner, other] = [fresh(), fresh()];
  const name = alias();
  await heddle.track({ attributes: [{ external_id: owner, a: 1 }, { external_id: other, b: 2 }] });
  await heddle.accept(path, { user_aliases: [{ external_id: owner, ...name }] });
  await heddle.accept(path, { user_aliases: [{ external_id: owner, ...name }] });
  await heddle.accept(path, { user_aliases: [{ external_id: other, ...name }] });
  await heddle.accept(path, { user_aliases: [name] });
  expect((await heddle.find({ user_aliases: [name] })).map((user) => user.external_id)).toEqual([owner]);
  expect((await heddle.user(owner)).user_aliases).toEqual([name]);
  expect((await heddle.user(other)).user_aliases ?? []).toEqual([]);
});

test("POST /users/alias/new: a user has one name per label", async () => {
  const id = fresh();
  const [first, second] = [alias("crm"), alias("crm")];
  await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
  await heddle.accept(path, { user_aliases: [{ external_id: id, ...first }] });
  await heddle.accept(path, { user_aliases: [{ external_id: id, ...second }] });
  expect((await heddle.user(id)).user_aliases).toHaveLength(1);
});

test("POST /users/alias/new takes elements wrapped as user_alias", async () => {
  const name = alias();
  const answer = await heddle.post(path, { user_aliases: [{ user_alias: name }] });
  expect(answer.body).toEqual({ aliases_processed: 1, message: "success" });
  expect(await heddle.find({ user_aliases: [name] })).toHaveLength(1);
});

test("POST /users/alias/new takes 50 aliases and not 51", async () => {
  const names = Array.from({ length: 51 }, () => alias());
  expect((await heddle.post(path, { user_aliases: names.slice(1) })).body).toEqual({ aliases_processed: 50, message: "success" });
  const more = await heddle.post(path, { user_aliases: names });
  expect(more.status).toBe(400);
  expect(await heddle.find({ user_aliases: names.slice(0, 1) })).toEqual([]);
});

for (
  const body of [
    {},
    { user_aliases: [] },
    { user_aliases: "a" },
    { user_aliases: {} },
    { user_aliases: ["a"] },
    { user_aliases: [{}] },
    { user_aliases: [{ alias_name: "a" }] },
    { user_aliases: [{ alias_label: "a" }] },
    { user_aliases: [{ alias_label: "", alias_name: "" }] },
    { user_aliases: [{ alias_label: 1, alias_name: {} }] },
  ]
) {
  test(`POST /users/alias/new never says that ${JSON.stringify(body)} was processed`, async () => {
    const answer = await heddle.post(path, body);
    expect(answer.body.message).toMatch(/\S/);
    expect(
      answer.status === 400 || (answer.status === 201 && answer.body.aliases_processed === 0 && (answer.body.errors?.length ?? 0) > 0),
      answer.text,
    ).toBe(true);
  });
}

/** Names that take three bytes a character: 170 of these fill what one user may have. */
function longAlias() {
  const tail = "€".repeat(200);
  return { alias_label: fresh("label") + tail, alias_name: fresh("alias") + tail };
}

async function userWithLongAliases(count: number) {
  const external_id = fresh();
  await heddle.track({ attributes: [{ external_id, a: 1 }] });
  const taken: { alias_label: string; alias_name: string }[] = [];
  while (taken.length < count) {
    const names = Array.from({ length: Math.min(50, count - taken.length) }, longAlias);
    const answer = await heddle.accept(path, { user_aliases: names.map((name) => ({ external_id, ...name })) });
    expect(answer.body).toEqual({ aliases_processed: names.length, message: "success" });
    taken.push(...names);
  }
  return { external_id, taken };
}

test("a user may have hundreds of aliases, all of them are found", async () => {
  const external_id = fresh();
  await heddle.track({ attributes: [{ external_id, a: 1 }] });
  for (let round = 0; round < 6; round += 1) {
    const user_aliases = Array.from({ length: 50 }, () => ({ external_id, ...alias(fresh("label")) }));
    expect((await heddle.accept(path, { user_aliases })).body).toEqual({ aliases_processed: 50, message: "success" });
  }
  expect((await heddle.user(external_id)).user_aliases).toHaveLength(300);
});

test("an alias of 255 characters that are two of UTF-16 each is taken at every door and finds its user", async () => {
  const [long, other] = ["😀", "😎"].map((character) => fresh("a").slice(0, 35) + character.repeat(220)) as [string, string];
  const external_id = fresh("user");
  await heddle.track({ attributes: [{ external_id, a: 1 }] });
  const old = alias(long);
  await heddle.accept(path, { user_aliases: [{ external_id, ...old }] });
  const update = { alias_label: long, old_alias_name: old.alias_name, new_alias_name: other };
  await heddle.accept("/users/alias/update", { alias_updates: [update] });
  const user_alias = { alias_label: long, alias_name: other };
  await heddle.track({ attributes: [{ user_alias, b: 2 }] });
  const found = await heddle.post("/users/export/ids", {
    user_aliases: [user_alias],
    fields_to_export: ["external_id", "custom_attributes"],
  });
  expect(found.body.users).toEqual([{ external_id, custom_attributes: { a: 1, b: 2 } }]);
  await heddle.accept("/users/delete", { user_aliases: [user_alias] });
  expect((await heddle.post("/users/export/ids", { external_ids: [external_id] })).body.users).toEqual([]);
});

test("aliases beyond the bytes of one user are told in errors at every door, and never dropped in silence", async () => {
  const { external_id, taken } = await userWithLongAliases(180);
  const shorts = Array.from({ length: 3 }, () => alias(fresh("label")));
  await heddle.accept(path, { user_aliases: shorts.map((name) => ({ external_id, ...name })) });
  const type = expect.stringContaining("262144 bytes");
  const answer = await heddle.accept(path, { user_aliases: Array.from({ length: 50 }, () => ({ external_id, ...longAlias() })) });
  const { errors = [], aliases_processed: processed = 0 } = answer.body;
  expect(errors.at(-1)).toEqual({ type, input_array: "user_aliases", index: 49 });
  expect(errors.length + processed).toBe(50);
  expect((await heddle.user(external_id)).user_aliases).toHaveLength(taken.length + shorts.length + processed);

  const alias_updates = shorts.map(({ alias_label, alias_name }) => ({
    alias_label,
    old_alias_name: alias_name,
    new_alias_name: "€".repeat(255),
  }));
  const update = await heddle.accept("/users/alias/update", { alias_updates });
  expect(update.body.errors?.at(-1)).toEqual({ type, input_array: "alias_updates", index: 2 });
  expect((await heddle.user(external_id)).user_aliases).toContainEqual(shorts[2]);

  const other = await userWithLongAliases(20);
  const merge = { identifier_to_merge: { external_id: other.external_id }, identifier_to_keep: { external_id } };
  const preview = await heddle.post("/users/merge/preview", { merge_updates: [merge] });
  expect(preview.body).toMatchObject({ would_merge: false, reason: type });
  const { body: job } = await heddle.post("/users/merge", { merge_updates: [merge] });
  const status = await heddle.get(`/users/merge/status/${job.job_id}`);
  expect(status.body).toMatchObject({ merge_updates: [{ status: "not_merged", reason: type }] });
  expect((await heddle.user(other.external_id)).user_aliases).toHaveLength(20);

  const alone = longAlias();
  await heddle.accept(path, { user_aliases: [alone] });
  const identify = await heddle.accept("/users/identify", { aliases_to_identify: [{ external_id, user_alias: alone }] });
  expect((await heddle.get(`/users/merge/status/${identify.body.job_id}`)).body).toMatchObject({
    merge_updates: [{ status: "not_merged", reason: type }],
  });
});

test("POST /users/alias/new with an Idempotency-Key answers a repeat with the same errors", async () => {
  const { external_id } = await userWithLongAliases(180);
  const body = { user_aliases: Array.from({ length: 50 }, () => ({ external_id, ...longAlias() })) };
  const headers = { "idempotency-key": fresh("key") };
  const [first, second] = [await heddle.post(path, body, { headers }), await heddle.post(path, body, { headers })];
  expect(first.body.errors?.length).toBeGreaterThan(0);
  expect([second.status, second.body]).toEqual([first.status, first.body]);
});

test("POST /users/alias/new tells of fields that are neither text nor number, and processes the others", async () => {
  const good = alias();
  const wrong = [{ ...alias(), external_id: {} }, { ...alias(), alias_label: [] }, { ...alias(), alias_name: true }];
  const answer = await heddle.post(path, { user_aliases: [...wrong, good] });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ aliases_processed: 1, message: "success" });
  expect(answer.body.errors?.map(({ index }) => index)).toEqual([0, 1, 2]);
  expect(await heddle.find({ user_aliases: [good] })).toHaveLength(1);
});
