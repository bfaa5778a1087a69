/** Whose reads are behind, and how often that is looked up. */
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { openBlocked } from "./blocked.ts";
import type { Waiting } from "../../../platform/lane/hold-back.ts";

function createWorld(keepMs: number) {
  const clock = fakeClock();
  const state = { records: [] as Waiting[], looks: 0, fails: false };
  const isBlocked = openBlocked({
    clock,
    keepMs,
    waiting: (workspaceId) => {
      state.looks += 1;
      if (state.fails) return Promise.reject(new Error("away"));
      return Promise.resolve(workspaceId === "w" ? state.records : []);
    },
  });
  return { clock, state, isBlocked };
}

test("openHeld() knows whom the records that wait are about", async () => {
  const { state, isBlocked } = createWorld(0);
  expect(await isBlocked("w", ["a"])).toBe(false);
  expect(await isBlocked("w", "all")).toBe(false);
  state.records = [{ mark: [1, 0], keys: ["a", "b"] }, { mark: [2, 0], keys: [] }];
  expect(await Promise.all([["a"], ["c", "b"], ["c"], []].map((keys) => isBlocked("w", keys)))).toEqual([true, true, false, false]);
  expect(await isBlocked("w", "all")).toBe(true);
  expect(await isBlocked("v", "all")).toBe(false);
});

test("openHeld() looks once for all who ask within the time, and again after it", async () => {
  const { clock, state, isBlocked } = createWorld(1_000);
  expect(await Promise.all([isBlocked("w", ["a"]), isBlocked("w", "all")])).toEqual([false, false]);
  state.records = [{ mark: [1, 0], keys: ["a"] }];
  expect(state.looks).toBe(1);
  clock.advance(1_000);
  expect(await isBlocked("w", ["a"])).toBe(true);
  expect(state.looks).toBe(2);
});

test("openHeld() passes on what the store throws, and keeps it for nobody", async () => {
  const { state, isBlocked } = createWorld(1_000);
  state.fails = true;
  await expect(isBlocked("w", ["a"])).rejects.toThrow("away");
  state.fails = false;
  expect(await isBlocked("w", ["a"])).toBe(false);
});
