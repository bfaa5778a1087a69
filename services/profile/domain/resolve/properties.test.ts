/** Property tests of the resolver: what holds for every sequence of requests. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { IdentityKey, MergeRow, Sharer, UserRow } from "../identity/identity.ts";
import type { ProfileRecord } from "../profile/profile-record.ts";
import type { UserKey, UserSelector } from "../record/user-key.ts";
import { addressesOf, ownNames } from "../identity/user-names.ts";
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
} from "./resolver-workspace.fixture.ts";

const externalId = fc.constantFrom("a", "b", "c", "d");
const label = fc.constantFrom("l", "k");
const aliasName = fc.constantFrom("1", "2", "3");
const email = fc.constantFrom("1@b.c", "2@b.c");
const phone = fc.constantFrom("+12125550101", "+12125550102");
const alias = fc.record({ label, name: aliasName });
const key: fc.Arbitrary<UserKey> = fc.oneof(
  externalId.map(byId),
  alias.map((pair) => byAlias(pair.label, pair.name)),
  email.map(byEmail),
  phone.map(byPhone),
);
const device = fc.constantFrom("d1", "d2", "d3");
const heard = fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.uniqueArray(device, { maxLength: 2 }) });
const address = <T>(values: fc.Arbitrary<T>) => fc.option(fc.oneof(values, fc.constant(null)), { nil: undefined });
const priorities = fc.subarray(["identified", "most_recently_updated", "least_recently_updated"] as const);
const selector: fc.Arbitrary<UserSelector> = fc.record({ key, prioritization: priorities });

function objectOf(users: fc.Arbitrary<UserKey>) {
  return fc.oneof(
    fc.tuple(users, fc.boolean()).map(([user, updateOnly]) => event(user, { updateOnly: updateOnly || user.by === "alias" })),
    fc.record({
      user: users,
      updateOnly: fc.boolean(),
      email: address(email),
      phone: address(phone),
      emailSubscribe: fc.option(fc.constantFrom("opted_in", "unsubscribed"), { nil: undefined }),
      groups: fc.boolean(),
      devices: heard,
    }).map(({ user, updateOnly, emailSubscribe, groups, devices, ...rest }) =>
      attributes(user, {
        updateOnly,
        ...(rest.email !== undefined && user.by !== "email" && { email: rest.email }),
        ...(rest.phone !== undefined && user.by !== "phone" && { phone: rest.phone }),
        ...(devices.length > 0 && { fields: tokensOf(devices) }),
        consent: {
          ...(emailSubscribe && { emailSubscribe }),
          ...(groups && { subscriptionGroups: [{ id: "g", state: "subscribed" as const }] }),
        },
      })
    ),
  );
}

function tokensOf(devices: readonly string[]): [["push_tokens", { app_id: string; token: string; device_id: string }[]]] {
  return [["push_tokens", devices.map((device_id) => ({ app_id: "app", token: "t", device_id }))]];
}

function sessionOf(users: fc.Arbitrary<UserKey>): fc.Arbitrary<Request> {
  return fc.record({ user: users, deviceId: device }).map(({ user, deviceId }) => ({
    type: "reportSession" as const,
    user,
    appId: "app",
    startedAt: 0,
    device: { deviceId, model: "", os: "" },
  }));
}

function requestOf(jobs: number): fc.Arbitrary<Request> {
  const jobId = fc.nat({ max: jobs }).map((job) => `j${job}`);
  return fc.oneof(
    { weight: 6, arbitrary: fc.array(objectOf(key), { minLength: 1, maxLength: 4 }) },
    {
      weight: 2,
      arbitrary: fc.record({ externalId: fc.option(externalId, { nil: undefined }), alias }).map((given) => ({
        type: "createAliases" as const,
        aliases: [given.externalId === undefined ? { alias: given.alias } : { externalId: given.externalId, alias: given.alias }],
      })),
    },
    fc.record({ label, oldName: aliasName, newName: aliasName }).map((rename) => ({ type: "renameAliases" as const, renames: [rename] })),
    {
      weight: 3,
      arbitrary: fc.record({ jobId, updates: fc.array(fc.record({ source: selector, target: selector }), { maxLength: 2 }) })
        .map((body) => ({ type: "mergeUsers" as const, ...body })),
    },
    { weight: 3, arbitrary: jobId.map((job) => ({ type: "undoMerge" as const, jobId: job, index: 0 })) },
    fc.record({ jobId, identifications: fc.array(fc.record({ user: selector, externalId }), { maxLength: 2 }) })
      .map((body) => ({ type: "identifyUsers" as const, ...body })),
    fc.array(selector, { maxLength: 1 }).map((users) => ({ type: "deleteUsers" as const, users })),
    fc.record({ current: externalId, next: externalId }).map((rename) => ({ type: "renameExternalIds" as const, renames: [rename] })),
    externalId.map((id) => ({ type: "removeExternalIds" as const, externalIds: [id] })),
    sessionOf(key),
  );
}

const history = fc.array(requestOf(5), { maxLength: 40, size: "max" });

describe("resolveBatch() for every history", () => {
  test("is the same however it is cut into batches, loaded and evicted", () => {
    fc.assert(
      fc.property(history, fc.infiniteStream(fc.nat({ max: 5 })), fc.boolean(), (requests, chances, lazy) => {
        const chance = () => chances.next().value ?? 0;
        const whole = createWorkspace({ batch: () => 1_000 });
        const cut = createWorkspace({ batch: () => 1 + chance(), evicts: () => chance() > 2, behind: () => chance() > 1, lazy });
        expect(cut.run(...requests)).toEqual(whole.run(...requests));
        expect(cut.store).toEqual(whole.store);
      }),
      { numRuns: 200 },
    );
  });

  test("names stay unique and lead both ways", () => {
    fc.assert(
      fc.property(history, (requests) => {
        const workspace = createWorkspace({ batch: () => 10, evicts: () => true });
        for (const request of requests) {
          workspace.run(request);
          checkNames(workspace.store);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("marks of a user rise, a user begins once, and nothing is sent to it after its end", () => {
    fc.assert(
      fc.property(history, (requests) => {
        const sent = createWorkspace({ batch: () => 10 }).run(...requests).flatMap((record) => record.profiles);
        for (const records of Map.groupBy(sent, (record) => record.userId).values()) checkLife(records, sent);
      }),
      { numRuns: 200 },
    );
  });

  test("a merge that is taken back at once leaves the rows from before", () => {
    fc.assert(
      fc.property(history, selector, selector, (requests, source, target) => {
        const workspace = createWorkspace({ batch: () => 10 });
        workspace.run(...requests);
        const before = namesOf(workspace.store);
        workspace.run({ type: "mergeUsers", jobId: "last", updates: [{ source, target }] });
        workspace.run({ type: "undoMerge", jobId: "last", index: 0 });
        expect(namesOf(workspace.store)).toEqual(before);
      }),
      { numRuns: 500 },
    );
  });
});

describe("resolveUndo() for every history in between", () => {
  // Names that mean one side for certain: an address may mean another user when there is one user less. Others may come
  // to an address but never leave one: recency is not kept for an address that stood empty (see leaveAddress).
  const sideNames = [byAlias("s", "1"), byAlias("t", "1")];
  const people: Request[] = [
    ...["s", "t", "u", "x"].map((id) => event(byId(id))),
    ...["s", "t"].map((id) => ({ type: "createAliases" as const, aliases: [{ externalId: id, alias: { label: id, name: "1" } }] })),
  ];
  const nothing: Request = { type: "removeExternalIds", externalIds: [] };
  const others = fc.oneof(
    fc.constantFrom("u", "x").map((id) => event(byId(id))),
    sessionOf(fc.constant(byId("x"))),
    fc.constantFrom("1@b.c", "2@b.c").map((own) => attributes(byId(`of ${own}`), { email: own })),
    fc.constantFrom("+12125550101", "+12125550102").map((own) => attributes(byId(`of ${own}`), { phone: own })),
    fc.record({ label: fc.constantFrom("s", "t"), newName: aliasName })
      .map(({ label: of, newName }) => ({ type: "renameAliases" as const, renames: [{ label: of, oldName: "1", newName }] })),
  );

  function mergeOf(source: string, target: string): Request {
    const of = (id: string) => ({ key: byId(id), prioritization: [] });
    return { type: "mergeUsers", jobId: `${source}${target}`, updates: [{ source: of(source), target: of(target) }] };
  }

  function undoOf(jobId: string): Request {
    return { type: "undoMerge", jobId, index: 0 };
  }

  test.each<[string, string, { merges: Request[]; undos: Request[] }]>([
    ["a merge", "t", { merges: [mergeOf("s", "t")], undos: [undoOf("st")] }],
    ["a chain", "u", { merges: [mergeOf("s", "t"), mergeOf("t", "u")], undos: [undoOf("tu"), undoOf("st")] }],
    ["two into one", "u", { merges: [mergeOf("s", "u"), mergeOf("t", "u")], undos: [undoOf("tu"), undoOf("su")] }],
    ["another order", "u", { merges: [mergeOf("t", "u"), mergeOf("s", "u")], undos: [undoOf("su"), undoOf("tu")] }],
  ])("%s taken back is as if it had not been", (_, target, { merges, undos }) => {
    const before = fc.array(objectOf(fc.constantFrom(byId("s"), byId("t"), byId("u"), byId("x"))), { maxLength: 10 });
    const toSides = objectOf(fc.constantFrom(byId(target), ...sideNames));
    const addition = fc.record({ label, name: aliasName })
      .map((added) => ({ type: "createAliases" as const, aliases: [{ externalId: target, alias: added }] }));
    const since = fc.array(
      fc.oneof({ weight: 6, arbitrary: toSides }, { weight: 3, arbitrary: sessionOf(fc.constantFrom(byId(target), ...sideNames)) }, {
        weight: 3,
        arbitrary: others,
      }, addition),
      { maxLength: 15, size: "max" },
    );
    fc.assert(
      fc.property(before, since, (earlier, later) => {
        const withMerge = createWorkspace();
        const without = createWorkspace();
        const addressed = later.map((request) =>
          "updateOnly" in request && !isNewcomer(request) ? { ...request, updateOnly: true } : request
        );
        withMerge.run(...people, ...earlier, ...merges, ...addressed, ...undos);
        without.run(...people, ...earlier, ...merges.map(() => nothing), ...addressed, ...undos.map(() => nothing));
        expect(orders(withMerge.store)).toEqual(orders(without.store));
      }),
      { numRuns: 300 },
    );
  });
});

function isNewcomer({ user }: { readonly user: UserKey }): boolean {
  return user.by === "externalId" && user.id.startsWith("of ");
}

/** Identity rows with the order of sharers in place of their marks, and the devices that mean each user. */
function orders(store: ReadonlyMap<IdentityKey, unknown>): [IdentityKey, unknown][] {
  return [...namesOf(store)].map(([name, row]) => {
    if (name.startsWith("u:")) return [name, { ...row as UserRow, devices: devicesNow(store, row as UserRow) }];
    return [name, Array.isArray(row) ? row.map(({ id, identified }) => ({ id, identified })) : row];
  });
}

