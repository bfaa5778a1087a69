/** Table tests of /users/merge and /users/merge/undo. */
import { describe, expect, test } from "vitest";
import type { IdentityKey, JobRow, UserRow } from "../identity/identity.ts";
import type { Priority, UserKey, UserSelector } from "../record/user-key.ts";
import {
  attributes,
  byAlias,
  byEmail,
  byId,
  byPhone,
  createWorkspace,
  event,
  namesOf,
  type Request,
  start,
  undoWindowMs,
} from "./resolver-workspace.fixture.ts";

function selector(key: UserKey, ...prioritization: Priority[]): UserSelector {
  return { key, prioritization };
}

function merge(source: UserSelector | UserKey, target: UserSelector | UserKey, jobId = "j") {
  const [from, into] = [source, target].map((side) => "key" in side ? side : selector(side));
  if (from === undefined || into === undefined) throw new Error("Expected two sides");
  return { type: "mergeUsers" as const, jobId, updates: [{ source: from, target: into }] };
}

function undo(jobId = "j", index = 0) {
  return { type: "undoMerge" as const, jobId, index };
}

function alias(label: string, name: string, externalId: string) {
  return { type: "createAliases" as const, aliases: [{ externalId, alias: { label, name } }] };
}

type Workspace = ReturnType<typeof createWorkspace>;

function outcome(workspace: Workspace, jobId = "j") {
  return (workspace.store.get(`j:${jobId}`) as JobRow).outcomes[0];
}

function rowOf(workspace: Workspace, key: UserKey): UserRow {
  return workspace.store.get(`u:${workspace.idOf(key)}`) as UserRow;
}

