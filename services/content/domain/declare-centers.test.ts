/** A declaration of preference centers is judged as a whole before anything of it is written. */
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { limits } from "../../../platform/limits.ts";
import type { CenterDeps, CenterStore } from "./center-ports.ts";
import { declareCenters } from "./declare-centers.ts";

const caller = { workspaceId: "w", requestId: "r", actor: "a" };
const summary = { id: "c", name: "n", version: 1, createdAt: 0, updatedAt: 0, state: "active" } as const;

/** A workspace with one center less than it may have. */
function almostFull() {
  const written: string[] = [];
  const centers: Partial<CenterStore> = {
    settings: async () => ({ scriptsAllowed: false, origins: [] }),
    byName: async () => undefined,
    summaries: async () => Array.from({ length: limits.preferenceCentersPerWorkspaceMax - 1 }, () => summary),
    commit: async ({ write }) => {
      written.push(write?.after.name ?? "");
      return "committed";
    },
  };
  const deps: CenterDeps = {
    centers: centers as CenterStore,
    checker: { check: () => [] },
    clock: fakeClock(),
    newCenterId: () => crypto.randomUUID(),
  };
  return { deps, written };
}

const id = "0a000000-0000-4000-8000-000000000001";

test.each([
  ["a name twice", [{ name: "first", draft: {} }, { name: "first", draft: { title: "T" } }]],
  ["an id twice, in whatever case", [{ name: "first", draft: {}, id }, { name: "second", draft: {}, id: id.toUpperCase() }]],
])("declareCenters() refuses %s, also in a dry run, and writes none", async (_, centers) => {
  const { deps, written } = almostFull();
  for (const dryRun of [true, false]) {
    await expect(declareCenters(deps, caller, { centers, dryRun })).rejects.toMatchObject({ reason: "INPUT_INVALID" });
  }
  expect(written).toEqual([]);
});

test("declareCenters() refuses more centers than a workspace may have, also in a dry run, and writes none of them", async () => {
  const { deps, written } = almostFull();
  const two = [{ name: "first", draft: {} }, { name: "second", draft: {} }];
  for (const dryRun of [true, false]) {
    await expect(declareCenters(deps, caller, { centers: two, dryRun })).rejects.toMatchObject({ reason: "STATE_CONFLICT" });
  }
  expect(written).toEqual([]);
  await declareCenters(deps, caller, { centers: two.slice(1), dryRun: false });
  expect(written).toEqual(["second"]);
});