/** Those that mean the user still: one that another has taken over stays in the row. */
function devicesNow(store: ReadonlyMap<IdentityKey, unknown>, { id, devices = [] }: UserRow): string[] {
  return devices.filter((device) => store.get(`d:${device.id}`) === id).map((device) => device.id).toSorted();
}

function checkNames(store: ReadonlyMap<IdentityKey, unknown>): void {
  const users = [...store].filter(([name]) => name.startsWith("u:")).map(([, row]) => row as UserRow);
  const live = new Map(users.map((row) => [row.id, row]));
  const merges = [...store].filter(([name]) => name.startsWith("m:")).map(([, row]) => row as MergeRow);
  const kept = new Set<string>(merges.flatMap(({ source }) => ownNames(source)));
  const sides = merges.flatMap(({ source, target }) => [source, target]);
  for (const row of users) {
    for (const name of ownNames(row)) expect(store.get(name)).toBe(row.id);
    for (const address of addressesOf(row)) {
      expect((store.get(address) as Sharer[]).filter(({ id }) => id === row.id)).toMatchObject([{ identified: row.externalId !== null }]);
    }
    for (const mergeId of row.merges) expect(store.get(`m:${mergeId}`)).toMatchObject({ target: { id: row.id } });
  }
  for (const [name, row] of store) {
    if (name.startsWith("d:")) expect(live.get(row as string)?.devices?.map(({ id }) => `d:${id}`)).toContain(name);
    if (/^[xa]:/.test(name)) checkName(name, live.get(row as string), kept);
    if (/^[ep]:/.test(name)) checkSharers(name, row as Sharer[], { live, sides });
  }
}