describe("resolveMerges()", () => {
  test("tells source, target and consent, in this order, and writes the job", () => {
    const workspace = createWorkspace();
    workspace.run(attributes(byId("s"), { email: "s@b.c" }), event(byId("t")));
    const [sourceId, targetId] = [workspace.idOf(byId("s")), workspace.idOf(byId("t"))];
    const [record] = workspace.run(merge(byId("s"), byId("t")));
    const undoUntil = start + undoWindowMs;
    const mergeId = outcome(workspace)?.mergeId;
    expect(mergeId).toMatch(/^[0-9a-f]{24}$/);
    expect(record?.profiles.map(({ userId, change }) => [userId, change])).toEqual([
      [sourceId, { type: "handoff", mergeId, targetId, undoUntil }],
      [targetId, { type: "await", mergeId, sourceId, undoUntil, gone: { externalIds: ["s"] } }],
      [targetId, { type: "identity", email: "s@b.c" }],
    ]);
    expect(record?.consent).toMatchObject([{ type: "userMerged", userId: targetId, mergeId, sourceId }]);
    expect(outcome(workspace)).toEqual({ status: "merged", reason: "", sourceId, targetId, mergeId, undoUntil });
  });

  test("the target takes aliases but for labels it has, and addresses it lacks", () => {
    const workspace = createWorkspace();
    workspace.run(
      attributes(byId("s"), { email: "s@b.c", phone: "+12125550101" }),
      alias("l", "s", "s"),
      alias("k", "s", "s"),
      attributes(byId("t"), { email: "t@b.c" }),
      alias("l", "t", "t"),
      merge(byId("s"), byId("t")),
    );
    expect(rowOf(workspace, byId("t"))).toMatchObject({
      externalId: "t",
      aliases: [{ label: "l", name: "t" }, { label: "k", name: "s" }],
      email: "t@b.c",
      phone: "+12125550101",
    });
    const target = workspace.idOf(byId("t"));
    expect([byAlias("l", "s"), byAlias("k", "s"), byEmail("s@b.c"), byPhone("+12125550101")].map(workspace.idOf))
      .toEqual([undefined, target, undefined, target]);
  });

  test("later objects for the source's external id make a new user", () => {
    const workspace = createWorkspace();
    workspace.run(event(byId("s")), event(byId("t")));
    const source = workspace.idOf(byId("s"));
    workspace.run(merge(byId("s"), byId("t")));
    expect(workspace.idOf(byId("s"))).toBeUndefined();
    workspace.run(event(byId("s")));
    expect([source, workspace.idOf(byId("t")), undefined]).not.toContain(workspace.idOf(byId("s")));
  });

  test.each<[string, UserSelector, string]>([
    ["the source is missing", selector(byId("nobody")), "does not exist"],
    ["both are the same user", selector(byId("t")), "same user"],
    ["more than one is left (rule 2)", selector(byEmail("s@b.c"), "identified"), "not one user"],
  ])("nothing where %s, with the reason", (_, source, reason) => {
    const workspace = createWorkspace();
    workspace.run(event(byId("t")), ...["a", "b"].map((id) => attributes(byId(id), { email: "s@b.c" })));
    const before = namesOf(workspace.store);
    const [record] = workspace.run(merge(source, byId("t")));
    expect(record).toMatchObject({ profiles: [], consent: [] });
    expect(outcome(workspace)).toMatchObject({ status: "not_merged", reason: expect.stringContaining(reason), mergeId: null });
    expect(namesOf(workspace.store)).toEqual(before);
  });

  test.each<[string, Priority[], string]>([
    ["identified, then the latest", ["identified", "most_recently_updated"], "b"],
    ["the least recent of the identified", ["identified", "least_recently_updated"], "a"],
  ])("rule 3 by email: %s", (_, priorities, expected) => {
    const workspace = createWorkspace();
    workspace.run(
      event(byId("t")),
      ...["a", "b"].map((id) => attributes(byId(id), { email: "s@b.c" })),
      attributes(byAlias("l", "n"), { updateOnly: false, email: "s@b.c" }),
    );
    const id = workspace.idOf(byId(expected));
    workspace.run(merge(selector(byEmail("s@b.c"), ...priorities), byId("t")));
    expect(outcome(workspace)?.sourceId).toBe(id);
  });

  test("the target is the latest of those who share its address then", () => {
    const workspace = createWorkspace();
    workspace.run(event(byId("s")), ...["t", "x"].map((id) => attributes(byId(id), { email: "s@b.c" })));
    expect(workspace.idOf(byEmail("s@b.c"))).toBe(workspace.idOf(byId("x")));
    workspace.run(merge(byId("s"), byId("t")));
    expect(workspace.idOf(byEmail("s@b.c"))).toBe(workspace.idOf(byId("t")));
  });

  test("a merge of a user that only this request's record before it created", () => {
    const workspace = createWorkspace({ batch: () => 10 });
    const records = workspace.run(event(byId("s")), event(byId("t")), merge(byId("s"), byId("t")), event(byId("s")));
    expect(records[3]?.profiles.map(({ change }) => change.type)).toEqual(["create", "identity", "event"]);
  });

  test("A into B while B into A: the first counts", () => {
    const workspace = createWorkspace();
    workspace.run(event(byId("a")), event(byId("b")), merge(byId("a"), byId("b"), "1"), merge(byId("b"), byId("a"), "2"));
    expect(outcome(workspace, "1")?.status).toBe("merged");
    expect(outcome(workspace, "2")?.status).toBe("not_merged");
    expect(workspace.idOf(byId("b"))).toBeDefined();
  });

  test("a waiting unsubscribe reaches the address, a waiting opt-in does not", () => {
    const workspace = createWorkspace();
    workspace.run(
      attributes(byId("s"), { consent: { emailSubscribe: "unsubscribed" } }),
      attributes(byId("t"), { email: "t@b.c" }),
      attributes(byId("s2"), { consent: { emailSubscribe: "opted_in" } }),
    );
    const [first, second] = workspace.run(merge(byId("s"), byId("t"), "1"), merge(byId("s2"), byId("t"), "2"));
    expect(first?.consent).toMatchObject([{ type: "emailStatus", address: "t@b.c", status: "unsubscribed" }, { type: "userMerged" }]);
    expect(second?.consent).toMatchObject([{ type: "userMerged" }]);
  });

  test("without an undo window nothing is kept", () => {
    const workspace = createWorkspace({ undoWindowMs: 0 });
    workspace.run(event(byId("s")), event(byId("t")));
    const [record, undone] = workspace.run(merge(byId("s"), byId("t")), undo());
    expect(record?.forgotten).toMatchObject([{ mergeId: outcome(workspace)?.mergeId }]);
    expect([...workspace.store.keys()].map((key) => key[0]).toSorted()).toEqual(["j", "t", "u", "x"]);
    expect(undone?.items).toMatchObject([{ ok: false, reason: expect.stringContaining("over") }]);
  });
});

