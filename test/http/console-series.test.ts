/** GET /console/series: the sums of what was sent and of what exports show, whatever was repeated, merged or deleted since. */
import { expect, test } from "vitest";
import { apiKey, declared, workspace } from "../declaration.ts";
import { demoKey } from "../heddle.ts";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";

const tracker = "a-key-that-may-only-track-series";
const stranger = "a-key-of-another-workspace-series";
const group = "55555555-5555-4555-8555-555555555555";
const heddle = heddleSuite({
  apply: declared({
    demo: { subscriptionGroups: [{ id: group, name: "News", channel: "email" }] },
    keys: [apiKey("tracker", tracker, ["users.track"])],
    others: [workspace("other", [apiKey("all", stranger)])],
  }),
});

interface Series {
  readonly metric: string;
  readonly name?: string;
  readonly total: number;
  readonly points: readonly (readonly [number, number])[];
}

interface Answer {
  readonly step_seconds: number;
  readonly from: string;
  readonly to: string;
  readonly series: readonly Series[];
  readonly users?: { readonly count: number; readonly counted_since: string };
}

let position = "";

async function send(path: string, body: object, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const answer = await heddle.request("POST", path, body, { headers });
  expect([200, 201, 202], answer.text).toContain(answer.status);
  position = answer.headers.get("x-heddle-position") ?? position;
  return answer.body;
}

async function ask(range: string, key = demoKey): Promise<Answer> {
  const headers: Record<string, string> = key === demoKey && position !== "" ? { "x-heddle-position": position } : {};
  const answer = await heddle.request("GET", `/console/series?range=${range}`, undefined, { key, headers });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get("x-heddle-read")).toBe(null);
  return answer.body as never;
}

/** By metric and name; what was there before is taken off. */
async function counted(range = "day", before: Record<string, number> = {}): Promise<Record<string, number>> {
  const { series } = await ask(range);
  for (const { total, points } of series) expect(points.reduce((sum, [, count]) => sum + count, 0)).toBeCloseTo(total, 6);
  const all = series.map(({ metric, name = "", total }) => {
    const key = `${metric} ${name}`.trim();
    return [key, Math.round((total - (before[key] ?? 0)) * 100) / 100] as const;
  });
  return Object.fromEntries(all.filter(([, total]) => total !== 0));
}

test("counts are those of the effects of what was sent, the same by minute, hour and day", async () => {
  const before = await counted();
  const [ann, bob] = [fresh(), fresh()];
  await send("/users/track", {
    attributes: [{ external_id: ann, country: "DE" }, { external_id: bob, email: freshEmail(), email_subscribe: "unsubscribed" }],
    events: [
      { external_id: ann, name: "opened", time: "2020-01-01T00:00:00Z" },
      { external_id: bob, name: "opened", time: new Date().toISOString() },
      { external_id: bob, name: "__proto__", time: new Date().toISOString() },
      // No user has this id, so none is reached
      { external_id: fresh(), name: "opened", time: new Date().toISOString(), _update_existing_only: true },
    ],
    purchases: [
      { external_id: ann, product_id: "p", currency: "EUR", price: 0.1, quantity: 3, time: new Date().toISOString() },
      { external_id: bob, product_id: "p", currency: "USD", price: 12.34, time: new Date().toISOString() },
    ],
  });
  await send("/subscription/status/set", { subscription_group_id: group, subscription_state: "subscribed", external_id: [ann] });
  const expected = {
    objects: 7,
    "users new": 2,
    "events opened": 2,
    "events __proto__": 1,
    purchases: 4,
    "revenue EUR": 0.3,
    "revenue USD": 12.34,
    "consent email_unsubscribed": 1,
    "consent group_subscribed": 1,
  };
  expect(await counted("day", before)).toEqual(expected);
  for (const range of ["week", "year"]) expect(await counted(range, before)).toEqual(expected);
});

test("what is sent twice under one Idempotency-Key counts once, and what is refused not at all", async () => {
  const before = await counted();
  const id = fresh();
  const body = { events: [{ external_id: id, name: "paid", time: new Date().toISOString() }] };
  const key = { "idempotency-key": fresh("key") };
  for (let time = 0; time < 3; time += 1) await send("/users/track", body, key);
  await heddle.request("POST", "/users/track", { events: [{ external_id: id, name: "" }] });
  expect(await counted("day", before)).toEqual({ objects: 1, "users new": 1, "events paid": 1 });
});

test("a merge, its undo and a delete move no counts, and say how many users there are", async () => {
  const before = await counted();
  const [ann, bob, eve] = [fresh(), fresh(), fresh()];
  const time = new Date().toISOString();
  await send("/users/track", { events: [ann, bob, bob, eve].map((external_id) => ({ external_id, name: "seen", time })) });
  const merge = { identifier_to_merge: { external_id: ann }, identifier_to_keep: { external_id: bob } };
  const { job_id: jobId } = await send("/users/merge", { merge_updates: [merge] });
  const merged = await heddle.request("POST", "/users/export/ids", { external_ids: [bob] }, { headers: { "x-heddle-position": position } });
  expect(merged.body.users?.[0]).toMatchObject({ custom_events: [{ name: "seen", count: 3 }] });
  await send("/users/delete", { external_ids: [eve] });
  expect(await counted("day", before)).toEqual({
    objects: 4,
    "events seen": 4,
    "users new": 3,
    "users merged": 1,
    "users deleted": 1,
  });
  await send("/users/merge/undo", { job_id: jobId, index: 0 });
  expect(await counted("day", before)).toMatchObject({ "users unmerged": 1 });
  const { users } = await ask("day");
  expect(users?.count).toBe((await everybody()).size);
  expect(Date.parse(users?.counted_since ?? "")).toBeGreaterThan(Date.now() - 60 * 60_000);
});

/** By their platform ids, from the pages of the list. */
async function everybody(): Promise<Set<string>> {
  const found = new Set<string>();
  for (let token: string | undefined = ""; token !== undefined;) {
    const { body } = await heddle.request("POST", "/console/people", { list: "oldest", ...(token !== "" && { page_token: token }) });
    const { users, next_page_token: next } = body as unknown as { users: { platform_id: string }[]; next_page_token?: string };
    for (const { platform_id: id } of users) found.add(id);
    token = next;
  }
  return found;
}

test("the last point ends now, and ranges are by minute, hour and day", async () => {
  for (const [range, step, length] of [["day", 60, 1_440], ["week", 3_600, 168], ["year", 86_400, 366]] as const) {
    const { step_seconds, from, to } = await ask(range);
    expect(step_seconds).toBe(step);
    expect((Date.parse(to) - Date.parse(from)) / 1_000).toBe(step * length);
    expect(Date.parse(to)).toBeGreaterThan(Date.now() - 5_000);
  }
});

test("another workspace counts by itself, and who may not look is refused", async () => {
  await send("/users/track", { events: [{ external_id: fresh(), name: "mine", time: new Date().toISOString() }] });
  expect((await ask("day", stranger)).series).toEqual([]);
  expect((await heddle.request("GET", "/console/series", undefined, { key: tracker })).status).toBe(403);
  const wrong = await heddle.request("GET", "/console/series?range=month");
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain("'range' must be day, week, year");
});
