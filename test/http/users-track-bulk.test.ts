/** POST /users/track/bulk: up to 1,000 objects and 2 MB in a request, up to 100 objects a user. */
import { expect, test } from "vitest";
import { fresh, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
const time = "2026-03-01T12:00:00Z";
const path = "/users/track/bulk";

test("POST /users/track/bulk takes 1,000 objects and applies each", async () => {
  const ids = Array.from({ length: 500 }, () => fresh());
  const answer = await heddle.post(path, {
    attributes: ids.map((external_id, at) => ({ external_id, at })),
    events: ids.map((external_id) => ({ external_id, name: "e", time })),
  });
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({ message: "success", attributes_processed: 500, events_processed: 500 });
  const users = await heddle.find({ external_ids: ids.slice(450) });
  expect(users).toHaveLength(50);
  expect(users.map((user) => user.custom_events?.[0]?.count)).toEqual(users.map(() => 1));
  expect(users.map((user) => user.custom_attributes?.at).toSorted()).toEqual(Array.from({ length: 50 }, (_, at) => at + 450));
});

test("POST /users/track/bulk refuses 1,001 objects as a whole", async () => {
  const id = fresh();
  const answer = await heddle.post(path, {
    attributes: Array.from({ length: 1001 }, (_, at) => ({ external_id: at === 0 ? id : fresh(), at })),
  });
  expect(answer.status).toBe(400);
  expect(answer.body.message).toContain("Max Input Length Exceeded");
  expect(await heddle.find({ external_ids: [id] })).toEqual([]);
});

test("POST /users/track/bulk takes 100 objects of a user and not 101", async () => {
  const id = fresh();
  const hundred = Array.from({ length: 100 }, () => ({ external_id: id, name: "e", time }));
  expect((await heddle.post(path, { events: hundred })).body).toEqual({ message: "success", events_processed: 100 });
  const more = await heddle.post(path, { events: [...hundred, hundred[0]] });
  expect(more.status === 400 || (more.body.errors?.length ?? 0) === 1, more.text.slice(0, 300)).toBe(true);
  const counted = (await heddle.user(id)).custom_events?.[0]?.count;
  expect(counted).toBe(100 + (more.body.events_processed ?? 0));
});

test("POST /users/track/bulk refuses a body over 2 MB with 413", async () => {
  const properties = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`p${at}`, "x".repeat(200)]));
  const events = Array.from({ length: 900 }, () => ({ external_id: fresh(), name: "e", time, properties }));
  const answer = await heddle.post(path, { events });
  expect(answer.status).toBe(413);
  expect(answer.body.message).toMatch(/\S/);
});

test("POST /users/track/bulk gives verdicts as /users/track does", async () => {
  const answer = await heddle.post(path, { attributes: [{ external_id: fresh(), a: 1 }, { a: 2 }] });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ message: "success", attributes_processed: 1, errors: [{ input_array: "attributes", index: 1 }] });
  expect((await heddle.post(path, { attributes: [{ a: 2 }] })).status).toBe(400);
});
