/** Table tests of consent that is set directly: who is meant, and what waits for those who are not there yet. */
import { describe, expect, test } from "vitest";
import type { MembershipUpdate } from "../record/intake-record.ts";
import { createIdentities } from "../identity/identities.ts";
import { resolveBatch } from "./batch.ts";
import type { UserKey } from "../record/user-key.ts";
import { attributes, byAlias, byEmail, byId, byPhone, createWorkspace, eachUser, event, start } from "./resolver-workspace.fixture.ts";

function setGroup(to: Partial<MembershipUpdate>) {
  const update = { groupId: "g", state: "unsubscribed" as const, externalIds: [], emails: [], phones: [], userIds: [], ...to };
  return { type: "setMemberships" as const, updates: [update] };
}

function merge(source: UserKey, target: UserKey, jobId = "job") {
  const side = (key: UserKey) => ({ key, prioritization: [] });
  return { type: "mergeUsers" as const, jobId, updates: [{ source: side(source), target: side(target) }] };
}

const email = "s@b.org";
const phone = "+12125550123";

describe("resolveConsent() memberships", () => {
  test("an external id means one user, also a deprecated one", () => {
    const workspace = createWorkspace();
    workspace.run(
      attributes(byId("a"), { email }),
      attributes(byId("b"), { email }),
      { type: "renameExternalIds", renames: [{ current: "a", next: "c" }] },
    );
    const [record] = workspace.run(setGroup({ externalIds: ["a"] }));
    expect(record?.consent).toMatchObject([{ type: "membership", userId: workspace.idOf(byId("c")), groupId: "g", state: "unsubscribed" }]);
    expect(record?.profiles).toEqual([]);
  });

  test.each([
    ["email", { email }, { emails: [email] }],
    ["phone", { phone }, { phones: [phone] }],
  ])("an %s means all who share it", (_, address, to) => {
    const workspace = createWorkspace();
    workspace.run(attributes(byId("a"), address), attributes(byId("b"), address));
    const [record] = workspace.run(setGroup(to));
    expect(eachUser(record?.consent).map((sent) => "userId" in sent && sent.userId).toSorted()).toEqual(
      [workspace.idOf(byId("a")), workspace.idOf(byId("b"))].toSorted(),
    );
  });

  test.each([
    ["an external id, by an event", { externalIds: ["a"] }, event(byId("a")), byId("a")],
    ["an email, as the identifier", { emails: [email] }, event(byEmail(email)), byEmail(email)],
    ["an email, as data", { emails: [email] }, attributes(byId("a"), { email }), byId("a")],
    ["a phone, as data", { phones: [phone] }, attributes(byId("a"), { phone }), byId("a")],
  ])("what was set for nobody goes to whoever gets %s, once", (_, to, appears, key) => {
    const workspace = createWorkspace();
    const [kept] = workspace.run(setGroup(to));
    expect(kept?.consent).toEqual([]);
    const [came] = workspace.run(appears);
    expect(came?.consent).toMatchObject([
      { type: "membership", userId: workspace.idOf(key), groupId: "g", state: "unsubscribed", carried: true, requestId: "q1" },
    ]);
    const [again] = workspace.run(attributes(byId("b"), { email, phone }));
    expect(again?.consent).toEqual([]);
    expect([...workspace.store.keys()].filter((row) => row.startsWith("w:"))).toEqual([]);
  });

  test("an identify and a rename give a name too", () => {
    const workspace = createWorkspace();
    workspace.run(setGroup({ externalIds: ["a"] }), event(byPhone(phone)));
    const identify = { user: { key: byPhone(phone), prioritization: [] }, externalId: "a" };
    const [identified] = workspace.run({ type: "identifyUsers", jobId: "j", identifications: [identify] });
    expect(identified?.consent).toMatchObject([{ type: "membership", carried: true }]);
    workspace.run(setGroup({ externalIds: ["c"] }));
    const [renamed] = workspace.run({ type: "renameExternalIds", renames: [{ current: "a", next: "c" }] });
    expect(renamed?.consent).toMatchObject([{ type: "membership", carried: true }]);
  });

  test("states of a group wait, each with the request that set it and the places of later ones", () => {
    const workspace = createWorkspace();
    workspace.run(
      setGroup({ emails: [email] }),
      setGroup({ emails: [email], groupId: "h" }),
      setGroup({ emails: [email], state: "subscribed" }),
    );
    expect(workspace.store.get("w:count")).toBe(1);
    const [record] = workspace.run(event(byEmail(email)));
    expect(record?.consent).toMatchObject([
      { groupId: "g", state: "unsubscribed", requestId: "q1", askedAt: 1, laterAt: [3] },
      { groupId: "h", state: "unsubscribed", requestId: "q2", askedAt: 2, laterAt: [] },
      { groupId: "g", state: "subscribed", requestId: "q3", askedAt: 3, laterAt: [] },
    ]);
  });

  test.each([
    ["its oldest subscribe", "uusus", [1, 2, 4, 5]],
    ["without one its oldest state but one", "uuuus", [1, 3, 4, 5]],
  ])("of a group with many states that wait %s goes first", (_, states, left) => {
    const workspace = createWorkspace();
    workspace.run(...[...states].map((state) => setGroup({ emails: [email], state: state === "s" ? "subscribed" : "unsubscribed" })));
    const [record] = workspace.run(event(byEmail(email)));
    expect(record?.consent.map((sent) => "askedAt" in sent && sent.askedAt)).toEqual(left);
  });

  test("a name of a merge's source means its side", () => {
    const workspace = createWorkspace();
    workspace.run(attributes(byId("s"), { email }), event(byId("t")), merge(byId("s"), byId("t")));
    const merged = workspace.idOf(byId("t"));
    const [byAddress, byTarget] = workspace.run(setGroup({ emails: [email] }), setGroup({ externalIds: ["t"] }));
    expect(byAddress?.consent).toEqual([expect.objectContaining({ userId: merged, side: [expect.any(String)] })]);
    expect(byTarget?.consent[0]).not.toHaveProperty("side");
  });

  test("an address that both sides of an open merge had means both", () => {
    const workspace = createWorkspace();
    workspace.run(attributes(byId("s"), { email }), attributes(byId("t"), { email }), merge(byId("s"), byId("t")));
    const userId = workspace.idOf(byId("t"));
    const [record] = workspace.run(setGroup({ emails: [email] }));
    expect(record?.consent).toEqual([expect.objectContaining({ userId }), expect.objectContaining({ userId, side: [expect.any(String)] })]);
    expect(record?.consent[0]).not.toHaveProperty("side");
  });

  test("what waited for an address that a merge's source is given by one of its names goes to that side", () => {
    const workspace = createWorkspace();
    workspace.run(
      attributes(byAlias("crm", "x"), { updateOnly: false }),
      event(byId("t")),
      setGroup({ emails: [email] }),
      merge(byAlias("crm", "x"), byId("t")),
    );
    const [came] = workspace.run(attributes(byAlias("crm", "x"), { email }));
    const side = [expect.any(String)];
    expect(came?.consent).toEqual([expect.objectContaining({ userId: workspace.idOf(byId("t")), carried: true, requestId: "q3", side })]);
  });

  test("and so does what waited for the address that an undo brings the target back to, from an older merge's source", () => {
    const workspace = createWorkspace();
    workspace.run(
      attributes(byId("s"), { email }),
      event(byId("t")),
      merge(byId("s"), byId("t")),
      attributes(byAlias("crm", "x"), { updateOnly: false }),
      merge(byAlias("crm", "x"), byId("t"), "later"),
      attributes(byAlias("crm", "x"), { email: "x@b.org" }),
      setGroup({ emails: [email] }),
    );
    const [undone] = workspace.run({ type: "undoMerge", jobId: "later", index: 0 });
    const side = [expect.any(String)];
    expect(undone?.consent).toEqual([
      expect.objectContaining({ type: "mergeUndone" }),
      expect.objectContaining({ userId: workspace.idOf(byId("t")), carried: true, requestId: "q7", side }),
    ]);
  });

  test("a user id means that user, or whoever took the user in, and then its side", () => {
    const workspace = createWorkspace();
    workspace.run(event(byId("s")), event(byId("t")), event(byId("u")));
    const [s = "", t = "", u = ""] = ["s", "t", "u"].map((id) => workspace.idOf(byId(id)));
    workspace.run(merge(byId("s"), byId("t")));
    const [one] = workspace.run(setGroup({ userIds: [s, t] }));
    expect(one?.consent).toEqual([
      expect.objectContaining({ type: "membership", userId: t, groupId: "g", side: [expect.any(String)] }),
      expect.not.objectContaining({ side: expect.anything() }),
    ]);
    workspace.run(merge(byId("t"), byId("u")));
    const [through] = workspace.run(setGroup({ userIds: [s] }));
    expect(through?.consent).toEqual([expect.objectContaining({ userId: u, side: [expect.any(String), expect.any(String)] })]);
  });

  test("what is set for the id of a user who is deleted waits for nobody", () => {
    const workspace = createWorkspace();
    workspace.run(event(byId("a")));
    const id = workspace.idOf(byId("a")) ?? "";
    workspace.run({ type: "deleteUsers", users: [{ key: byId("a"), prioritization: [] }] });
    const [set, again] = workspace.run(setGroup({ userIds: [id] }), event(byId("a")));
    expect([set?.consent, again?.consent]).toEqual([[], []]);
    expect([...workspace.store.keys()].filter((row) => row.startsWith("w:"))).toEqual([]);
  });

  test("a user's status that waited for an email is carried", () => {
    const workspace = createWorkspace();
    workspace.run(attributes(byId("a"), { consent: { emailSubscribe: "opted_in" } }));
    const [record] = workspace.run(attributes(byId("a"), { email }));
    expect(record?.consent).toMatchObject([{ type: "emailStatus", status: "opted_in", carried: true }]);
  });
});

