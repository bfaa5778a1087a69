/** Table tests of /users/alias/new and /users/alias/update. */
import { describe, expect, test } from "vitest";
import { limits } from "../../../../platform/limits.ts";
import type { Alias } from "../record/user-key.ts";
import { byAlias, byId, createWorkspace, event } from "./resolver-workspace.fixture.ts";

function newAlias(label: string, name: string, externalId?: string) {
  const alias: Alias = { label, name };
  return { type: "createAliases" as const, aliases: [externalId === undefined ? { alias } : { externalId, alias }] };
}

function rename(label: string, oldName: string, newName: string) {
  return { type: "renameAliases" as const, renames: [{ label, oldName, newName }] };
}

describe("resolveNewAliases()", () => {
  test("rule 1: the alias goes to the user with the external id", () => {
    const workspace = createWorkspace();
    const [, record] = workspace.run(event(byId("a")), newAlias("l", "n", "a"));
    expect(workspace.idOf(byAlias("l", "n"))).toBe(workspace.idOf(byId("a")));
    expect(record?.profiles.map(({ change }) => change)).toEqual([{ type: "identity", aliases: [{ label: "l", name: "n" }] }]);
  });

  test("rule 1: an unknown external id: nobody gets it", () => {
    const workspace = createWorkspace();
    const [record] = workspace.run(newAlias("l", "n", "a"));
    expect(record?.profiles).toEqual([]);
    expect(workspace.idOf(byAlias("l", "n"))).toBeUndefined();
  });

  test("rule 2: without an external id an alias-only user is created", () => {
    const workspace = createWorkspace();
    workspace.run(newAlias("l", "n"), event(byAlias("l", "n")));
    expect(workspace.store.get(`u:${workspace.idOf(byAlias("l", "n"))}`)).toMatchObject({ externalId: null });
  });

  test.each([
    ["the pair on a second user changes nothing", newAlias("l", "n", "b")],
    ["the pair without an external id changes nothing", newAlias("l", "n")],
    ["a second name for a label of the user changes nothing", newAlias("l", "m", "a")],
    ["the same alias again changes nothing", newAlias("l", "n", "a")],
  ])("%s", (_, request) => {
    const workspace = createWorkspace();
    workspace.run(event(byId("a")), event(byId("b")), newAlias("l", "n", "a"));
    const before = new Map(workspace.store);
    expect(workspace.run(request)[0]?.profiles).toEqual([]);
    expect(workspace.store).toEqual(before);
  });

  test("another label is free until the aliases of a user take the most bytes; what is refused is an item", () => {
    const workspace = createWorkspace();
    const name = "n".repeat(255);
    const fitting = Math.floor(limits.aliasBytesPerUserMax / JSON.stringify({ label: "l0000", name }).length) - 10;
    workspace.run(event(byId("a")));
    const labels = Array.from({ length: fitting + 20 }, (_, index) => `l${String(index).padStart(4, "0")}`);
    const records = labels.map((label) => workspace.run(newAlias(label, name, "a"))[0]);
    expect(records.slice(0, fitting).every((record) => record?.items?.length === 0)).toBe(true);
    expect(workspace.idOf(byAlias(labels[fitting - 1] ?? "", name))).toBe(workspace.idOf(byId("a")));
    expect(records.at(-1)).toMatchObject({ profiles: [], items: [{ index: 0, ok: false, reason: expect.stringContaining("bytes") }] });
    expect(workspace.idOf(byAlias(labels.at(-1) ?? "", name))).toBeUndefined();
  });
});

describe("resolveAliasRenames()", () => {
  test("the name changes where the alias exists", () => {
    const workspace = createWorkspace();
    workspace.run(newAlias("l", "n"), newAlias("k", "n"));
    const id = workspace.idOf(byAlias("l", "n"));
    const [record] = workspace.run(rename("l", "n", "m"));
    expect(workspace.idOf(byAlias("l", "m"))).toBe(id);
    expect(workspace.idOf(byAlias("l", "n"))).toBeUndefined();
    expect(record?.profiles).toMatchObject([{ userId: id, change: { type: "identity", aliases: [{ label: "l", name: "m" }] } }]);
    expect(workspace.idOf(byAlias("k", "n"))).toBeDefined();
  });

  test.each([
    ["an unknown alias: nothing", rename("l", "x", "m")],
    ["a new name somebody has: nothing", rename("l", "n", "taken")],
    ["the same name: nothing", rename("l", "n", "n")],
  ])("%s", (_, request) => {
    const workspace = createWorkspace();
    workspace.run(newAlias("l", "n"), newAlias("l", "taken"));
    const before = new Map(workspace.store);
    expect(workspace.run(request)[0]?.profiles).toEqual([]);
    expect(workspace.store).toEqual(before);
  });
});
