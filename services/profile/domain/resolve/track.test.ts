/** Table tests of the resolver's rules for /users/track. */
import { describe, expect, test } from "vitest";
import type { TrackObject } from "../record/track-object.ts";
import type { UserKey } from "../record/user-key.ts";
import { attributes, byAlias, byEmail, byId, byPhone, createWorkspace, eachUser, event, start } from "./resolver-workspace.fixture.ts";

const platformId: UserKey = { by: "platformId", id: "0123456789abcdef01234567" };

describe("resolveTrack() creation", () => {
  test.each<[string, TrackObject, boolean]>([
    ["an unknown external_id is created", event(byId("a")), true],
    ["rule 2: an unknown external_id in update-only mode is not", event(byId("a"), { updateOnly: true }), false],
    [
      "rule 1: an alias in an attributes object with _update_existing_only false",
      attributes(byAlias("l", "n"), { updateOnly: false }),
      true,
    ],
    ["rule 1: an alias in an attributes object without the key is not", attributes(byAlias("l", "n")), false],
    ["events with an alias are update-only always", event(byAlias("l", "n")), false],
    ["a platform_id is never created", event(platformId), false],
    ["rule 5: an unknown email makes an email-only profile", event(byEmail("a@b.c")), true],
    ["rule 5: unless update-only", event(byEmail("a@b.c"), { updateOnly: true }), false],
    ["an unknown phone makes a phone-only profile", event(byPhone("+12125550101")), true],
    ["an unknown phone in update-only mode does not", event(byPhone("+12125550101"), { updateOnly: true }), false],
  ])("%s", (_, object, created) => {
    const workspace = createWorkspace();
    const [record] = workspace.run(object);
    expect(workspace.idOf(object.user) !== undefined).toBe(created);
    expect(record?.profiles.some((sent) => sent.change.type === "create")).toBe(created);
    if (!created) expect(record).toEqual({ sequence: 1, profiles: [], consent: [], forgotten: [] });
  });

  test("a new user is told its names before its data, and is there for the next object", () => {
    const workspace = createWorkspace();
    const [record] = workspace.run([
      attributes(byId("a"), { email: "a@b.c", fields: [["first_name", "A"]] }),
      event(byId("a")),
    ]);
    const id = workspace.idOf(byId("a"));
    expect(record?.profiles.map(({ userId, change }) => [userId, change])).toEqual([
      [id, { type: "create" }],
      [id, { type: "identity", externalId: "a", aliases: [], email: "a@b.c", phone: null }],
      [id, { type: "attributes", fields: [["first_name", "A"]] }],
      [id, { type: "event", name: "e", time: start }],
    ]);
    const marks = record?.profiles.map(({ mark }) => mark[1]) ?? [];
    expect(marks).toEqual(marks.toSorted((a, b) => a - b));
    expect(new Set(marks).size).toBe(4);
  });

  test("an email-only profile gets no alias", () => {
    const workspace = createWorkspace();
    workspace.run(event(byEmail("a@b.c")));
    const id = workspace.idOf(byEmail("a@b.c"));
    expect(workspace.store.get(`u:${id}`)).toEqual({
      id,
      externalId: null,
      deprecatedIds: [],
      aliases: [],
      email: "a@b.c",
      phone: null,
      merges: [],
    });
  });

  test("ids hold the place in the log, the place in the record and the workspace, and rise", () => {
    const workspace = createWorkspace({ workspaceId: "a" });
    workspace.run(event(byId("first")), [event(byId("b")), event(byId("c"))]);
    const ids = ["first", "b", "c"].map((id) => workspace.idOf(byId(id)) ?? "");
    expect(ids).toEqual(["0000000000010000e40c292c", "0000000000020000e40c292c", "0000000000020001e40c292c"]);
  });
});

