/** The SCIM service by its RPCs: claims, repeats, versions, events, sign-ins, the log. */
import { expect, test } from "vitest";
import { fromBinary } from "@bufbuild/protobuf";
import { limits } from "../../platform/limits.ts";
import { ScimUserDeletedSchema } from "../../proto/gen/heddle/scim/v1/scim_event_pb.ts";
import { body, bytes, directory, json, patchOp, scimService, scope } from "./scim-service.fixture.ts";
import { readScimLog } from "./wire.ts";

const at = scimService();

test("createUser() of 100 at once gives the name to one, in any case", async () => {
  const all = await Promise.allSettled(Array.from({ length: 100 }, (_, place) => at.create(place % 2 === 0 ? "ann" : "ANN")));
  expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const one of all) {
    if (one.status === "rejected") {
      expect(one.reason).toMatchObject({ reason: "ALREADY_EXISTS", message: "User already exists in the database." });
    }
  }
});

test("createUser() with a key answers its repeat as the first, also while that runs, and refuses another body", async () => {
  const key = { idempotencyKey: "k-1" };
  const [first, second] = await Promise.all([at.create("ann", {}, key), at.create("ann", {}, key)]);
  expect(second.json).toEqual(first.json);
  expect([first.replayed, second.replayed].toSorted()).toEqual([false, true]);
  expect((await at.create("ann", {}, key)).json).toEqual(first.json);
  await expect(at.create("bob", {}, key)).rejects.toMatchObject({ reason: "IDEMPOTENCY_KEY_REUSED" });
  // Another token of the same company has keys of its own
  expect((await at.create("bob", {}, { ...key, actor: "tok-2" })).replayed).toBe(false);
  at.clock.advance(limits.idempotencyKeepMs);
  await expect(at.create("ann", {}, key)).rejects.toMatchObject({ reason: "ALREADY_EXISTS" });
  expect((await at.create("ann", {}, { ...key, companyId: "co-2" })).replayed).toBe(false);
});

test("createUser() with a key answers its repeat also when what it names is no longer declared", async () => {
  const bodyJson = body("ann", { permissions: { appGroup: [{ appGroupName: "Shop" }] } });
  const of = { scope: scope({ idempotencyKey: "k-1" }), bodyJson };
  const { user } = await at.scim.createUser({ ...of, directory });
  const repeat = await at.scim.createUser({ ...of, directory: { ...directory, workspaces: [] } });
  expect(repeat.user).toMatchObject({ id: user?.id, replayed: true });
});