describe("side of ProfileRecord", () => {
  test("a name that came from the source marks what is sent under it", () => {
    const workspace = createWorkspace();
    workspace.run(alias("l", "n", "s"), event(byId("s")), alias("l", "s", "s"), event(byId("t")), merge(byId("s"), byId("t")));
    const mergeId = outcome(workspace)?.mergeId;
    const [viaSource, viaTarget] = workspace.run(event(byAlias("l", "s")), event(byId("t")));
    expect(viaSource?.profiles[0]?.side).toEqual({ mergeId });
    expect(viaTarget?.profiles[0]?.side).toBeUndefined();
  });

  test("names both sides had mean the target", () => {
    const workspace = createWorkspace();
    workspace.run(attributes(byId("s"), { email: "e@b.c" }), attributes(byId("t"), { email: "e@b.c" }), merge(byId("s"), byId("t")));
    expect(workspace.run(event(byEmail("e@b.c")))[0]?.profiles[0]?.side).toBeUndefined();
  });

  test("sides nest in a chain", () => {
    const workspace = createWorkspace();
    workspace.run(event(byId("a")), alias("l", "a", "a"), event(byId("b")), event(byId("c")));
    workspace.run(merge(byId("a"), byId("b"), "1"), merge(byId("b"), byId("c"), "2"));
    const [first, second] = ["1", "2"].map((job) => outcome(workspace, job)?.mergeId);
    expect(workspace.run(event(byAlias("l", "a")))[0]?.profiles[0]?.side).toEqual({ mergeId: second, inner: [first] });
  });

  test("ends with the window, and the names kept for the undo are free then", () => {
    const workspace = createWorkspace();
    workspace.run(event(byId("s")), alias("l", "s", "s"), event(byId("t")), merge(byId("s"), byId("t")));
    workspace.advance(undoWindowMs + 1);
    const [record] = workspace.run(event(byAlias("l", "s")));
    expect(record?.profiles[0]?.side).toBeUndefined();
    expect(record?.forgotten).toMatchObject([{ mergeId: outcome(workspace)?.mergeId }]);
    expect([...workspace.store.keys()].filter((key) => key.startsWith("m:") || key === "x:s")).toEqual([]);
  });
});

