/** The profile service from request to answer on a real database. */
import { describe, expect, test } from "vitest";
import { fakeClock } from "../../platform/clock.fixture.ts";
import { event, externalId, mergeUsers, rowsIn, testProfiles, usersKnown } from "./profile-service.fixture.ts";

const { open: openTest } = testProfiles();

describe("TrackUsers", () => {
  test("is read back by the next export", async () => {
    const profile = await openTest();
    const answer = await profile.track({
      attributes: [{ external_id: "a", color: "red" }],
      events: [event("a")],
      purchases: [{ external_id: "a", product_id: "p", currency: "USD", price: 9.99, quantity: 3, time: "2025-01-02T00:00:00Z" }],
    });
    expect(answer).toMatchObject({ attributesProcessed: 1, eventsProcessed: 1, purchasesProcessed: 1, errors: [], replayed: false });
    expect(answer.position).not.toBe("");
    expect(await profile.user("a")).toMatchObject({
      external_id: "a",
      custom_attributes: { color: "red" },
      custom_events: [{ name: "seen", count: 1 }],
      purchases: [{ name: "p", count: 3 }],
      total_revenue: 29.97,
    });
    expect(await profile.user("b")).toBeUndefined();
  });

  test("counts only the arrays that were sent", async () => {
    const profile = await openTest();
    const answer = await profile.track({ events: [event("a"), { external_id: "a" }] });
    expect(answer).toMatchObject({ eventsProcessed: 1, errors: [{ inputArray: "events", index: 1 }, { inputArray: "events", index: 1 }] });
    expect(answer.attributesProcessed).toBeUndefined();
  });

  test("without a key identical requests stay distinct", async () => {
    const profile = await openTest();
    await profile.track({ events: [event("a")] });
    await profile.track({ events: [event("a")] });
    expect(await profile.user("a")).toMatchObject({ custom_events: [{ count: 2 }] });
  });

  test("reads see every write answered before them, whatever is in flight", async () => {
    const profile = await openTest({ partitions: 3 });
    for (let round = 1; round <= 30; round += 1) {
      const others = Array.from({ length: 10 }, (_, index) => profile.track({ events: [event(`other ${index}`)] }));
      await profile.track({ attributes: [{ external_id: "a", round }] });
      expect(await profile.user("a")).toMatchObject({ custom_attributes: { round } });
      await Promise.all(others);
    }
    await profile.part.settled();
    expect(await profile.user("other 3")).toMatchObject({ custom_events: [{ count: 30 }] });
  });
});

describe("TrackUsersSync", () => {
  test("answers with the user after the object", async () => {
    const profile = await openTest();
    const body = { purchases: [{ external_id: "a", product_id: "p", currency: "USD", price: 1, time: "2025-01-02T00:00:00Z" }] };
    const answer = await profile.client.trackUsersSync({ scope: profile.scope(), bodyJson: Buffer.from(JSON.stringify(body)) });
    const moment = "2025-01-02T00:00:00.000Z";
    expect(answer.usersJson.map((json) => JSON.parse(Buffer.from(json).toString()))).toEqual([
      {
        external_id: "a",
        custom_attributes: {},
        custom_events: [],
        purchase_events: [{ product_id: "p", first: moment, last: moment, count: 1 }],
      },
    ]);
  });

  test("answers no user where update-only found nobody", async () => {
    const profile = await openTest();
    const body = { attributes: [{ external_id: "a", _update_existing_only: true, color: "red" }] };
    const answer = await profile.client.trackUsersSync({ scope: profile.scope(), bodyJson: Buffer.from(JSON.stringify(body)) });
    expect(answer.usersJson).toEqual([]);
  });

  test("refuses two objects", async () => {
    const profile = await openTest();
    const bodyJson = Buffer.from(JSON.stringify({ events: [event("a"), event("b")] }));
    await expect(profile.client.trackUsersSync({ scope: profile.scope(), bodyJson })).rejects.toMatchObject({ reason: "INPUT_INVALID" });
  });
});

