/** The extensions of merge: GET /users/merge/status/{id}, POST /users/merge/preview and POST /users/merge/undo. */
import { expect, test } from "vitest";
import type { ExportedUser } from "../client.ts";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
const time = "2026-03-01T12:00:00Z";

async function two(): Promise<[string, string]> {
  const [source, target] = [fresh("source"), fresh("target")];
  const email = freshEmail();
  await heddle.track({
    attributes: [{ external_id: source, email, first_name: "Source", a: 1, both: "source" }, { external_id: target, b: 2, both: "target" }],
    events: [{ external_id: source, name: "e", time }, { external_id: target, name: "e", time: "2026-04-01" }],
    purchases: [{ external_id: source, product_id: "p", currency: "USD", price: 1.1, time }],
  });
  await heddle.accept("/users/alias/new", { user_aliases: [{ external_id: source, alias_label: "crm", alias_name: fresh() }] });
  return [source, target];
}

function update(source: string, target: string) {
  return { identifier_to_merge: { external_id: source }, identifier_to_keep: { external_id: target } };
}

async function merge(...updates: object[]): Promise<string> {
  const answer = await heddle.post("/users/merge", { merge_updates: updates });
  expect(answer.status, answer.text).toBe(202);
  expect(answer.body.job_id).toMatch(/\S/);
  return answer.body.job_id ?? "";
}

async function outcomes(jobId: string): Promise<Record<string, unknown>[]> {
  const answer = await heddle.get(`/users/merge/status/${jobId}`);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toMatchObject({ message: "success", job_id: jobId });
  return answer.body.merge_updates as Record<string, unknown>[];
}

async function both(source: string, target: string): Promise<ExportedUser[]> {
  return [await heddle.user(source), await heddle.user(target)];
}

test("GET /users/merge/status tells what happened to each update, and why nothing happened where nothing did", async () => {
  const [source, target] = await two();
  const email = freshEmail();
  await heddle.track({ attributes: [{ external_id: fresh(), email }, { external_id: fresh(), email }] });
  const jobId = await merge(update(source, target), update(fresh(), target), update(target, target), {
    identifier_to_merge: { email, prioritization: ["identified"] },
    identifier_to_keep: { external_id: target },
  });
  const told = await outcomes(jobId);
  expect(told.map((outcome) => [outcome.index, outcome.status])).toEqual([[0, "merged"], [1, "not_merged"], [2, "not_merged"], [
    3,
    "not_merged",
  ]]);
  for (const outcome of told.slice(1)) expect(outcome.reason).toMatch(/\S/);
  expect(new Set(told.slice(1).map((outcome) => outcome.reason)).size).toBe(3);
});

test("GET /users/merge/status of a job that nobody started is 404", async () => {
  for (const jobId of ["nothing", "00000000-0000-4000-8000-000000000000", "%00", "..%2f.."]) {
    const answer = await heddle.get(`/users/merge/status/${jobId}`);
    expect(answer.status, jobId).toBe(404);
    expect(answer.body.message).toMatch(/\S/);
  }
});

test("POST /users/merge/preview shows what the merge then makes, and changes nothing", async () => {
  const [source, target] = await two();
  const before = await both(source, target);
  const preview = await heddle.post("/users/merge/preview", { merge_updates: [update(source, target)] });
  expect(preview.status, preview.text).toBeLessThan(300);
  expect(preview.body.would_merge).toBe(true);
  expect(await both(source, target)).toEqual(before);
  await merge(update(source, target));
  const { updated_at: _, ...merged } = await heddle.user(target);
  expect(preview.body.user).toMatchObject(merged);
});

test("POST /users/merge/preview shows the email status that an unsubscribe of either side brings to the address", async () => {
  const waiting = { email_subscribe: "unsubscribed" };
  for (const [source, target] of [[waiting, { email: freshEmail() }], [{ email: freshEmail() }, waiting], [waiting, {}]] as const) {
    const [sourceId, targetId] = [fresh("source"), fresh("target")];
    await heddle.track({ attributes: [{ external_id: sourceId, ...source }, { external_id: targetId, ...target }] });
    const preview = await heddle.post("/users/merge/preview", { merge_updates: [update(sourceId, targetId)] });
    await merge(update(sourceId, targetId));
    const { email_subscribe } = await heddle.user(targetId);
    expect([email_subscribe, (preview.body.user as ExportedUser).email_subscribe]).toEqual(["unsubscribed", "unsubscribed"]);
  }
});

test("POST /users/merge/preview tells why nothing would happen", async () => {
  const [, target] = await two();
  const preview = await heddle.post("/users/merge/preview", { merge_updates: [update(fresh(), target)] });
  expect(preview.body).toMatchObject({ would_merge: false, message: "success" });
  expect(preview.body.reason).toMatch(/\S/);
});

test("POST /users/merge/undo brings both users back exactly", async () => {
  const [source, target] = await two();
  const before = await both(source, target);
  const jobId = await merge(update(source, target));
  expect(await heddle.find({ external_ids: [source] })).toEqual([]);
  await heddle.accept("/users/merge/undo", { job_id: jobId, index: 0 });
  expect(await both(source, target)).toEqual(before);
  expect((await outcomes(jobId))[0]?.status).toBe("undone");
});

