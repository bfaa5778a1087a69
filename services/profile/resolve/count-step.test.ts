/** Rows of counts over hours and days, and the series that are read of them: the sum of what was counted, in every range. */
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { allApplied } from "../domain/read/applied.fixture.ts";
import type { ReadDeps } from "../domain/read/catch-up.ts";
import { createIdentities } from "../domain/identity/identities.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import { readSeries, type SeriesRange } from "../domain/counts/read-series.ts";
import type { ResolvedRecord } from "../domain/resolve/batch.ts";
import { countStep } from "./count-step.ts";

const hourMs = 3_600_000;
const start = Date.UTC(2026, 10, 23, 22, 58, 30);

function openRows() {
  const rows = new Map<IdentityKey, unknown>();
  const store = {
    load: (_: string, keys: readonly IdentityKey[]) =>
      Promise.resolve(new Map(keys.flatMap((key) => rows.has(key) ? [[key, rows.get(key)] as const] : []))),
  };
  const view = createIdentities("w");
  return {
    rows,
    /** A step, written to the store or lost on the way to it. */
    async step(now: number, name: string, lost = false): Promise<readonly IdentityKey[]> {
      await countStep(view, [eventOf(name)], { now, store });
      const changes = [...view.changes()];
      if (lost) view.drop();
      else {for (const [key, row] of changes) {
          if (row === undefined) rows.delete(key);
          else rows.set(key, JSON.parse(JSON.stringify(row)));
        }}
      view.confirm();
      return changes.map(([key]) => key);
    },
    /** Another process goes on, from what is stored. */
    takeOver: () => view.drop(),
    /** `meanwhile` happens between the first rows that are read and the others. */
    async events(range: SeriesRange, now: number, meanwhile?: () => Promise<unknown>) {
      const intake = { tail: () => Promise.resolve({ partition: 0, sequence: 0 }) };
      const identities = {
        async load(workspaceId: string, keys: readonly IdentityKey[]) {
          const found = await store.load(workspaceId, keys);
          if (keys.includes("n:newest")) await meanwhile?.();
          return found;
        },
      };
      const deps = { intake, applied: allApplied(), identities, profiles: {} } as unknown as ReadDeps;
      const { series } = await readSeries(deps, { workspaceId: "w", range, now });
      return series.filter(({ name }) => name.startsWith("events:"));
    },
  };
}

function eventOf(name: string): ResolvedRecord {
  const profiles = [{ userId: "u", mark: [1, 0] as const, now: 0, change: { type: "event" as const, name, time: 0 } }];
  return { sequence: 1, profiles, consent: [], forgotten: [] };
}

test("a step that is lost and done again counts once", async () => {
  const counted = openRows();
  await counted.step(start, "a");
  await counted.step(start + 1, "a", true);
  await counted.step(start + 1, "a");
  expect(await counted.events("day", start)).toEqual([{ name: "events:a", total: 2, points: [[Date.UTC(2026, 10, 23, 22, 58), 2]] }]);
});

test("a step writes the row of its minute alone, and the hour when a later minute begins", async () => {
  const counted = openRows();
  await counted.step(start, "a");
  expect(await counted.step(start + 1, "b")).toEqual(["n:newest"]);
  expect(await counted.step(start + 60_000, "a")).toEqual([`n:m:${Math.floor(start / hourMs)}`, "n:newest"]);
  expect(await counted.step(start + 60_001, "a")).toEqual(["n:newest"]);
});

test("a minute that goes into its hour while it is read is in the series once", async () => {
  const counted = openRows();
  await counted.step(start, "a");
  const next = start + 60_000;
  const read = await counted.events("day", next, () => counted.step(next, "a"));
  expect(read).toEqual([{ name: "events:a", total: 1, points: [[Date.UTC(2026, 10, 23, 22, 58), 1]] }]);
  for (const range of ["day", "week", "year"] as const) expect((await counted.events(range, next))[0]?.total).toBe(2);
});

test("an hour that a build summed without the newest minute has it in its day when this one takes over", async () => {
  const counted = openRows();
  const [hour, day] = [Math.floor(start / hourMs), Math.floor(start / hourMs / 24)];
  await counted.step(start, "a");
  const row = { names: ["events:a"], slots: [[59, [1]]] };
  counted.rows.set(`n:m:${hour}`, row).set(`n:d:${day}`, { names: ["events:a"], slots: [[hour % 24, [1]]] });
  counted.rows.set(`n:m:${hour + 1}`, row).set("n:counted", { hours: [hour, hour + 1], days: [day] });
  counted.takeOver();
  const later = start + 2 * hourMs;
  await counted.step(later, "a");
  for (const range of ["day", "week", "year"] as const) expect((await counted.events(range, later))[0]?.total).toBe(4);
});

test("an hour whose minutes go away while they are read counts as its day has it", async () => {
  const counted = openRows();
  for (const at of [start, start + 60_000]) await counted.step(at, "a");
  const later = start + 60 * hourMs;
  const read = await counted.events("year", later, () => counted.step(later, "a"));
  expect(read[0]?.total).toBe(2);
});

test("minutes, hours and days have the same sum, over the ends of hours and days", async () => {
  const counted = openRows();
  for (let at = 0; at < 6; at += 1) await counted.step(start + at * 40 * 60_000, "a");
  const now = start + 5 * 40 * 60_000;
  const [day, week, year] = await Promise.all((["day", "week", "year"] as const).map((range) => counted.events(range, now)));
  expect(day?.map(({ total, points }) => [total, points.length])).toEqual([[6, 6]]);
  expect(week?.[0]?.points.map(([time, count]) => [new Date(time).toISOString().slice(0, 13), count])).toEqual([
    ["2026-11-23T22", 1],
    ["2026-11-23T23", 1],
    ["2026-11-24T00", 2],
    ["2026-11-24T01", 1],
    ["2026-11-24T02", 1],
  ]);
  expect(year?.[0]?.points).toEqual([[Date.UTC(2026, 10, 23), 2], [Date.UTC(2026, 10, 24), 4]]);
});

test("rows are as many as hours and days that are kept, and an idle time loses nothing", async () => {
  const counted = openRows();
  const hours = 24 * 30;
  for (let at = 0; at < hours; at += 1) await counted.step(start + at * hourMs, "a");
  const later = start + (hours - 1) * hourMs + 20 * 24 * hourMs;
  await counted.step(later, "a");
  expect(counted.rows.size).toBeLessThanOrEqual(2 + limits.countedHoursMax + limits.countedDaysMax);
  expect((await counted.events("year", later))[0]?.total).toBe(hours + 1);
  expect((await counted.events("week", later))[0]?.total).toBe(1);
});

test("a clock that is behind the counts adds to the newest hour", async () => {
  const counted = openRows();
  await counted.step(start, "a");
  await counted.step(start - 48 * hourMs, "a");
  expect((await counted.events("day", start))[0]?.total).toBe(2);
});