describe("ExportUsers", () => {
  test("answers in request order, each user once, and says whom it does not know", async () => {
    const profile = await openTest();
    await profile.track({
      attributes: [{ external_id: "a", email: "a@x.org" }, { external_id: "b" }, { external_id: "c", email: "a@x.org" }],
    });
    const keys = [
      { key: { case: "externalId" as const, value: "b" } },
      { key: { case: "externalId" as const, value: "nobody" } },
      { key: { case: "email" as const, value: "a@x.org" } },
      { key: { case: "externalId" as const, value: "a" } },
    ];
    const answer = await profile.client.exportUsers({ scope: profile.scope(), users: keys, fields: ["external_id"] });
    expect(answer.usersJson.map((json) => JSON.parse(Buffer.from(json).toString()).external_id)).toEqual(["b", "c", "a"]);
    expect(answer.unknown).toEqual([1]);
    expect(answer.behind).toBe(false);
  });

  test("refuses a position that no answer carried", async () => {
    const profile = await openTest();
    const scope = { ...profile.scope(), readAfter: "nonsense" };
    await expect(profile.client.exportUsers({ scope, users: [] })).rejects.toMatchObject({ reason: "POSITION_INVALID" });
  });
});

describe("ListUsers", () => {
  test("gives every user once over all pages", async () => {
    const profile = await openTest();
    await profile.track({ attributes: Array.from({ length: 7 }, (_, index) => ({ external_id: `u${index}`, n: index })) });
    const seen: string[] = [];
    let pageToken = "";
    do {
      const page = await profile.client.listUsers({ scope: profile.scope(), pageToken, pageSize: 3 });
      seen.push(...page.usersJson.map((json) => JSON.parse(Buffer.from(json).toString()).external_id));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    expect(seen.sort()).toEqual(["u0", "u1", "u2", "u3", "u4", "u5", "u6"]);
  });

  test("ends a page before its users are more than a message takes", async () => {
    const profile = await openTest();
    const names = ["u0", "u1", "u2", "u3", "u4", "u5", "u6"];
    for (const external_id of names) {
      const some = (part: number) => Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`a_${part}_${at}`, "x".repeat(250)]));
      await profile.track({ attributes: Array.from({ length: 8 }, (_, part) => ({ external_id, ...some(part) })) });
    }
    const scope = profile.scope();
    const pages = [await profile.client.listUsers({ scope })];
    for (let token; (token = pages.at(-1)?.nextPageToken);) pages.push(await profile.client.listUsers({ scope, pageToken: token }));
    expect(pages.map(({ usersJson, updatedAt }) => [usersJson.length, updatedAt.length])).toEqual([[3, 3], [3, 3], [1, 1]]);
    const all = pages.flatMap(({ usersJson }) => usersJson.map((json) => JSON.parse(Buffer.from(json).toString()).external_id));
    expect(all.sort()).toEqual(names);
  });
});