test("replaceUser() sets what is sent, keeps permissions that are not, and checks the version", async () => {
  const { id, etag, json: first } = await at.create("ann", { displayName: "A", permissions: { companyPermissions: ["admin"] } });
  expect(etag).toMatch(/^W\/"1\b/);
  const replaced = await at.scim.replaceUser({ scope: scope(), directory, id, bodyJson: body("ann", { department: "bi" }), ifMatch: etag });
  expect(json(replaced.user)).toMatchObject({ department: "bi", permissions: first["permissions"] });
  expect(json(replaced.user)).not.toHaveProperty("displayName");
  expect(replaced.user?.etag).toMatch(/^W\/"2\b/);
  await expect(at.scim.replaceUser({ scope: scope(), directory, id, bodyJson: body("ann"), ifMatch: etag })).rejects.toMatchObject({
    reason: "VERSION_MISMATCH",
    message: "The user has changed since: read it again",
  });
  await expect(at.scim.replaceUser({ scope: scope(), directory, id, bodyJson: body("bob") })).rejects.toMatchObject({
    reason: "ATTRIBUTE_READ_ONLY",
  });
  const same = await at.scim.replaceUser({
    scope: scope(),
    directory,
    id,
    bodyJson: body("ann", { department: "bi", userName: "ANN@x.de" }),
  });
  expect(same.user?.etag).toBe(replaced.user?.etag);
});

test("the entity tag is another one when names that the user is shown with are others; If-Match goes by the user's own version", async () => {
  const { id, etag } = await at.create("ann", { permissions: { appGroup: [{ appGroupName: "Shop" }] } });
  const renamed = { ...directory, workspaces: directory.workspaces.map((workspace) => ({ ...workspace, name: `New ${workspace.name}` })) };
  const { user } = await at.scim.getUser({ scope: scope(), directory: renamed, id });
  expect(json(user)).toMatchObject({ permissions: { appGroup: [{ appGroupName: "New Shop" }] }, meta: { version: user?.etag } });
  expect(user?.etag).not.toBe(etag);
  const bodyJson = body("ann", { displayName: "A" });
  await at.scim.replaceUser({ scope: scope(), directory: renamed, id, bodyJson, ifMatch: etag });
  await expect(at.scim.deleteUser({ scope: scope(), id, ifMatch: etag })).rejects.toMatchObject({ reason: "VERSION_MISMATCH" });
  const now = (await at.scim.getUser({ scope: scope(), directory, id })).user?.etag ?? "";
  await at.scim.deleteUser({ scope: scope(), id, ifMatch: now });
  const nowhere = { workspaces: [], permissionSets: [] };
  const { user: bob } = await at.scim.createUser({ scope: scope(), directory: nowhere, bodyJson: body("bob", { permissions: {} }) });
  expect((await at.scim.getUser({ scope: scope(), directory: renamed, id: bob?.id ?? "" })).user?.etag).toBe(bob?.etag);
});

test("patchUser() of many at once loses none", async () => {
  const { id } = await at.create("ann");
  const types = ["a", "b", "c", "d", "e"];
  await Promise.all(types.map((type) =>
    at.scim.patchUser({
      scope: scope(),
      directory,
      id,
      bodyJson: bytes({ schemas: [patchOp], Operations: [{ op: "add", path: "emails", value: [{ value: `${type}@x.de`, type }] }] }),
    })
  ));
  const { user } = await at.scim.getUser({ scope: scope(), directory, id });
  expect((json(user)["emails"] as { type: string }[]).map(({ type }) => type).toSorted()).toEqual(types);
});

test("patchUser() leaves grants for what is no longer declared unless it changes the permissions", async () => {
  const { id } = await at.create("ann", { permissions: { appGroup: [{ appGroupName: "Shop", appGroupPermissions: ["admin"] }] } });
  const less = { ...directory, workspaces: directory.workspaces.slice(1) };
  const shown = json((await at.scim.getUser({ scope: scope(), directory: less, id })).user);
  expect(shown["permissions"]).toEqual({ companyPermissions: [], appGroup: [] });
  await at.scim.patchUser({
    scope: scope(),
    directory: less,
    id,
    bodyJson: bytes({ schemas: [patchOp], Operations: [{ op: "replace", value: { active: false } }] }),
  });
  expect(json((await at.scim.getUser({ scope: scope(), directory, id })).user)).toMatchObject({
    active: false,
    permissions: { appGroup: [{ appGroupName: "Shop" }] },
  });
});

test("deleteUser() is for good, once, and its event goes out, again until it did", async () => {
  const { id } = await at.create("ann");
  let failures = 2;
  at.publishing = async (event) => {
    if (failures-- > 0) throw new Error("nobody listens");
    at.published.push(event);
  };
  await at.scim.deleteUser({ scope: scope(), id });
  await expect(at.scim.deleteUser({ scope: scope(), id })).rejects.toMatchObject({ reason: "NOT_FOUND", message: "User not found" });
  await expect(at.scim.getUser({ scope: scope(), directory, id })).rejects.toMatchObject({ reason: "NOT_FOUND" });
  expect(at.published).toEqual([]);
  for (let turn = 0; turn < 20 && at.published.length === 0; turn += 1) {
    at.clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(at.published.map(({ subject, key }) => [subject, key])).toEqual([["scim.user.deleted.v1", id]]);
  expect(fromBinary(ScimUserDeletedSchema, at.published[0]?.body ?? new Uint8Array())).toMatchObject({
    companyId: "co-1",
    userId: id,
    userName: "ann@x.de",
  });
  expect((await at.create("ann")).id).not.toBe(id);
});

test("an event that could not go out does so after the next start", async () => {
  const { id } = await at.create("ann");
  at.publishing = () => Promise.reject(new Error("nobody listens"));
  await at.scim.deleteUser({ scope: scope(), id });
  await at.part.close();
  at.publishing = async (event) => void at.published.push(event);
  await at.open();
  for (let turn = 0; turn < 20 && at.published.length === 0; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(at.published.map(({ key }) => key)).toEqual([id]);
});

test("a user of another company is unknown to every RPC", async () => {
  const { id } = await at.create("ann");
  const other = scope({ companyId: "co-2" });
  const bodyJson = body("ann");
  const unknown = { reason: "NOT_FOUND", message: "User not found" };
  await expect(at.scim.getUser({ scope: other, directory, id })).rejects.toMatchObject(unknown);
  await expect(at.scim.replaceUser({ scope: other, directory, id, bodyJson })).rejects.toMatchObject(unknown);
  await expect(
    at.scim.patchUser({
      scope: other,
      directory,
      id,
      bodyJson: bytes({ schemas: [patchOp], Operations: [{ op: "remove", path: "displayName" }] }),
    }),
  ).rejects.toMatchObject(unknown);
  await expect(at.scim.deleteUser({ scope: other, id })).rejects.toMatchObject(unknown);
  await expect(at.scim.recordSignIn({ companyId: "co-2", user: { case: "id", value: id }, at: 5n })).rejects.toMatchObject(unknown);
  for (const filter of [`id eq "${id}"`, `userName eq "ann@x.de"`, "userName pr", ""]) {
    expect((await at.scim.listUsers({ scope: other, directory, filter, startIndex: 1 })).totalResults).toBe(0);
  }
});

test("recordSignIn() moves forwards only, by id or name, and not for an inactive account", async () => {
  const { id } = await at.create("ann");
  await at.scim.recordSignIn({
    companyId: "co-1",
    user: { case: "userName", value: "ANN@x.de" },
    at: BigInt(Date.UTC(2025, 10, 20, 13, 0, 1)),
  });
  await at.scim.recordSignIn({ companyId: "co-1", user: { case: "id", value: id }, at: 5n });
  const { user } = await at.scim.getUser({ scope: scope(), directory, id });
  expect(json(user)["lastSignInAt"]).toBe("Thursday, November 20, 2025 1:00:01 PM");
  expect(user?.etag).toMatch(/^W\/"2\b/);
  await at.scim.patchUser({
    scope: scope(),
    directory,
    id,
    bodyJson: bytes({ schemas: [patchOp], Operations: [{ op: "replace", path: "active", value: false }] }),
  });
  await expect(at.scim.recordSignIn({ companyId: "co-1", user: { case: "id", value: id }, at: 6n })).rejects.toMatchObject({
    reason: "STATE_CONFLICT",
  });
});

test("recordSignIn() refuses a time that is no date, and takes one in the future as now: users stay readable, and later sign-ins count", async () => {
  const { id } = await at.create("ann");
  const signIn = (ms: bigint) => at.scim.recordSignIn({ companyId: "co-1", user: { case: "id", value: id }, at: ms });
  const lastSignIn = async () => json((await at.scim.getUser({ scope: scope(), directory, id })).user)["lastSignInAt"];
  for (const ms of [2n ** 63n - 1n, -(2n ** 63n), 8_640_000_000_000_001n]) {
    await expect(signIn(ms)).rejects.toMatchObject({ reason: "INPUT_INVALID" });
  }
  await signIn(8_640_000_000_000_000n);
  const first = await lastSignIn();
  at.clock.advance(60_000);
  await signIn(BigInt(at.clock.now()));
  expect(await lastSignIn()).not.toBe(first);
});

test("the log tells what every write changed, and of requests that changed nothing", async () => {
  const { id } = await at.create("ann", { password: "a-secret-of-ann", title: "Boss" });
  await at.scim.patchUser({
    scope: scope({ method: "PATCH" }),
    directory,
    id,
    bodyJson: bytes({ schemas: [patchOp], Operations: [{ op: "replace", path: "displayName", value: "A" }] }),
  });
  await at.scim.deleteUser({ scope: scope({ method: "DELETE" }), id });
  await at.scim.logRequest({
    scope: scope({ method: "GET", target: "/scim/v2/Users/x" }),
    status: 404,
    reason: "NOT_FOUND",
    detail: "User not found",
  });
  // It is durable once it is answered
  const log = await readScimLog(at.database, { companyId: "co-1", limit: 10 }, at.clock);
  expect(log.map(({ outcome, status }) => [outcome, status])).toEqual([["", 404], ["deleted", undefined], ["patched", undefined], [
    "created",
    undefined,
  ]]);
  expect(log[2]?.changes).toEqual([{ attribute: "displayName", to: "A" }]);
  expect(log[3]).toMatchObject({ userName: "ann@x.de", tokenId: "tok-1", origin: "okta", ignored: ["password", "title"] });
  expect(JSON.stringify(log)).not.toContain("a-secret-of-ann");
  for (const about of [id, "ann@x.de", " Ann@X.DE"]) {
    const changes = await readScimLog(at.database, { companyId: "co-1", limit: 10, about }, at.clock);
    expect([about, changes.map(({ outcome }) => outcome)]).toEqual([about, ["deleted", "patched", "created"]]);
  }
});

test("the log has every request, also of one id in calls at the same moment", async () => {
  const request = { scope: scope({ method: "GET" }), status: 404 };
  await Promise.all([at.scim.logRequest(request), at.scim.logRequest(request), at.scim.logRequests({ requests: [request, request] })]);
  const log = await readScimLog(at.database, { companyId: "co-1", limit: 10 }, at.clock);
  expect(log.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
});