describe("resolveUndo()", () => {
  function merged(): Workspace {
    const workspace = createWorkspace();
    workspace.run(
      attributes(byId("s"), { email: "e@b.c", phone: "+12125550101" }),
      alias("l", "s", "s"),
      alias("k", "s", "s"),
      attributes(byId("old"), { email: "e@b.c" }),
      { type: "renameExternalIds", renames: [{ current: "old", next: "t" }] },
      alias("l", "t", "t"),
      attributes(byId("x"), { email: "e@b.c" }),
      event(byId("t")),
    );
    return workspace;
  }

  test("identity rows are those from before", () => {
    const workspace = merged();
    const before = namesOf(workspace.store);
    const [sourceId, targetId] = [workspace.idOf(byId("s")), workspace.idOf(byId("t"))];
    const [, record] = workspace.run(merge(byId("s"), byId("t")), undo());
    expect(namesOf(workspace.store)).toEqual(before);
    expect(workspace.store.get("j:j")).toMatchObject({ outcomes: [{ status: "undone", undoUntil: 0 }] });
    expect(record?.profiles.map(({ userId, change }) => [userId, change.type])).toEqual([
      [targetId, "undo"],
      [targetId, "identity"],
      [sourceId, "identity"],
    ]);
    expect(record?.consent).toMatchObject([{ type: "mergeUndone", userId: targetId, sourceId }]);
    expect(record?.items).toEqual([{ index: 0, ok: true, reason: "" }]);
  });

  test("changes made since go to the side they were addressed to", () => {
    const workspace = merged();
    workspace.run(
      merge(byId("s"), byId("t")),
      attributes(byAlias("k", "s"), { email: "s2@b.c" }),
      attributes(byId("t"), { phone: "+12125550102" }),
      { type: "renameAliases", renames: [{ label: "k", oldName: "s", newName: "s2" }] },
      alias("new", "t", "t"),
      undo(),
    );
    expect(rowOf(workspace, byId("s"))).toMatchObject({
      email: "s2@b.c",
      phone: "+12125550101",
      aliases: [{ label: "l", name: "s" }, { label: "k", name: "s2" }],
    });
    expect(rowOf(workspace, byId("t"))).toMatchObject({
      email: "e@b.c",
      phone: "+12125550102",
      aliases: [{ label: "l", name: "t" }, { label: "new", name: "t" }],
    });
    expect(workspace.idOf(byAlias("k", "s2"))).toBe(workspace.idOf(byId("s")));
  });

  test("newest first", () => {
    const workspace = createWorkspace();
    workspace.run(event(byId("a")), event(byId("b")), event(byId("t")));
    const before = namesOf(workspace.store);
    workspace.run(merge(byId("a"), byId("t"), "1"), merge(byId("b"), byId("t"), "2"));
    expect(workspace.run(undo("1"))[0]?.items).toMatchObject([{ ok: false }]);
    expect(outcome(workspace, "1")?.status).toBe("undo_refused");
    workspace.run(undo("2"), undo("1"));
    expect(namesOf(workspace.store)).toEqual(before);
  });

  test("a chain is taken back from its end", () => {
    const workspace = merged();
    const before = namesOf(workspace.store);
    workspace.run(merge(byId("s"), byId("t"), "1"), merge(byId("t"), byId("x"), "2"), undo("1"));
    expect(outcome(workspace, "1")).toMatchObject({ status: "undo_refused", reason: expect.stringContaining("target") });
    workspace.run(undo("2"), undo("1"));
    expect(namesOf(workspace.store)).toEqual(before);
  });

  test.each<[string, Request]>([
    ["a new user has the source's external id", event(byId("s"))],
    ["an alias the target did not take is somebody else's", { type: "createAliases", aliases: [{ alias: { label: "l", name: "s" } }] }],
    ["the target was merged", merge(byId("t"), byId("x"), "2")],
    ["another user was merged into the target", merge(byId("x"), byId("t"), "2")],
    ["the target was deleted", { type: "deleteUsers", users: [selector(byId("t"))] }],
    ["the target was renamed", { type: "renameExternalIds", renames: [{ current: "t", next: "t2" }] }],
    ["a former id of the target was removed", { type: "removeExternalIds", externalIds: ["old"] }],
  ])("is refused with a reason where %s", (_, later) => {
    const workspace = merged();
    workspace.run(merge(byId("s"), byId("t")), later);
    const before = namesOf(workspace.store);
    const [record] = workspace.run(undo());
    expect(record).toMatchObject({ profiles: [], consent: [], items: [{ ok: false, reason: expect.stringMatching(/\w/) }] });
    expect(outcome(workspace)?.status).toBe("undo_refused");
    expect(namesOf(workspace.store)).toEqual(before);
  });

  test("is refused after a user under the source's external id came and went", () => {
    const workspace = merged();
    workspace.run(merge(byId("s"), byId("t")), event(byId("s")), { type: "deleteUsers", users: [selector(byId("s"))] });
    expect(workspace.run(undo())[0]?.items).toMatchObject([{ ok: false }]);
  });

  test.each([["in time", 0, true], ["too late", 1, false]])("%s", (_, late, ok) => {
    const workspace = merged();
    workspace.run(merge(byId("s"), byId("t")));
    workspace.advance(undoWindowMs + late);
    expect(workspace.run(undo())[0]?.items).toMatchObject([{ ok }]);
  });

  test("a delete of the target erases what is kept of its sources", () => {
    const workspace = merged();
    workspace.run(merge(byId("s"), byId("t"), "1"), merge(byId("t"), byId("x"), "2"));
    const ids = ["1", "2"].map((job) => outcome(workspace, job)?.mergeId);
    const [record] = workspace.run({ type: "deleteUsers", users: [selector(byId("x"))] });
    expect(record?.forgotten.map(({ mergeId }) => mergeId).toSorted()).toEqual(ids.toSorted());
    expect([...workspace.store.keys()].filter((key: IdentityKey) => !key.startsWith("j:"))).toEqual([]);
  });

  test("what cannot be undone changes nothing", () => {
    const workspace = merged();
    workspace.run(merge(byId("s"), byId("t")), undo(), merge(byId("nobody"), byId("t"), "2"));
    const before = new Map(workspace.store);
    const records = workspace.run(undo(), undo("2"), undo("unknown"), undo("j", 7));
    expect(records.map(({ items }) => items?.[0]?.ok)).toEqual([false, false, false, false]);
    expect(workspace.store).toEqual(before);
  });
});