describe("MergeUsers", () => {
  test("tells by its job what happened, and can be taken back", async () => {
    const profile = await openTest();
    await profile.track({
      attributes: [{ external_id: "a", color: "red" }, { external_id: "b", size: 1 }],
      events: [event("a"), event("b")],
    });
    const before = [await profile.user("a"), await profile.user("b")];
    const preview = await profile.client.previewMerge({
      scope: profile.scope(),
      update: { source: externalId("a"), target: externalId("b") },
    });
    const { jobId } = await profile.client.mergeUsers({
      scope: profile.scope(),
      updates: [{ source: externalId("a"), target: externalId("b") }, { source: externalId("x"), target: externalId("b") }],
    });
    const { outcomes } = await profile.client.getMergeStatus({ scope: profile.scope(), jobId });
    expect(outcomes.map((outcome) => outcome.status)).toEqual(["merged", "not_merged"]);
    const merged = await profile.user("b");
    expect(merged).toMatchObject({ custom_attributes: { color: "red", size: 1 }, custom_events: [{ count: 2 }] });
    expect(JSON.parse(Buffer.from(preview.resultJson).toString())).toEqual(merged);
    expect(await profile.user("a")).toBeUndefined();
    await profile.track({ events: [event("b", "later")] });
    await profile.client.undoMerge({ scope: profile.scope(), jobId, index: 0 });
    expect(await profile.user("a")).toEqual(before[0]);
    expect(await profile.user("b")).toMatchObject({
      custom_attributes: { size: 1 },
      custom_events: [{ name: "seen", count: 1 }, { name: "later", count: 1 }],
    });
    await expect(profile.client.undoMerge({ scope: profile.scope(), jobId, index: 0 })).rejects.toMatchObject({ reason: "STATE_CONFLICT" });
  });

  test("merges into one user are taken back newest first, as if they had not been", async () => {
    const profile = await openTest();
    const calm = await openTest();
    for (const one of [profile, calm]) await one.track({ events: [event("a"), event("b"), event("c")] });
    const jobs = [await mergeUsers(profile, "a", "b"), await mergeUsers(profile, "c", "b")];
    for (const one of [profile, calm]) {
      await one.track({ events: [event("b", "later")], attributes: [{ external_id: "b", n: { inc: 1 } }] });
    }
    const [older = "", newer = ""] = jobs;
    await expect(profile.client.undoMerge({ scope: profile.scope(), jobId: older, index: 0 })).rejects.toMatchObject({
      reason: "STATE_CONFLICT",
    });
    await profile.client.undoMerge({ scope: profile.scope(), jobId: newer, index: 0 });
    await profile.client.undoMerge({ scope: profile.scope(), jobId: older, index: 0 });
    for (const id of ["a", "b", "c"]) expect(await profile.user(id)).toEqual(await calm.user(id));
  });

  test("a chain of merges is taken back link by link; what was sent by an alias of the first comes home", async () => {
    const profile = await openTest();
    const calm = await openTest();
    const aliases = [{ externalId: "a", alias: { label: "l", name: "n" } }];
    for (const one of [profile, calm]) {
      await one.track({ events: [event("a"), event("b"), event("c")] });
      await one.client.createAliases({ scope: one.scope(), aliases });
    }
    const older = await mergeUsers(profile, "a", "b");
    const newer = await mergeUsers(profile, "b", "c");
    for (const one of [profile, calm]) {
      const alias = { alias_label: "l", alias_name: "n" };
      await one.track({ events: [{ user_alias: alias, name: "by alias", time: "2025-01-01T00:00:00Z" }, event("c", "later")] });
    }
    await profile.client.undoMerge({ scope: profile.scope(), jobId: newer, index: 0 });
    await profile.client.undoMerge({ scope: profile.scope(), jobId: older, index: 0 });
    for (const id of ["a", "b", "c"]) expect(await profile.user(id)).toEqual(await calm.user(id));
  });

  test("of an unknown job is not found", async () => {
    const profile = await openTest();
    await expect(profile.client.getMergeStatus({ scope: profile.scope(), jobId: "x" })).rejects.toMatchObject({ reason: "NOT_FOUND" });
  });

  test("leaves nothing behind once the undo window is over", async () => {
    const clock = fakeClock();
    const profile = await openTest({ clock, undoWindowMs: 1000 });
    await profile.track({ events: [event("a"), event("b")] });
    await profile.client.mergeUsers({ scope: profile.scope(), updates: [{ source: externalId("a"), target: externalId("b") }] });
    await profile.track({ events: [event("b")] });
    await profile.part.settled();
    expect(rowsIn(profile, "profile_frozen")).toBe(1);
    expect(rowsIn(profile, "profile_journal")).toBeGreaterThan(0);
    clock.advance(2 * 3600 * 1000);
    await profile.track({ events: [event("c")] });
    await profile.part.settled();
    expect([rowsIn(profile, "profile_frozen"), rowsIn(profile, "profile_journal")]).toEqual([0, 0]);
  });
});

describe("DeleteUsers", () => {
  test("erases the profile and what merges kept; the id begins anew", async () => {
    const profile = await openTest();
    await profile.track({ events: [event("a"), event("b")] });
    const old = await profile.user("b");
    await profile.client.mergeUsers({ scope: profile.scope(), updates: [{ source: externalId("a"), target: externalId("b") }] });
    const answer = await profile.client.deleteUsers({ scope: profile.scope(), users: [externalId("b")] });
    expect(answer.deleted).toBe(1);
    expect(await profile.user("b")).toBeUndefined();
    expect([rowsIn(profile, "profile_frozen"), rowsIn(profile, "profile_journal"), rowsIn(profile, usersKnown)]).toEqual([0, 0, 0]);
    await profile.track({ events: [event("b")] });
    const anew = await profile.user("b");
    expect(anew).toMatchObject({ custom_events: [{ count: 1 }] });
    expect(anew?.["braze_id"]).not.toBe(old?.["braze_id"]);
  });
});

