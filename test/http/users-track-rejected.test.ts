/** A user with more event names or products than one person can have: no more of it is taken, what it has stays, an operator lets it back in. */
import { expect, test } from "vitest";
import { runCommand } from "../command-line.ts";
import { fresh, heddleSuite } from "../suite.ts";

const suite = heddleSuite();
/** The published text. */
const rejectedText = "provided external_id is blacklisted and disallowed";
const time = "2026-01-01T00:00:00Z";
const patient = { timeout: 240_000 };

function named(id: string, count: number, from = 0): object[] {
  return Array.from({ length: count }, (_, at) => ({ external_id: id, name: `event ${from + at}`, time }));
}

function bought(id: string, count: number, prefix: string): object[] {
  return Array.from({ length: count }, (_, at) => ({
    external_id: id,
    product_id: `${prefix} ${at}`,
    currency: "USD",
    price: 1,
    time,
  }));
}

/** In requests of 75, several at a time. */
async function send(array: "events" | "purchases", objects: readonly object[]): Promise<void> {
  const requests = Array.from({ length: Math.ceil(objects.length / 75) }, (_, at) => objects.slice(at * 75, (at + 1) * 75));
  await Promise.all(Array.from({ length: 8 }, async () => {
    for (let some = requests.pop(); some !== undefined; some = requests.pop()) await suite.track({ [array]: some });
  }));
}

function track(body: object, key?: string) {
  return suite.post("/users/track", body, key === undefined ? {} : { headers: { "idempotency-key": key } });
}

/** By sending what changes nothing. */
async function isRejected(id: string): Promise<boolean> {
  const { status, body } = await track({ attributes: [{ external_id: id, color: "red" }] });
  if (status === 201) return false;
  expect([status, body.errors]).toEqual([400, [{ type: rejectedText, input_array: "attributes", index: 0 }]]);
  return true;
}

/** Each process learns of it by itself: asked so often that all of them were. */
async function isRejectedEverywhere(id: string): Promise<boolean> {
  return (await Promise.all(Array.from({ length: 20 }, () => isRejected(id)))).every(Boolean);
}

async function listed(id: string) {
  const { status, body } = await suite.get("/console/rejected");
  expect(status).toBe(200);
  return (body as unknown as { users: { external_id: string }[] }).users.filter(({ external_id: own }) => own === id);
}

test(
  "more than 20,000 event names: an entry in errors by each name of the user, others go on, and all of it is still there",
  patient,
  async () => {
    const [id, other, key] = [fresh(), fresh(), fresh()];
    const alias = { alias_label: "l", alias_name: id };
    await suite.track({ attributes: [{ external_id: id, color: "red" }] });
    await suite.accept("/users/alias/new", { user_aliases: [{ external_id: id, ...alias }] });
    await track({ attributes: [{ external_id: id, color: "blue" }] }, key);
    await send("events", named(id, 20_000));
    const before = await suite.user(id);
    expect(before.custom_events).toHaveLength(20_000);
    expect(await isRejected(id)).toBe(false);
    await suite.track({ events: named(id, 1, 20_000) });
    await expect.poll(() => isRejectedEverywhere(id)).toBe(true);
    const platformId = String(before.braze_id);
    const mixed = await track({
      attributes: [{ external_id: other, color: "green" }, { user_alias: alias, color: "green" }],
      events: [{ external_id: id, name: "event 1", time }, { external_id: other, name: "event 1", time }],
      purchases: [{ braze_id: platformId, product_id: "p", currency: "USD", price: 1, time }],
    });
    expect(mixed.status).toBe(201);
    expect(mixed.body).toEqual({
      attributes_processed: 1,
      events_processed: 1,
      purchases_processed: 0,
      message: "success",
      errors: [
        { type: rejectedText, input_array: "attributes", index: 1 },
        { type: rejectedText, input_array: "events", index: 0 },
        { type: rejectedText, input_array: "purchases", index: 0 },
      ],
    });
    expect((await suite.post("/users/track/sync", { attributes: [{ external_id: id, color: "green" }] })).status).toBe(400);
    // What was answered before is answered so again, and does nothing again
    expect((await track({ attributes: [{ external_id: id, color: "blue" }] }, key)).body).toEqual({
      attributes_processed: 1,
      message: "success",
    });
    const after = await suite.user(id);
    expect(after).toMatchObject({ custom_attributes: { color: "red" }, user_aliases: [alias] });
    expect(after.custom_events).toHaveLength(20_001);
    expect(after.custom_events?.find(({ name }) => name === "event 1")?.count).toBe(1);
    expect(after).not.toHaveProperty("purchases");
    expect(await suite.user(other)).toMatchObject({ custom_attributes: { color: "green" }, custom_events: [{ name: "event 1" }] });
    expect(suite.heddle.output()).toContain("user_rejected");

    await suite.heddle.restart();
    expect(await isRejected(id)).toBe(true);
    expect(await listed(id)).toEqual([
      { platform_id: platformId, external_id: id, user_aliases: [alias], counted: "event_names", count: 20_001, max: 20_000 },
    ]);
    const at = ["--url", suite.heddle.url, "--key", suite.heddle.key];
    const shown = await runCommand(["users", "rejected", ...at]);
    expect(shown).toMatchObject({ code: 0, output: expect.stringContaining(`${platformId}  ${id}`) });
    const admitted = await runCommand(["users", "admit", "--external-id", id, ...at]);
    expect(admitted).toMatchObject({ code: 0, output: "The user is let in, and may have twice of what it has\n" });
    expect(await isRejected(id)).toBe(false);
    expect(await listed(id)).toEqual([]);
    await suite.track({ events: named(id, 75, 20_001) });
    expect((await suite.user(id)).custom_events).toHaveLength(20_076);
    expect(await isRejected(id)).toBe(false);
  },
);

