/** GET /console/requests: how often each limit was used and what was refused, of the key's own workspace. */
import { expect, test } from "vitest";
import { apiKey, declared, workspace } from "../declaration.ts";
import { demoKey } from "../heddle.ts";
import { fresh, heddleSuite } from "../suite.ts";

const tracker = "a-key-that-may-only-track-requests";
const stranger = "a-key-of-another-workspace-requests";
/** What a gateway counted is written within this time; reading may go to another one. */
const patient = { timeout: 40_000, interval: 500 };
const heddle = heddleSuite({
  apply: declared({
    demo: { limits: { subscription_user_status: 2 } },
    keys: [apiKey("tracker", tracker, ["users.track"])],
    others: [workspace("other", [apiKey("all", stranger)])],
  }),
});

interface Series {
  readonly metric: string;
  readonly name: string;
  readonly total: number;
  readonly points: readonly (readonly [number, number])[];
}

async function counted(range = "day", key = demoKey): Promise<Record<string, number>> {
  const { status, text, body } = await heddle.request("GET", `/console/requests?range=${range}`, undefined, { key });
  expect(status, text).toBe(200);
  const { series, from, to, step_seconds: step } = body as unknown as { series: Series[]; from: string; to: string; step_seconds: number };
  expect((Date.parse(to) - Date.parse(from)) / 1_000 / step).toBe({ day: 1_440, week: 168, year: 366 }[range]);
  for (const { total, points } of series) {
    expect(points.reduce((sum, [, count]) => sum + count, 0)).toBe(total);
    for (const [at] of points) expect([at % step, at * 1_000 >= Date.parse(from), at * 1_000 < Date.parse(to)]).toEqual([0, true, true]);
  }
  return Object.fromEntries(series.map(({ metric, name, total }) => [`${metric} ${name}`, total]));
}

test("requests by limit, those beyond it, and refusals by reason, by minute, hour and day", async () => {
  for (let sent = 0; sent < 3; sent += 1) {
    expect((await heddle.request("POST", "/users/track", { attributes: [{ external_id: fresh() }] })).status).toBe(201);
  }
  expect((await heddle.request("POST", "/users/track", { attributes: "none" })).status).toBe(400);
  expect((await heddle.request("GET", `/console/overview`, undefined, { key: tracker })).status).toBe(403);
  const path = `/subscription/user/status?external_id=${fresh()}`;
  const statuses = [];
  for (let sent = 0; sent < 4; sent += 1) statuses.push((await heddle.request("GET", path)).status);
  expect(statuses).toEqual([200, 200, 429, 429]);
  for (const range of ["day", "week", "year"]) {
    await expect.poll(() => counted(range), patient).toMatchObject({
      "requests users_track": 4,
      "requests subscription_user_status": 4,
      "limited subscription_user_status": 2,
      "refused RATE_LIMITED": 2,
      "refused PERMISSION_MISSING": 1,
      "refused INPUT_INVALID": 1,
    });
  }
  const all = await counted();
  expect(Object.keys(all).filter((name) => name.startsWith("limited "))).toEqual(["limited subscription_user_status"]);
  // Each question is itself a request
  expect(all["requests console"]).toBeGreaterThan(0);
});

test("it takes console.view, shows nothing of another workspace, and refuses another range", async () => {
  expect((await heddle.request("GET", "/console/requests", undefined, { key: tracker })).status).toBe(403);
  expect(Object.keys(await counted("day", stranger)).filter((name) => !name.endsWith(" console"))).toEqual([]);
  const wrong = await heddle.request("GET", "/console/requests?range=month");
  expect([wrong.status, wrong.body["message"]]).toEqual([400, "'range' must be day, week, year"]);
});