test("POST /users/merge/undo gives each side what was addressed to it since", async () => {
  const [source, target] = await two();
  const { user_aliases: [alias] = [], email } = await heddle.user(source);
  const jobId = await merge(update(source, target));
  await heddle.track({
    attributes: [{ user_alias: alias, to_source: 1, n: { inc: 1 } }, { external_id: target, to_target: 1, n: { inc: 10 } }],
    events: [{ user_alias: alias, name: "e", time }, { external_id: target, name: "e", time }],
    purchases: [{ email, product_id: "p", currency: "USD", price: 5, time }],
  });
  expect((await heddle.user(target)).custom_attributes).toMatchObject({ to_source: 1, to_target: 1, n: 11 });
  await heddle.accept("/users/merge/undo", { job_id: jobId });
  expect(await heddle.user(source)).toMatchObject({
    custom_attributes: { a: 1, both: "source", to_source: 1, n: 1 },
    custom_events: [{ count: 2 }],
    total_revenue: 6.1,
  });
  expect(await heddle.user(target)).toMatchObject({
    custom_attributes: { b: 2, both: "target", to_target: 1, n: 10 },
    custom_events: [{ count: 2 }],
    total_revenue: 0,
  });
});

test("POST /users/merge/undo works after kill -9 and restart", async () => {
  const [source, target] = await two();
  const before = await both(source, target);
  const jobId = await merge(update(source, target));
  await heddle.heddle.restart("SIGKILL");
  await heddle.accept("/users/merge/undo", { job_id: jobId });
  expect(await both(source, target)).toEqual(before);
});

test("POST /users/merge/undo of the older of two merges is refused with a reason while the newer stands", async () => {
  const [first, target] = await two();
  const [second] = await two();
  const older = await merge(update(first, target));
  const newer = await merge(update(second, target));
  const undo = await heddle.post("/users/merge/undo", { job_id: older });
  const reason = "Another user was merged into the target since: take that back first";
  expect([undo.status, undo.body.message]).toEqual([409, reason]);
  expect((await outcomes(older))[0]).toMatchObject({ status: "undo_refused", reason });
  expect(await heddle.find({ external_ids: [first] })).toEqual([]);
  await heddle.accept("/users/merge/undo", { job_id: newer });
  await heddle.accept("/users/merge/undo", { job_id: older });
  expect(await heddle.find({ external_ids: [first, second, target] })).toHaveLength(3);
});

test("POST /users/merge/undo is refused when an identifier of the source is in use again", async () => {
  const [source, target] = await two();
  const jobId = await merge(update(source, target));
  await heddle.track({ attributes: [{ external_id: source, reborn: true }] });
  const undo = await heddle.post("/users/merge/undo", { job_id: jobId });
  const reason = "An identifier of the source was given to another user since";
  expect([undo.status, undo.body.message]).toEqual([409, reason]);
  expect((await outcomes(jobId))[0]).toMatchObject({ status: "undo_refused", reason });
  expect((await heddle.user(source)).custom_attributes).toEqual({ reborn: true });
});

for (
  const body of [{}, { job_id: 5 }, { job_id: "" }, { job_id: "x", index: -1 }, { job_id: "x", index: "0" }, { job_id: "x", index: 50 }]
) {
  test(`POST /users/merge/undo refuses ${JSON.stringify(body)}`, async () => {
    const answer = await heddle.post("/users/merge/undo", body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/\S/);
  });
}

test("POST /users/merge/undo of a job id that no job has, however long, is refused as any other, and leaves nothing for an operator", async () => {
  const answers = await Promise.all(["none", "\u200d".repeat(32_000)].map((job_id) => heddle.post("/users/merge/undo", { job_id })));
  expect(answers.map(({ status }) => status)).toEqual([409, 409]);
  expect(answers[1]?.body.message).toBe(answers[0]?.body.message);
  expect((await heddle.get("/readyz")).text).not.toContain("dead letters");
});

test("POST /users/merge/undo gives back what was sent under the source's platform_id since, also through a second merge", async () => {
  const [source, target] = await two();
  const [other] = await two();
  const platform_id = (await heddle.user(source)).braze_id;
  const job = await merge(update(source, target));
  await heddle.track({ attributes: [{ platform_id, since: 1 }, { external_id: target, own: 1 }] });
  const second = await merge(update(target, other));
  await heddle.track({ attributes: [{ platform_id, next: 1, email: freshEmail() }] });
  expect((await heddle.user(other)).custom_attributes).toMatchObject({ since: 1, next: 1, own: 1 });
  for (const job_id of [second, job]) await heddle.accept("/users/merge/undo", { job_id, index: 0 });
  await heddle.track({ attributes: [{ platform_id, back: 1 }] });
  const [first, kept] = [await heddle.user(source), await heddle.user(target)];
  expect(first.custom_attributes).toMatchObject({ a: 1, since: 1, next: 1, back: 1 });
  expect(first.custom_attributes).not.toHaveProperty("own");
  expect(kept.custom_attributes).toMatchObject({ b: 2, own: 1 });
  for (const name of ["since", "next", "back"]) expect(kept.custom_attributes).not.toHaveProperty(name);
  expect((await heddle.user(other)).custom_attributes).not.toHaveProperty("next");
});