function checkName(name: IdentityKey, holder: UserRow | undefined, kept: ReadonlySet<string>): void {
  if (holder === undefined) expect(kept).toContain(name);
  else expect(ownNames(holder)).toContain(name);
}

function checkSharers(
  name: IdentityKey,
  sharers: readonly Sharer[],
  { live, sides }: { live: ReadonlyMap<string, UserRow>; sides: readonly UserRow[] },
): void {
  if (sharers.length === 0) expect(sides.flatMap(addressesOf)).toContain(name);
  const places = sharers.map(({ updated }) => updated[0] * 1_000 + updated[1]);
  expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
  if (sharers.length > 1) expect(places[0]).toBeGreaterThan(0);
  for (const { id } of sharers) {
    const row = live.get(id);
    expect(row && addressesOf(row)).toContain(name);
  }
}

function checkLife(records: readonly ProfileRecord[], all: readonly ProfileRecord[]): void {
  const id = records[0]?.userId ?? "";
  const places = records.map(({ mark }) => mark[0] * 1_000 + mark[1]);
  expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
  expect(records.filter(({ change }) => change.type === "create").length).toBe(1);
  expect(records[0]?.change.type).toBe("create");
  const ends = records.findIndex(({ change }) => change.type === "delete" || change.type === "handoff");
  const next = ends < 0 ? undefined : records[ends + 1];
  if (next === undefined) return;
  const undone = all.some(({ change, mark }) => change.type === "undo" && change.sourceId === id && mark[0] === next.mark[0]);
  expect(records[ends]?.change.type === "handoff" && undone).toBe(true);
}
