/** The SCIM service by its RPCs: claims, repeats, versions, lists, events, sign-ins. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { fromBinary } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { fakeClock } from "../../platform/clock.ts";
import { limits } from "../../platform/limits.ts";
import { silentLogger } from "../../platform/logger.ts";
import { directClient } from "../../platform/rpc/direct.ts";
import { type Database, openDatabase } from "../../platform/sqlite/database.ts";
import { ScimUserDeletedSchema } from "../../proto/gen/heddle/scim/v1/scim_event_pb.ts";
import { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { directory as declared } from "./domain/user.fixture.ts";
import type { PublishedEvent } from "./events/relay.ts";
import { openScim, readScimLog, type ScimPart } from "./wire.ts";

const core = "urn:ietf:params:scim:schemas:core:2.0:User";
const patchOp = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

const directory = {
  workspaces: declared.workspaces.map((workspace) => ({ ...workspace, teams: [...workspace.teams] })),
  permissionSets: [...declared.permissionSets],
  defaultWorkspaceId: declared.defaultWorkspaceId,
};

let database: Database;
let part: ScimPart;
let scim: Client<typeof ScimService>;
let clock: ReturnType<typeof fakeClock>;
let published: PublishedEvent[];
let publishing: (event: PublishedEvent) => Promise<void>;

async function open(): Promise<void> {
  part = await openScim({ database, clock, logger: silentLogger, publish: (event) => publishing(event) });
  scim = directClient(ScimService, part.service, clock);
}

beforeEach(async () => {
  database = openDatabase({ path: ":memory:" });
  clock = fakeClock();
  published = [];
  publishing = async (event) => void published.push(event);
  await open();
});
afterEach(async () => {
  await part.close();
  await database.close();
});

function scope(more: object = {}) {
  return {
    companyId: "co-1",
    requestId: "r",
    actor: "tok-1",
    origin: "okta",
    method: "POST",
    target: "/scim/v2/Users",
    baseUrl: "https://h.example",
    ...more,
  };
}

function bytes(body: unknown): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(JSON.stringify(body)));
}

function body(name: string, more: object = {}): Uint8Array<ArrayBuffer> {
  return bytes({ schemas: [core], userName: `${name}@x.de`, name: { givenName: name, familyName: "Y" }, department: "pm", ...more });
}

function json(user: { userJson: Uint8Array } | undefined) {
  return JSON.parse(Buffer.from(user?.userJson ?? []).toString()) as Record<string, unknown>;
}

async function create(name: string, more: object = {}, of: object = {}) {
  const { user } = await scim.createUser({ scope: scope(of), directory, bodyJson: body(name, more) });
  return { id: user?.id ?? "", etag: user?.etag ?? "", json: json(user), replayed: user?.replayed };
}

async function list(question: object) {
  const answer = await scim.listUsers({ scope: scope(), directory, filter: "", startIndex: 1, sortBy: "", ...question });
  return {
    total: answer.totalResults,
    names: answer.usersJson.map((user) => String(JSON.parse(Buffer.from(user).toString())["userName"]).split("@")[0]),
  };
}

test("createUser() of 100 at once gives the name to one, in any case", async () => {
  const all = await Promise.allSettled(Array.from({ length: 100 }, (_, at) => create(at % 2 === 0 ? "ann" : "ANN")));
  expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const one of all) {
    if (one.status === "rejected") {
      expect(one.reason).toMatchObject({ reason: "ALREADY_EXISTS", message: "User already exists in the database." });
    }
  }
});

test("createUser() with a key answers its repeat as the first, also while that runs, and refuses another body", async () => {
  const key = { idempotencyKey: "k-1" };
  const [first, second] = await Promise.all([create("ann", {}, key), create("ann", {}, key)]);
  expect(second.json).toEqual(first.json);
  expect([first.replayed, second.replayed].toSorted()).toEqual([false, true]);
  expect((await create("ann", {}, key)).json).toEqual(first.json);
  await expect(create("bob", {}, key)).rejects.toMatchObject({ reason: "IDEMPOTENCY_KEY_REUSED" });
  clock.advance(limits.idempotencyKeepMs);
  await expect(create("ann", {}, key)).rejects.toMatchObject({ reason: "ALREADY_EXISTS" });
  expect((await create("ann", {}, { ...key, companyId: "co-2" })).replayed).toBe(false);
});

test("replaceUser() sets what is sent, keeps permissions that are not, and checks the version", async () => {
  const { id, etag, json: first } = await create("ann", { displayName: "A", permissions: { companyPermissions: ["admin"] } });
  expect(etag).toBe('W/"1"');
  const replaced = await scim.replaceUser({ scope: scope(), directory, id, bodyJson: body("ann", { department: "bi" }), ifMatch: etag });
  expect(json(replaced.user)).toMatchObject({ department: "bi", permissions: first["permissions"] });
  expect(json(replaced.user)).not.toHaveProperty("displayName");
  expect(replaced.user?.etag).toBe('W/"2"');
  await expect(scim.replaceUser({ scope: scope(), directory, id, bodyJson: body("ann"), ifMatch: etag })).rejects.toMatchObject({
    reason: "VERSION_MISMATCH",
  });
  await expect(scim.replaceUser({ scope: scope(), directory, id, bodyJson: body("bob") })).rejects.toMatchObject({
    reason: "ATTRIBUTE_READ_ONLY",
  });
  const same = await scim.replaceUser({ scope: scope(), directory, id, bodyJson: body("ann", { department: "bi", userName: "ANN@x.de" }) });
  expect(same.user?.etag).toBe('W/"2"');
});

test("patchUser() of many at once loses none", async () => {
  const { id } = await create("ann");
  const types = ["a", "b", "c", "d", "e"];
  await Promise.all(types.map((type) =>
    scim.patchUser({
      scope: scope(),
      directory,
      id,
      bodyJson: bytes({ schemas: [patchOp], Operations: [{ op: "add", path: "emails", value: [{ value: `${type}@x.de`, type }] }] }),
    })
  ));
  const { user } = await scim.getUser({ scope: scope(), directory, id });
  expect((json(user)["emails"] as { type: string }[]).map(({ type }) => type).toSorted()).toEqual(types);
});

test("patchUser() leaves grants for what is no longer declared unless it changes the permissions", async () => {
  const { id } = await create("ann", { permissions: { appGroup: [{ appGroupName: "Shop", appGroupPermissions: ["admin"] }] } });
  const less = { ...directory, workspaces: directory.workspaces.slice(1) };
  const shown = json((await scim.getUser({ scope: scope(), directory: less, id })).user);
  expect(shown["permissions"]).toEqual({ companyPermissions: [], appGroup: [] });
  await scim.patchUser({
    scope: scope(),
    directory: less,
    id,
    bodyJson: bytes({ schemas: [patchOp], Operations: [{ op: "replace", value: { active: false } }] }),
  });
  expect(json((await scim.getUser({ scope: scope(), directory, id })).user)).toMatchObject({
    active: false,
    permissions: { appGroup: [{ appGroupName: "Shop" }] },
  });
});

test("deleteUser() is for good, once, and its event goes out, again until it did", async () => {
  const { id } = await create("ann");
  let failures = 2;
  publishing = async (event) => {
    if (failures-- > 0) throw new Error("nobody listens");
    published.push(event);
  };
  await scim.deleteUser({ scope: scope(), id });
  await expect(scim.deleteUser({ scope: scope(), id })).rejects.toMatchObject({ reason: "NOT_FOUND", message: "User not found" });
  await expect(scim.getUser({ scope: scope(), directory, id })).rejects.toMatchObject({ reason: "NOT_FOUND" });
  expect(published).toEqual([]);
  for (let turn = 0; turn < 20 && published.length === 0; turn += 1) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(published.map(({ subject, key }) => [subject, key])).toEqual([["scim.user.deleted.v1", id]]);
  expect(fromBinary(ScimUserDeletedSchema, published[0]?.body ?? new Uint8Array())).toMatchObject({
    companyId: "co-1",
    userId: id,
    userName: "ann@x.de",
  });
  expect((await create("ann")).id).not.toBe(id);
});

test("an event that could not go out does so after the next start", async () => {
  const { id } = await create("ann");
  publishing = () => Promise.reject(new Error("nobody listens"));
  await scim.deleteUser({ scope: scope(), id });
  await part.close();
  publishing = async (event) => void published.push(event);
  await open();
  for (let turn = 0; turn < 20 && published.length === 0; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(published.map(({ key }) => key)).toEqual([id]);
});

test("a user of another company is unknown to every RPC", async () => {
  const { id } = await create("ann");
  const other = scope({ companyId: "co-2" });
  const bodyJson = body("ann");
  const unknown = { reason: "NOT_FOUND", message: "User not found" };
  await expect(scim.getUser({ scope: other, directory, id })).rejects.toMatchObject(unknown);
  await expect(scim.replaceUser({ scope: other, directory, id, bodyJson })).rejects.toMatchObject(unknown);
  await expect(
    scim.patchUser({
      scope: other,
      directory,
      id,
      bodyJson: bytes({ schemas: [patchOp], Operations: [{ op: "remove", path: "displayName" }] }),
    }),
  ).rejects.toMatchObject(unknown);
  await expect(scim.deleteUser({ scope: other, id })).rejects.toMatchObject(unknown);
  await expect(scim.recordSignIn({ companyId: "co-2", user: { case: "id", value: id }, at: 5n })).rejects.toMatchObject(unknown);
  for (const filter of [`id eq "${id}"`, `userName eq "ann@x.de"`, "userName pr", ""]) {
    expect((await scim.listUsers({ scope: other, directory, filter, startIndex: 1 })).totalResults).toBe(0);
  }
});

test("listUsers() pages by name, forwards and backwards, wherever a page begins", async () => {
  const names = ["a", "b", "c", "d", "e", "f", "g"];
  for (const name of names.toReversed()) await create(name);
  for (const [start, count] of [[1, 3], [4, 3], [7, 3], [8, 3], [1, 3], [2, 1], [6, 9], [-5, 2], [1, 0], [1, -3]] as const) {
    const first = Math.max(start, 1) - 1;
    const expected = { total: names.length, names: names.slice(first, first + Math.max(count, 0)) };
    expect(await list({ startIndex: start, count }), `${start}, ${count}`).toEqual(expected);
  }
  expect((await list({ sortBy: "userName", descending: true, startIndex: 2, count: 2 })).names).toEqual(["f", "e"]);
  expect((await list({ sortBy: "userName", descending: true, startIndex: 4, count: 2 })).names).toEqual(["d", "c"]);
});

test("listUsers() counts anew after a change", async () => {
  for (const name of ["a", "b", "c", "d"]) await create(name);
  expect((await list({ count: 2 })).names).toEqual(["a", "b"]);
  expect((await list({ filter: "userName pr", count: 2 })).names).toEqual(["a", "b"]);
  await create("aa");
  expect((await list({ startIndex: 3, count: 2 })).names).toEqual(["b", "c"]);
  expect(await list({ filter: "userName pr", startIndex: 3, count: 2 })).toEqual({ total: 5, names: ["b", "c"] });
});

test("listUsers() sorts by any attribute, those without a value last", async () => {
  await create("a", { displayName: "Zoe" });
  await create("b");
  await create("c", { displayName: "adam" });
  await create("d", { displayName: "Bea", department: "bi" });
  expect((await list({ sortBy: "displayName" })).names).toEqual(["c", "d", "a", "b"]);
  expect((await list({ sortBy: "displayName", descending: true })).names).toEqual(["b", "a", "d", "c"]);
  expect((await list({ sortBy: "DEPARTMENT", filter: `displayName pr` })).names).toEqual(["d", "a", "c"]);
  expect((await list({ sortBy: "displayName", filter: `userName eq "a@x.de" or userName eq "C@x.de"` })).names).toEqual(["c", "a"]);
  for (const sortBy of ["name", "permissions", "nothing"]) {
    await expect(list({ sortBy })).rejects.toMatchObject({ reason: "INPUT_INVALID" });
  }
});

test("listUsers() finds by index and by looking at all the same users", async () => {
  for (const name of ["a", "b", "c"]) await create(name, { externalId: `x-${name}` });
  const id = (await create("d")).id;
  for (
    const [filter, names] of [
      [`userName eq "B@X.de"`, ["b"]],
      [`userName eq "b@x.de" and active eq false`, []],
      [`externalId eq "x-c" or id eq "${id}"`, ["c", "d"]],
      [`externalId eq "X-C"`, []],
      [`userName eq "nobody"`, []],
      [`not (userName eq "b@x.de")`, ["a", "c", "d"]],
      [`userName eq "b@x.de" or active eq true`, ["a", "b", "c", "d"]],
      [`permissions.appGroup[appGroupName eq "Blog"]`, ["a", "b", "c", "d"]],
    ] as const
  ) expect(await list({ filter }), filter).toEqual({ total: names.length, names });
  expect(await list({ filter: "active eq true", startIndex: 3, count: 1 })).toEqual({ total: 4, names: ["c"] });
});

test("recordSignIn() moves forwards only, by id or name, and not for an inactive account", async () => {
  const { id } = await create("ann");
  await scim.recordSignIn({
    companyId: "co-1",
    user: { case: "userName", value: "ANN@x.de" },
    at: BigInt(Date.UTC(2026, 10, 20, 13, 0, 1)),
  });
  await scim.recordSignIn({ companyId: "co-1", user: { case: "id", value: id }, at: 5n });
  const { user } = await scim.getUser({ scope: scope(), directory, id });
  expect(json(user)["lastSignInAt"]).toBe("Friday, November 20, 2026 1:00:01 PM");
  expect(user?.etag).toBe('W/"2"');
  await scim.patchUser({
    scope: scope(),
    directory,
    id,
    bodyJson: bytes({ schemas: [patchOp], Operations: [{ op: "replace", path: "active", value: false }] }),
  });
  await expect(scim.recordSignIn({ companyId: "co-1", user: { case: "id", value: id }, at: 6n })).rejects.toMatchObject({
    reason: "STATE_CONFLICT",
  });
});

test("the log tells what every write changed, and of requests that changed nothing", async () => {
  const { id } = await create("ann", { password: "a-secret-of-ann", title: "Boss" });
  await scim.patchUser({
    scope: scope({ method: "PATCH" }),
    directory,
    id,
    bodyJson: bytes({ schemas: [patchOp], Operations: [{ op: "replace", path: "displayName", value: "A" }] }),
  });
  await scim.deleteUser({ scope: scope({ method: "DELETE" }), id });
  await scim.logRequest({
    scope: scope({ method: "GET", target: "/scim/v2/Users/x" }),
    status: 404,
    reason: "NOT_FOUND",
    detail: "User not found",
  });
  clock.advance(limits.scimLogFlushMs);
  await part.close();
  const log = await readScimLog(database, { companyId: "co-1", limit: 10 });
  expect(log.map(({ outcome, status }) => [outcome, status])).toEqual([["", 404], ["deleted", undefined], ["patched", undefined], [
    "created",
    undefined,
  ]]);
  expect(log[2]?.changes).toEqual([{ attribute: "displayName", to: "A" }]);
  expect(log[3]).toMatchObject({ userName: "ann@x.de", tokenId: "tok-1", origin: "okta", ignored: ["password", "title"] });
  expect(JSON.stringify(log)).not.toContain("a-secret-of-ann");
});