test(
  "a merge that makes a user too large takes all in, and only then no more of it; taken back, both are taken again",
  patient,
  async () => {
    const [source, target] = [fresh(), fresh()];
    await send("purchases", [...bought(source, 10_001, "source"), ...bought(target, 10_001, "target")]);
    const jobId = await suite.merge(source, target);
    await expect.poll(() => isRejected(target)).toBe(true);
    const merged = await suite.user(target);
    expect(merged.purchases).toHaveLength(20_002);
    expect(merged).toMatchObject({ total_revenue: 20_002 });
    expect(await listed(target)).toMatchObject([{ counted: "product_ids", count: 20_002, max: 20_000 }]);
    await suite.accept("/users/merge/undo", { job_id: jobId, index: 0 });
    await expect.poll(() => isRejected(target)).toBe(false);
    expect(await isRejected(source)).toBe(false);
    expect((await suite.user(target)).purchases).toHaveLength(10_001);

    // Deleted, the name is free for any user
    await suite.merge(source, target);
    await expect.poll(() => isRejected(target)).toBe(true);
    await suite.accept("/users/delete", { external_ids: [target] });
    await expect.poll(() => isRejected(target)).toBe(false);
    expect(await suite.user(target)).toMatchObject({ custom_attributes: { color: "red" } });
    expect(await suite.user(target)).not.toHaveProperty("purchases");
  },
);

test("only operators are shown who is rejected, and let somebody in", async () => {
  const user = { external_id: fresh() };
  const at = ["--url", suite.heddle.url, "--key", suite.heddle.key];
  expect(await runCommand(["users", "admit", "--external-id", user.external_id, ...at])).toMatchObject({
    code: 1,
    errors: `There is no such user: external id "${user.external_id}"\n`,
  });
  const known = fresh();
  await suite.track({ attributes: [{ external_id: known, color: "red" }] });
  expect(await runCommand(["users", "admit", "--external-id", known, ...at])).toMatchObject({
    code: 0,
    output: "The user was not rejected; it may have twice of what it has, and never less than others\n",
  });
  expect((await runCommand(["users", "admit", "--alias", "none", "such", ...at])).errors).toBe(
    'There is no such user: alias "such" of the label "none"\n',
  );
  expect((await suite.post("/console/rejected/admit", user)).status).toBe(404);
  for (const body of [{}, { email: "ann@example.com" }, { ...user, platform_id: "a".repeat(24) }]) {
    expect((await suite.post("/console/rejected/admit", body)).status).toBe(400);
  }
});