test("resolveConsent() asks for the rows of all who are named in few rounds", () => {
  const workspace = createWorkspace();
  const known = Array.from({ length: 25 }, (_, at) => `${at}`);
  workspace.run(...known.map((id) => attributes(byId(id), { email: `${id}@b.org` })), ...known.map((id) => event(byId(`source ${id}`))));
  const userIds = known.flatMap((id) => [workspace.idOf(byId(id)) ?? "", workspace.idOf(byId(`source ${id}`)) ?? ""]);
  workspace.run(...known.map((id) => merge(byId(`source ${id}`), byId(id))));
  const view = createIdentities("ws");
  const ids = [...known, ...known.map((id) => `new-${id}`)];
  const update = {
    groupId: "g",
    state: "subscribed" as const,
    externalIds: ids,
    emails: ids.map((id) => `${id}@b.org`),
    phones: [],
    userIds,
  };
  const body = { type: "setMemberships" as const, updates: [update] };
  const record = { sequence: 100, workspaceId: "ws", requestId: "q", actor: "key", receivedAt: start, body };
  for (let rounds = 1;; rounds += 1) {
    const { resolved, need = [] } = resolveBatch(view, [record], { now: start, undoWindowMs: 1 });
    if (resolved.length > 0) {
      expect(eachUser(resolved[0]?.consent)).toHaveLength(100);
      expect(rounds).toBeLessThanOrEqual(6);
      return;
    }
    view.load(need, workspace.store);
  }
});

test("resolveConsent() sends the state of addresses on, whoever has them", () => {
  const workspace = createWorkspace();
  const [status, mark, number] = workspace.run(
    { type: "setEmailStatuses", emails: [email, "x@b.org"], status: "unsubscribed" },
    { type: "markEmails", emails: [email], mark: "blocklisted" },
    { type: "markPhones", phones: [phone], mark: "removed" },
  );
  expect(status?.consent).toMatchObject([
    { type: "emailStatus", address: email, status: "unsubscribed", part: 0 },
    { type: "emailStatus", address: "x@b.org", part: 1 },
  ]);
  expect(mark?.consent).toMatchObject([{ type: "emailMark", address: email, mark: "blocklisted" }]);
  expect(number?.consent).toMatchObject([{ type: "phoneMark", address: phone, mark: "removed" }]);
});