describe("resolveTrack() look-up", () => {
  test("an unknown external_id with a known email makes a second profile that shares it", () => {
    const workspace = createWorkspace();
    workspace.run(attributes(byId("a"), { email: "s@b.c" }), attributes(byId("b"), { email: "s@b.c" }));
    expect(workspace.idOf(byId("a"))).not.toBe(workspace.idOf(byId("b")));
    expect(workspace.store.get("e:s@b.c")).toMatchObject([{ id: workspace.idOf(byId("a")) }, { id: workspace.idOf(byId("b")) }]);
  });

  test("rule 4: of several who share an email the latest with an external_id", () => {
    const workspace = createWorkspace();
    workspace.run(
      event(byEmail("s@b.c")),
      attributes(byId("a"), { email: "s@b.c" }),
      attributes(byId("b"), { email: "s@b.c" }),
      attributes(byAlias("l", "n"), { email: "s@b.c", updateOnly: false }),
    );
    expect(workspace.idOf(byEmail("s@b.c"))).toBe(workspace.idOf(byId("b")));
    workspace.run(event(byId("a")));
    expect(workspace.idOf(byEmail("s@b.c"))).toBe(workspace.idOf(byId("a")));
  });

  test("rule 4: with no external_id among them the latest", () => {
    const workspace = createWorkspace();
    workspace.run(
      attributes(byAlias("l", "1"), { email: "s@b.c", updateOnly: false }),
      attributes(byAlias("l", "2"), { email: "s@b.c", updateOnly: false }),
    );
    expect(workspace.idOf(byEmail("s@b.c"))).toBe(workspace.idOf(byAlias("l", "2")));
    workspace.run(event(byAlias("l", "1")));
    expect(workspace.idOf(byEmail("s@b.c"))).toBe(workspace.idOf(byAlias("l", "1")));
  });

  test("an email that changes leaves the old address and joins the new one", () => {
    const workspace = createWorkspace();
    workspace.run(attributes(byId("a"), { email: "1@b.c" }), attributes(byId("a"), { email: "2@b.c" }));
    expect(workspace.store.has("e:1@b.c")).toBe(false);
    expect(workspace.idOf(byEmail("2@b.c"))).toBe(workspace.idOf(byId("a")));
    const [same, gone] = workspace.run(attributes(byId("a"), { email: "2@b.c" }), attributes(byId("a"), { email: null }));
    expect(same?.profiles).toEqual([]);
    expect(gone?.profiles.map(({ change }) => change)).toEqual([{ type: "identity", email: null }]);
    expect(workspace.store.has("e:2@b.c")).toBe(false);
  });

  test("recency is kept only where an address was ever shared", () => {
    const workspace = createWorkspace();
    workspace.run(attributes(byId("a"), { email: "s@b.c" }), event(byId("a")));
    expect(workspace.store.get("e:s@b.c")).toMatchObject([{ updated: [0, 0], identified: true }]);
    workspace.run(attributes(byId("b"), { email: "s@b.c" }));
    expect(workspace.store.get("e:s@b.c")).toMatchObject([{ updated: [0, 1] }, { updated: [3, 0] }]);
  });

  test("a time in the future becomes now", () => {
    const workspace = createWorkspace();
    const [record] = workspace.run([event(byId("a"), { time: start + 1 }), event(byId("a"), { time: start - 1 })]);
    expect(record?.profiles.flatMap(({ change }) => change.type === "event" ? [change.time] : [])).toEqual([start, start - 1]);
  });
});

