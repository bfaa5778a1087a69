/** Table tests of deletes, renames and removals of external ids, identify, and reports. */
import { describe, expect, test } from "vitest";
import { limits } from "../../../../platform/limits.ts";
import type { JobRow } from "../identity/identity.ts";
import type { Priority, UserKey } from "../record/user-key.ts";
import { attributes, byAlias, byEmail, byId, byPhone, createWorkspace, event, start } from "./resolver-workspace.fixture.ts";

function deleteUser(key: UserKey, ...prioritization: Priority[]) {
  return { type: "deleteUsers" as const, users: [{ key, prioritization }] };
}

function identify(key: UserKey, externalId: string, ...prioritization: Priority[]) {
  return { type: "identifyUsers" as const, jobId: "j", identifications: [{ user: { key, prioritization }, externalId }] };
}

function renameId(current: string, next: string) {
  return { type: "renameExternalIds" as const, renames: [{ current, next }] };
}

function removeId(...externalIds: string[]) {
  return { type: "removeExternalIds" as const, externalIds };
}

const aliasOnly = attributes(byAlias("l", "n"), { updateOnly: false });

describe("resolveDeletes()", () => {
  test("frees every name, tells everyone, and a later object makes a new user", () => {
    const workspace = createWorkspace();
    workspace.run(attributes(byId("a"), { email: "a@b.c", phone: "+12125550101" }), renameId("a", "b"), {
      type: "createAliases",
      aliases: [{ externalId: "b", alias: { label: "l", name: "n" } }],
    });
    const id = workspace.idOf(byId("b"));
    const [record] = workspace.run(deleteUser(byAlias("l", "n")));
    expect(record).toMatchObject({
      profiles: [{ userId: id, change: { type: "delete" } }],
      consent: [{ type: "userDeleted", userId: id }],
      items: [{ index: 0, ok: true, reason: "" }],
    });
    expect([...workspace.store.keys()]).toEqual([]);
    workspace.run(event(byId("a")));
    expect(workspace.idOf(byId("a"))).not.toBe(id);
  });

  test.each<[string, Priority[], number]>([
    ["more than one left: nothing", [], 0],
    ["identified favours those with an external id", ["identified"], 0],
    ["identified, then the latest: one", ["identified", "most_recently_updated"], 1],
    ["unidentified leaves one", ["unidentified"], 1],
    ["the least recent of all", ["least_recently_updated"], 1],
  ])("by email, %s", (_, priorities, deleted) => {
    const workspace = createWorkspace();
    workspace.run(event(byEmail("s@b.c")), ...["a", "b"].map((id) => attributes(byId(id), { email: "s@b.c" })));
    const [record] = workspace.run(deleteUser(byEmail("s@b.c"), ...priorities));
    expect(record?.profiles.length).toBe(deleted);
    expect(record?.items?.[0]?.ok).toBe(deleted === 1);
  });

  test("a priority that favours nobody keeps all", () => {
    const workspace = createWorkspace();
    workspace.run(event(byEmail("s@b.c")));
    expect(workspace.run(deleteUser(byEmail("s@b.c"), "identified"))[0]?.items?.[0]?.ok).toBe(true);
  });
});

describe("resolveExternalIdRenames()", () => {
  test("the old id is deprecated and still resolves; the user keeps its own id", () => {
    const workspace = createWorkspace();
    workspace.run(event(byId("a")));
    const id = workspace.idOf(byId("a"));
    const [record] = workspace.run(renameId("a", "b"));
    expect(record).toMatchObject({ items: [{ ok: true }], profiles: [{ change: { type: "identity", externalId: "b" } }] });
    expect(workspace.idOf(byId("a"))).toBe(id);
    expect(workspace.idOf(byId("b"))).toBe(id);
  });

  test.each([
    ["the current id must be primary", renameId("old", "z")],
    ["the current id must exist", renameId("nobody", "z")],
    ["the new id must be unused", renameId("a", "b")],
    ["a deprecated id is in use", renameId("b", "old")],
    ["both must differ", renameId("a", "a")],
  ])("%s", (_, request) => {
    const workspace = createWorkspace();
    workspace.run(event(byId("old")), renameId("old", "a"), event(byId("b")));
    const [record] = workspace.run(request);
    expect(record?.items).toMatchObject([{ index: 0, ok: false, reason: expect.stringMatching(/\w/) }]);
    expect(record?.profiles).toEqual([]);
  });

  test("a user has formerExternalIdsPerUserMax deprecated ids at most, and the next one's reason says what to do", () => {
    const workspace = createWorkspace();
    workspace.run(event(byId("n0")));
    const max = limits.formerExternalIdsPerUserMax;
    for (let at = 0; at < max; at += 1) expect(workspace.run(renameId(`n${at}`, `n${at + 1}`))[0]?.items).toMatchObject([{ ok: true }]);
    const beyond = renameId(`n${max}`, "beyond");
    expect(workspace.run(beyond)[0]?.items).toMatchObject([{ ok: false, reason: expect.stringMatching(/remove some first/) }]);
    workspace.run(removeId("n0"));
    expect(workspace.run(beyond)[0]?.items).toMatchObject([{ ok: true }]);
  });
});

