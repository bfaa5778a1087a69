/** Links to people's own pages: whose they are, how long they are good, and what a new key changes. */
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { bringKeys, type LinkKeys, sharedRing, workspaceKeys } from "../../../platform/link-keys.ts";
import { newSealKey, seal, sealedBy, type SealKey } from "../../../platform/sealed-token.ts";
import { openPageLinks } from "./page-links.ts";

const hour = 3600 * 1000;
const link = { workspaceId: "ws_1", centerId: "center", userId: "user" };

/** As the stores keep them; `reads` counts how often they were read. */
function keysInMemory(): { readonly keys: LinkKeys; readonly reads: () => number } {
  const rings = new Map<string, SealKey[]>();
  let reads = 0;
  return {
    reads: () => reads,
    keys: {
      async all(ring) {
        reads += 1;
        return (rings.get(ring) ?? []).toReversed();
      },
      async add(ring, make, { unlessAny }) {
        const held = rings.get(ring) ?? [];
        if (!unlessAny || held.length === 0) rings.set(ring, [...held, make(held.length + 1)]);
      },
    },
  };
}

test("a link opens for the page and person that it was made for, until it expires", async () => {
  const clock = fakeClock();
  const links = openPageLinks({ ...keysInMemory(), clock, lifeMs: hour });
  const { token, expiresAt } = await links.make(link);
  expect(expiresAt).toBe(clock.now() + hour);
  clock.advance(hour - 1);
  expect(await links.open(token)).toEqual({ ...link, expiresAt, kind: "link" });
  clock.advance(1);
  await expect(links.open(token)).rejects.toMatchObject({ reason: "NOT_FOUND", message: "This link has expired" });
});

test("a token that was changed anywhere, or sealed by somebody else, is none", async () => {
  const clock = fakeClock();
  const links = openPageLinks({ ...keysInMemory(), clock, lifeMs: hour });
  const { token } = await links.make(link);
  const strangers = await openPageLinks({ ...keysInMemory(), clock, lifeMs: hour }).make(link);
  const changed = [...token].map((char, at) => `${token.slice(0, at)}${char === "A" ? "B" : "A"}${token.slice(at + 1)}`);
  for (const other of [...changed, strangers.token, "", token.slice(1), `${token}A`]) {
    await expect(links.open(other)).rejects.toMatchObject({ reason: "NOT_FOUND" });
  }
});

test("the token of a form opens the same page for some hours, never longer than its link, and is the same one for a time", async () => {
  const clock = fakeClock();
  const links = openPageLinks({ ...keysInMemory(), clock, lifeMs: 100 * hour });
  const { token, expiresAt } = await links.make(link);
  const form = await links.makeForm({ ...link, expiresAt });
  expect(form).not.toBe(token);
  expect(await links.open(form)).toMatchObject({ ...link, kind: "form" });
  const made = new Set<string>();
  for (let minutes = 0; minutes < 10 * 60; minutes += 1) {
    made.add(await links.makeForm({ ...link, expiresAt }));
    clock.advance(hour / 60);
  }
  expect(made.size).toBeLessThanOrEqual(11);
  await expect(links.open(form)).rejects.toMatchObject({ message: "This link has expired" });
  expect(await links.makeForm({ ...link, userId: "other", expiresAt })).not.toBe(await links.makeForm({ ...link, expiresAt }));
  const last = await links.makeForm({ ...link, expiresAt: clock.now() + 1 });
  expect(await links.open(last)).toMatchObject({ expiresAt: clock.now() + 1 });
});

test("a new key seals new links, links already sent stay good, in processes that know neither key too", async () => {
  const clock = fakeClock();
  const { keys } = keysInMemory();
  const [here, there] = [1, 2].map(() => openPageLinks({ keys, clock, lifeMs: hour })) as [
    ReturnType<typeof openPageLinks>,
    ReturnType<typeof openPageLinks>,
  ];
  const before = await here.make(link);
  expect(await there.open(before.token)).toMatchObject(link);
  expect(await here.rotate()).toBe(2);
  const after = await there.make(link);
  expect([before, after].map(({ token }) => sealedBy(token)?.id)).toEqual([1, 2]);
  for (const links of [here, there]) for (const { token } of [before, after]) expect(await links.open(token)).toMatchObject(link);
});

test("a key that is known is not read again", async () => {
  const { keys, reads } = keysInMemory();
  const links = openPageLinks({ keys, clock: fakeClock(), lifeMs: hour });
  const { token } = await links.make(link);
  await links.open(token);
  const before = reads();
  for (let turn = 0; turn < 10; turn += 1) await links.open(token);
  expect(reads()).toBe(before);
});

test("links of before workspaces had keys of their own stay good, and no new one is sealed as they were", async () => {
  const clock = fakeClock();
  const { keys } = keysInMemory();
  await keys.add(sharedRing, newSealKey, { unlessAny: false });
  const [shared] = await keys.all(sharedRing) as [SealKey];
  const values = JSON.stringify(["ws_1", "center", "user", clock.now() + hour]);
  const links = openPageLinks({ keys, clock, lifeMs: hour });
  const old = seal(shared, { purpose: "heddle preference page 1" }, values);
  expect(await links.open(old)).toEqual({ ...link, expiresAt: clock.now() + hour, kind: "link" });
  expect(sealedBy((await links.make(link)).token)).toEqual({ id: 1, owner: "ws_1" });
  clock.advance(hour);
  await expect(links.open(old)).rejects.toMatchObject({ message: "This link has expired" });
});

test("keys that a workspace takes along open its links elsewhere, also twice moved, and make none of another workspace", async () => {
  const clock = fakeClock();
  const [first, second, third] = [1, 2, 3].map(() => keysInMemory().keys) as [LinkKeys, LinkKeys, LinkKeys];
  const [here, there, last] = [first, second, third].map((keys) => openPageLinks({ keys, clock, lifeMs: hour })) as [
    ReturnType<typeof openPageLinks>,
    ReturnType<typeof openPageLinks>,
    ReturnType<typeof openPageLinks>,
  ];
  const others = { ...link, workspaceId: "ws_2" };
  const sent = [await here.make(link), await here.make(others)] as const;
  await there.make(others);
  for (let turn = 0; turn < 2; turn += 1) await bringKeys(second, "ws_1", await workspaceKeys(first, "ws_1"));
  const later = await there.make(link);
  await bringKeys(third, "ws_1", await workspaceKeys(second, "ws_1"));
  for (const { token } of [sent[0], later]) for (const links of [there, last]) expect(await links.open(token)).toMatchObject(link);
  for (const links of [there, last]) await expect(links.open(sent[1].token)).rejects.toMatchObject({ reason: "NOT_FOUND" });
  // With everything that was taken along
  for (const key of await workspaceKeys(third, "ws_1")) {
    for (const owner of ["ws_2", undefined]) {
      const values = JSON.stringify([...owner === undefined ? ["ws_2"] : [], "center", "user", clock.now() + hour]);
      const forged = seal(key, { purpose: "heddle preference page 1", ...(owner && { owner }) }, values);
      for (const links of [here, there, last]) await expect(links.open(forged)).rejects.toMatchObject({ reason: "NOT_FOUND" });
    }
  }
});