describe("resolveTrack() consent", () => {
  const source = byAlias("crm", "x");
  const groups = { subscriptionGroups: [{ id: "g", state: "unsubscribed" as const }] };

  test("rule 3: memberships go to the user, then to all who share its email after the object's own change", () => {
    const workspace = createWorkspace();
    workspace.run(attributes(byId("a"), { email: "s@b.c" }), attributes(byId("b"), { email: "s@b.c" }), event(byId("x")));
    const [record] = workspace.run(attributes(byId("x"), { email: "s@b.c", consent: groups }));
    const sent = eachUser(record?.consent);
    expect(sent).toMatchObject(["x", "a", "b"].map((id) => ({
      type: "membership",
      userId: workspace.idOf(byId(id)),
      groupId: "g",
      state: "unsubscribed",
      sequence: 4,
      at: start,
      requestId: "q4",
      actor: "key",
    })));
    expect(new Set(sent.map(({ part }) => part)).size).toBe(3);
  });

  test.each<[string, { kept: string | null; to: UserKey; email?: string }, readonly ("kept" | "merged")[]]>([
    ["both have the email", { kept: "s@b.c", to: byId("t") }, ["kept", "merged"]],
    ["both have it, and the merged one is addressed", { kept: "s@b.c", to: source }, ["merged", "kept"]],
    ["the object brings the email that the merged one has", { kept: "t@b.c", to: byId("t"), email: "s@b.c" }, ["kept", "merged"]],
    ["each has its own", { kept: "t@b.c", to: source }, ["merged"]],
    ["the kept one shows that of the merged one", { kept: null, to: byId("t") }, ["kept"]],
  ])("rule 3: the sides of an open merge share an email as two users do: %s", (_, { kept, to, ...change }, reached) => {
    const workspace = createWorkspace();
    workspace.run(
      attributes(source, { email: "s@b.c", updateOnly: false }),
      attributes(byId("t"), { email: kept }),
      {
        type: "mergeUsers",
        jobId: "j",
        updates: [{ source: { key: source, prioritization: [] }, target: { key: byId("t"), prioritization: [] } }],
      },
    );
    const [record] = workspace.run(attributes(to, { ...change, consent: groups }));
    const sent = eachUser(record?.consent).filter(({ type }) => type === "membership");
    expect(sent.map((one) => ("side" in one ? "merged" : "kept"))).toEqual(reached);
  });

  test("rule 3: an email status is one record for the address", () => {
    const workspace = createWorkspace();
    const [record] = workspace.run(attributes(byId("a"), { email: "s@b.c", consent: { emailSubscribe: "opted_in" } }));
    expect(record?.consent).toMatchObject([{ type: "emailStatus", address: "s@b.c", status: "opted_in" }]);
  });

  test("an email status of a user without an email waits for one", () => {
    const workspace = createWorkspace();
    const [blocked] = workspace.run(attributes(byId("a"), { consent: { emailSubscribe: "unsubscribed" } }));
    expect(blocked?.consent).toEqual([]);
    const [sent, later] = workspace.run(attributes(byId("a"), { email: "a@b.c" }), attributes(byId("a"), { email: "b@b.c" }));
    expect(sent?.consent).toMatchObject([{ type: "emailStatus", address: "a@b.c", status: "unsubscribed" }]);
    expect(later?.consent).toEqual([]);
  });

  test("an email status that waits with one side of an open merge goes to the email that this side is given", () => {
    const workspace = createWorkspace();
    workspace.run(
      attributes(byId("a"), { consent: { emailSubscribe: "unsubscribed" } }),
      attributes(byId("b"), { email: "b@b.c" }),
      {
        type: "mergeUsers",
        jobId: "j",
        updates: [{ source: { key: byId("b"), prioritization: [] }, target: { key: byId("a"), prioritization: [] } }],
      },
    );
    const [sent, later] = workspace.run(attributes(byId("a"), { email: "a@b.c" }), attributes(byId("a"), { email: "c@b.c" }));
    expect(sent?.consent).toMatchObject([{ type: "emailStatus", address: "a@b.c", status: "unsubscribed", carried: true }]);
    expect(later?.consent).toEqual([]);
  });

  test.each([
    ["the source", byAlias("crm", "x"), {}, ["t@b.c", "s@b.c"]],
    ["the source, without an email in the target", byAlias("crm", "x"), { email: null }, ["s@b.c"]],
    ["the target, whose email the source has changed", byId("t"), { source: "new@b.c" }, ["new@b.c", "t@b.c"]],
  ])("an email status sent to a side of an open merge reaches the email of that side too: %s", (_, to, change, reached) => {
    const workspace = createWorkspace();
    workspace.run(
      attributes(byAlias("crm", "x"), { email: "s@b.c", updateOnly: false }),
      attributes(byId("t"), { email: "t@b.c" }),
      {
        type: "mergeUsers",
        jobId: "j",
        updates: [{ source: { key: byAlias("crm", "x"), prioritization: [] }, target: { key: byId("t"), prioritization: [] } }],
      },
    );
    if ("email" in change) workspace.run(attributes(byId("t"), change));
    if ("source" in change) workspace.run(attributes(byAlias("crm", "x"), { email: change.source }));
    const [sent] = workspace.run(attributes(to, { consent: { emailSubscribe: "unsubscribed" } }));
    expect(sent?.consent).toMatchObject(reached.map((address) => ({ type: "emailStatus", address, status: "unsubscribed" })));
  });

  test("an email status that comes with the email replaces the one that waits", () => {
    const workspace = createWorkspace();
    workspace.run(attributes(byId("a"), { consent: { emailSubscribe: "unsubscribed" } }));
    const [record] = workspace.run(attributes(byId("a"), { email: "a@b.c", consent: { emailSubscribe: "opted_in" } }));
    expect(record?.consent).toMatchObject([{ status: "opted_in" }]);
  });

  test("an address that 10,000 users share is served in one go", () => {
    const workspace = createWorkspace({ batch: () => 200 });
    const users = Array.from({ length: 10_000 }, (_, index) => attributes(byId(`u${index}`), { email: "s@b.c" }));
    workspace.run(users);
    const [record] = workspace.run(attributes(byEmail("s@b.c"), { consent: groups }));
    expect(record?.consent).toHaveLength(2);
    expect(new Set(eachUser(record?.consent).map((sent) => sent.type === "membership" && sent.userId)).size).toBe(10_000);
  });
});