describe("aliases and external ids", () => {
  test("an alias given right after the user is made names it", async () => {
    const profile = await openTest();
    await profile.track({ events: [event("a")] });
    const { aliasesProcessed } = await profile.client.createAliases({
      scope: profile.scope(),
      aliases: [{ externalId: "a", alias: { label: "l", name: "n" } }],
    });
    expect(aliasesProcessed).toBe(1);
    await profile.client.updateAliases({ scope: profile.scope(), renames: [{ label: "l", oldName: "n", newName: "m" }] });
    expect(await profile.user("a")).toMatchObject({ user_aliases: [{ alias_label: "l", alias_name: "m" }] });
  });

  test("identify gives an alias-only user its external id", async () => {
    const profile = await openTest();
    const alias = { label: "l", name: "n" };
    await profile.client.createAliases({ scope: profile.scope(), aliases: [{ alias }] });
    await profile.client.identifyUsers({
      scope: profile.scope(),
      identifications: [{ user: { key: { key: { case: "alias", value: alias } } }, externalId: "a" }],
    });
    expect(await profile.user("a")).toMatchObject({ external_id: "a", user_aliases: [{ alias_label: "l", alias_name: "n" }] });
  });

  test("a rename answers for each element, and a repeat as the first", async () => {
    const profile = await openTest();
    await profile.track({ events: [event("a"), event("taken")] });
    const renames = [
      { currentExternalId: "a", newExternalId: "b" },
      { currentExternalId: "b", newExternalId: "taken" },
    ];
    const first = await profile.client.renameExternalIds({ scope: profile.scope("k"), renames });
    expect(first.renamed).toMatchObject([renames[0] ?? {}]);
    expect(first.errors).toMatchObject([{ inputArray: "external_id_renames", index: 1 }]);
    const repeat = await profile.client.renameExternalIds({ scope: profile.scope("k"), renames });
    expect({ ...repeat, position: "", replayed: false }).toEqual({ ...first, position: "" });
    const removed = await profile.client.removeExternalIds({ scope: profile.scope(), externalIds: ["a", "b"] });
    expect(removed.removedIds).toEqual(["a"]);
    expect(removed.errors).toMatchObject([{ index: 1 }]);
    expect(await profile.user("a")).toBeUndefined();
  });
});

describe("reports", () => {
  test("sessions and engagement show up on the user", async () => {
    const profile = await openTest();
    await profile.track({ events: [event("a")] });
    const user = { key: { case: "externalId" as const, value: "a" } };
    const report = { user, appId: "app", startedAt: 1n, device: { deviceId: "d", model: "m", os: "o" } };
    await profile.client.reportSession({ scope: profile.scope(), report });
    await profile.client.reportEngagement({
      scope: profile.scope(),
      report: { user, channel: 1, messageId: "c", name: "Campaign", interaction: "received", at: 1n },
    });
    const seen = await profile.user("a");
    expect(seen).toMatchObject({ apps: [{ app_id: "app", sessions: 1 }], devices: [{ device_id: "d" }] });
    expect(JSON.stringify(seen?.["campaigns_received"])).toContain("Campaign");
  });

  test.each<[string, string]>([
    ["longer than 255 bytes", "é".repeat(128)],
    ["empty", ""],
    ["with U+0000", "a\u0000b"],
  ])("ReportSession refuses a device id that is %s, and says what is allowed", async (_, deviceId) => {
    const profile = await openTest();
    await profile.track({ events: [event("a")] });
    const user = { key: { case: "externalId" as const, value: "a" } };
    function report(id: string) {
      const device = { deviceId: id, model: "m", os: "o" };
      return profile.client.reportSession({ scope: profile.scope(), report: { user, appId: "app", startedAt: 1n, device } });
    }
    await expect(report(deviceId)).rejects.toThrow("'device_id' must be a text of 1 to 255 bytes without U+0000");
    await report("x".repeat(255));
    expect(await profile.user("a")).toMatchObject({ apps: [{ sessions: 1 }], devices: [{ device_id: "x".repeat(255) }] });
  });
});