describe("resolveExternalIdRemovals()", () => {
  test("takes deprecated ids only", () => {
    const workspace = createWorkspace();
    workspace.run(event(byId("old")), renameId("old", "a"));
    const [record] = workspace.run(removeId("old", "a", "nobody"));
    expect(record?.items?.map(({ ok }) => ok)).toEqual([true, false, false]);
    expect(workspace.idOf(byId("old"))).toBeUndefined();
    expect(workspace.idOf(byId("a"))).toBeDefined();
  });
});

describe("resolveIdentify()", () => {
  function outcome(workspace: ReturnType<typeof createWorkspace>) {
    return (workspace.store.get("j:j") as JobRow).outcomes[0];
  }

  test("an unknown external id is put on the user, which keeps its own id", () => {
    const workspace = createWorkspace();
    workspace.run(attributes(byAlias("l", "n"), { updateOnly: false, email: "a@b.c" }));
    const id = workspace.idOf(byAlias("l", "n"));
    const [record] = workspace.run(identify(byAlias("l", "n"), "a"));
    expect(record?.profiles).toMatchObject([{ userId: id, change: { type: "identity", externalId: "a" } }]);
    expect(workspace.idOf(byId("a"))).toBe(id);
    expect(workspace.store.get("e:a@b.c")).toMatchObject([{ identified: true }]);
    expect(outcome(workspace)).toMatchObject({ status: "identified", mergeId: null, undoUntil: 0 });
  });

  test("a known external id takes the user in", () => {
    const workspace = createWorkspace();
    workspace.run(aliasOnly, event(byId("a")), identify(byAlias("l", "n"), "a"));
    expect(workspace.idOf(byAlias("l", "n"))).toBe(workspace.idOf(byId("a")));
    expect(outcome(workspace)?.status).toBe("merged");
  });

  test("not where the known user has an alias with the same label", () => {
    const workspace = createWorkspace();
    workspace.run(aliasOnly, event(byId("a")), { type: "createAliases", aliases: [{ externalId: "a", alias: { label: "l", name: "m" } }] });
    expect(workspace.run(identify(byAlias("l", "n"), "a"))[0]?.profiles).toEqual([]);
    expect(outcome(workspace)).toMatchObject({ status: "not_merged", reason: expect.stringContaining("label") });
  });

  test.each([
    ["nobody has the name", identify(byPhone("+12125550101"), "a")],
    ["the user has an external id", identify(byEmail("x@b.c"), "a")],
    ["the address means more than one user", identify(byEmail("s@b.c"), "a")],
  ])("nothing, with the reason, where %s", (_, request) => {
    const workspace = createWorkspace();
    workspace.run(
      attributes(byId("x"), { email: "x@b.c" }),
      event(byEmail("s@b.c")),
      attributes(byAlias("l", "n"), { updateOnly: false, email: "s@b.c" }),
    );
    expect(workspace.run(request)[0]?.profiles).toEqual([]);
    expect(outcome(workspace)).toMatchObject({ status: "not_merged", reason: expect.stringMatching(/\w/) });
  });

  test("by email the priorities choose", () => {
    const workspace = createWorkspace();
    workspace.run(event(byEmail("s@b.c")), attributes(byId("x"), { email: "s@b.c" }));
    workspace.run(identify(byEmail("s@b.c"), "a", "unidentified"));
    expect(outcome(workspace)?.status).toBe("identified");
  });
});

describe("resolveSession(), resolveEngagement()", () => {
  const report = { appId: "app", startedAt: start + 5 };

  test("reach users that exist, and create nobody", () => {
    const workspace = createWorkspace();
    const [nobody, , session, engagement] = workspace.run(
      { type: "reportSession", user: byId("a"), ...report },
      event(byId("a")),
      { type: "reportSession", user: byId("a"), ...report, device: { deviceId: "d", model: "m", os: "o" } },
      { type: "reportEngagement", user: byId("a"), channel: "campaign", messageId: "c", name: "C", interaction: "opened", at: start },
    );
    expect(nobody?.profiles).toEqual([]);
    expect(session?.profiles.map(({ change }) => change)).toEqual([
      { type: "session", appId: "app", startedAt: start, device: { deviceId: "d", model: "m", os: "o" } },
    ]);
    expect(engagement?.profiles.map(({ change }) => change)).toEqual([
      { type: "engagement", channel: "campaign", messageId: "c", name: "C", interaction: "opened", at: start },
    ]);
  });
});
