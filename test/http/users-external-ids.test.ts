/** POST /users/external_ids/rename and /remove: a user changes its id, the old one still resolves until it is removed. */
import { expect, test } from "vitest";
import { fresh, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
const rename = "/users/external_ids/rename";
const remove = "/users/external_ids/remove";

async function renamed() {
  const [before, after] = [fresh("old"), fresh("new")];
  await heddle.track({ attributes: [{ external_id: before, a: 1 }] });
  const answer = await heddle.post(rename, { external_id_renames: [{ current_external_id: before, new_external_id: after }] });
  return { before, after, answer };
}

test("POST /users/external_ids/rename answers 201 with the pair, the user has the new id and keeps its platform id", async () => {
  const { before, after, answer } = await renamed();
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    message: "success",
    external_ids: [{ current_external_id: before, new_external_id: after }],
    rename_errors: [],
  });
  expect(await heddle.user(after)).toMatchObject({ external_id: after, custom_attributes: { a: 1 } });
});

test("POST /users/external_ids/rename: the old id still resolves, in track and in export", async () => {
  const { before, after } = await renamed();
  await heddle.track({ attributes: [{ external_id: before, b: 2 }] });
  expect(await heddle.find({ external_ids: [before] })).toMatchObject([{ external_id: after, custom_attributes: { a: 1, b: 2 } }]);
});

test("POST /users/external_ids/rename refuses unknown, used and equal ids in rename_errors", async () => {
  const { before, after } = await renamed();
  const other = fresh();
  await heddle.track({ attributes: [{ external_id: other, a: 1 }] });
  const answer = await heddle.post(rename, {
    external_id_renames: [
      { current_external_id: fresh(), new_external_id: fresh() },
      { current_external_id: after, new_external_id: other },
      { current_external_id: after, new_external_id: after },
      { current_external_id: before, new_external_id: fresh() },
    ],
  });
  expect(answer.status).toBe(201);
  expect(answer.body.external_ids).toEqual([]);
  expect(answer.body.rename_errors).toHaveLength(4);
  expect(await heddle.user(after)).toMatchObject({ external_id: after });
});

test("POST /users/external_ids/remove takes a deprecated id away, which then means a new user", async () => {
  const { before, after } = await renamed();
  const answer = await heddle.post(remove, { external_ids: [before] });
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({ message: "success", removed_ids: [before], removal_errors: [] });
  expect(await heddle.find({ external_ids: [before] })).toEqual([]);
  await heddle.track({ attributes: [{ external_id: before, new: true }] });
  expect((await heddle.user(before)).custom_attributes).toEqual({ new: true });
  expect((await heddle.user(after)).custom_attributes).toEqual({ a: 1 });
});

test("POST /users/external_ids/remove refuses primary and unknown ids in removal_errors", async () => {
  const { after } = await renamed();
  const answer = await heddle.post(remove, { external_ids: [after, fresh()] });
  expect(answer.status).toBe(201);
  expect(answer.body.removed_ids).toEqual([]);
  expect(answer.body.removal_errors).toHaveLength(2);
  expect(await heddle.user(after)).toMatchObject({ external_id: after });
});

for (
  const [path, body] of [
    [rename, {}],
    [rename, { external_id_renames: "x" }],
    [rename, { external_id_renames: [] }],
    [rename, { external_id_renames: Array.from({ length: 51 }, () => ({ current_external_id: "a", new_external_id: "b" })) }],
    [remove, {}],
    [remove, { external_ids: "x" }],
    [remove, { external_ids: [] }],
    [remove, { external_ids: Array.from({ length: 51 }, () => fresh()) }],
  ] as const
) {
  test(`POST ${path} refuses ${JSON.stringify(body).slice(0, 60)}`, async () => {
    const answer = await heddle.post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/\S/);
  });
}

test("POST /users/external_ids/remove takes 50 ids and not 51", async () => {
  const external_ids = Array.from({ length: 51 }, () => fresh());
  const fifty = await heddle.post(remove, { external_ids: external_ids.slice(1) });
  expect([fifty.status, fifty.body["removal_errors"]]).toEqual([201, expect.objectContaining({ length: 50 })]);
  expect((await heddle.post(remove, { external_ids })).status).toBe(400);
});

test("POST /users/external_ids/rename and /remove: an error has the place in the request and a text", async () => {
  const renames = [{ current_external_id: fresh(), new_external_id: fresh() }];
  const error = [0, expect.stringMatching(/\S/)];
  expect((await heddle.post(rename, { external_id_renames: renames })).body["rename_errors"]).toEqual([error]);
  expect((await heddle.post(remove, { external_ids: [fresh()] })).body["removal_errors"]).toEqual([error]);
});
