/** Links to people's own pages: whose they are, how long they are good, and what a new key changes. */
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.ts";
import { type SealKey, sealKeyId } from "../../../platform/sealed-token.ts";
import { type LinkKeys, openPageLinks } from "./page-links.ts";

const hour = 3600 * 1000;
const link = { workspaceId: "ws_1", centerId: "center", userId: "user" };

/** As the stores keep them; tells how often they were read. */
function keysInMemory(): { readonly keys: LinkKeys; readonly reads: () => number } {
  const held: SealKey[] = [];
  let reads = 0;
  return {
    reads: () => reads,
    keys: {
      async all() {
        reads += 1;
        return held.toReversed();
      },
      async add(make, { unlessAny }) {
        if (!unlessAny || held.length === 0) held.push(make(held.length + 1));
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
  expect(await links.open(token)).toEqual({ ...link, expiresAt });
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
  expect([sealKeyId(before.token), sealKeyId(after.token)]).toEqual([1, 2]);
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
