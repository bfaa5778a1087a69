/** POST /users/alias/update: renames an alias that exists, and nothing otherwise. */
import { expect, test } from "vitest";
import { fresh, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
const path = "/users/alias/update";

async function someoneWithAlias() {
  const id = fresh();
  const alias = { alias_label: "crm", alias_name: fresh("alias") };
  await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
  await heddle.accept("/users/alias/new", { user_aliases: [{ external_id: id, ...alias }] });
  return { id, alias };
}

test("POST /users/alias/update answers 201 and the user has the new name only", async () => {
  const { id, alias } = await someoneWithAlias();
  const renamed = { ...alias, alias_name: fresh("renamed") };
  const answer = await heddle.post(path, {
    alias_updates: [{ alias_label: alias.alias_label, old_alias_name: alias.alias_name, new_alias_name: renamed.alias_name }],
  });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ message: "success" });
  expect((await heddle.user(id)).user_aliases).toEqual([renamed]);
  expect(await heddle.find({ user_aliases: [alias] })).toEqual([]);
  expect(await heddle.find({ user_aliases: [renamed] })).toMatchObject([{ external_id: id }]);
});

test("POST /users/alias/update frees the old name for another user", async () => {
  const { alias } = await someoneWithAlias();
  await heddle.accept(path, {
    alias_updates: [{ alias_label: alias.alias_label, old_alias_name: alias.alias_name, new_alias_name: fresh() }],
  });
  await heddle.accept("/users/alias/new", { user_aliases: [alias] });
  expect((await heddle.find({ user_aliases: [alias] }))[0]?.external_id).toBeUndefined();
  expect(await heddle.find({ user_aliases: [alias] })).toHaveLength(1);
});

test("POST /users/alias/update of a name that nobody has, or under another label, updates nothing", async () => {
  const { id, alias } = await someoneWithAlias();
  for (
    const update of [
      { alias_label: alias.alias_label, old_alias_name: fresh(), new_alias_name: fresh() },
      { alias_label: "other", old_alias_name: alias.alias_name, new_alias_name: fresh() },
    ]
  ) await heddle.accept(path, { alias_updates: [update] });
  expect((await heddle.user(id)).user_aliases).toEqual([alias]);
});

test("POST /users/alias/update to a name in use takes it from nobody", async () => {
  const [ann, ben] = [await someoneWithAlias(), await someoneWithAlias()];
  await heddle.accept(path, {
    alias_updates: [{ alias_label: "crm", old_alias_name: ann.alias.alias_name, new_alias_name: ben.alias.alias_name }],
  });
  expect((await heddle.find({ user_aliases: [ben.alias] })).map((user) => user.external_id)).toEqual([ben.id]);
  expect((await heddle.find({ user_aliases: [ann.alias] })).map((user) => user.external_id)).toEqual([ann.id]);
});

test("POST /users/alias/update takes 50 updates and not 51", async () => {
  const updates = Array.from({ length: 51 }, () => ({ alias_label: "crm", old_alias_name: fresh(), new_alias_name: fresh() }));
  expect((await heddle.post(path, { alias_updates: updates.slice(1) })).status).toBe(201);
  expect((await heddle.post(path, { alias_updates: updates })).status).toBe(400);
});

for (
  const body of [{}, { alias_updates: [] }, { alias_updates: "a" }, { alias_updates: [1] }, { alias_updates: [{}] }]
) {
  test(`POST /users/alias/update refuses ${JSON.stringify(body)}`, async () => {
    const answer = await heddle.post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/\S/);
  });
}

test("POST /users/alias/update refuses an update that lacks a field, or has another type in it", async () => {
  const whole = { alias_label: "crm", old_alias_name: fresh(), new_alias_name: fresh() };
  for (const field of Object.keys(whole)) {
    for (const value of [undefined, null, "", true, {}]) {
      const answer = await heddle.post(path, { alias_updates: [{ ...whole, [field]: value }] });
      expect([answer.status, answer.body.message], `${field}: ${JSON.stringify(value)}`).toEqual([400, expect.stringMatching(/\S/)]);
    }
  }
});
