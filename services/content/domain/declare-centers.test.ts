/** A declaration of preference centers is judged as a whole before anything of it is written. */
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Center } from "./center.ts";
import type { CenterDeps, CenterStore } from "./center-ports.ts";
import { newContent } from "./check-center.ts";
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
    checker: { check: async () => [] },
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

/** A workspace with a center and settings that an earlier build took, and this one would not. */
function refusedNow() {
  const written: string[] = [];
  const options = { linkTags: [{ rel: "icon", href: "http://cdn.example.com/a.png" }] };
  const known: Center = { workspaceId: "w", ...summary, content: { ...newContent, pageHtml: "<p>{{ x</p>", options } };
  const settings = { scriptsAllowed: false, origins: ["http://cdn.example.com"] };
  const centers: Partial<CenterStore> = {
    settings: async () => settings,
    byName: async () => known,
    commit: async ({ write }) => {
      written.push(write?.after.name ?? "");
      return "committed";
    },
    putSettings: async () => void written.push("settings"),
  };
  function check(): never {
    throw new Refusal("INPUT_INVALID", "line 1");
  }
  const deps = { ...almostFull().deps, centers: centers as CenterStore, checker: { check } };
  return { deps, written, settings };
}

test.each([true, false])(
  "declareCenters() takes what is as declared, also where it could not be written now (dry run: %s)",
  async (dryRun) => {
    const { deps, written, settings } = refusedNow();
    const centers = [{ name: "n", draft: { pageHtml: "<p>{{ x</p>" } }];
    expect(await declareCenters(deps, caller, { centers, settings, dryRun })).toMatchObject({
      changes: [{ action: "unchanged" }],
      settings: [],
    });
    expect(written).toEqual([]);
    const changed = [{ name: "n", draft: { title: "Another" } }];
    await expect(declareCenters(deps, caller, { centers: changed, dryRun })).rejects.toMatchObject({ reason: "INPUT_INVALID" });
    const other = { ...settings, scriptsAllowed: true };
    await expect(declareCenters(deps, caller, { centers, settings: other, dryRun })).rejects.toMatchObject({ reason: "INPUT_INVALID" });
  },
);
