/** What a record needs is loaded in parts, between which others get their turn. */
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { createIdentities } from "../domain/identity/identities.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import { resolveWorkspace } from "./resolve-workspace.ts";

test("resolveWorkspace() loads the rows of very many users a bounded number at a time", async () => {
  const need = Array.from({ length: 2 * limits.identityRowsPerLoad + 1 }, (_, at): IdentityKey => `u:${at}`);
  const view = createIdentities("w");
  const loads: number[] = [];
  const others = { turns: 0, isOver: false };
  const turning = (async () => {
    for (; !others.isOver; others.turns += 1) await setImmediate();
  })();
  const done = await resolveWorkspace(view, [{ workspaceId: "w", sequence: 1, body: { type: "setMemberships", updates: [] } } as never], {
    options: { now: 1, undoWindowMs: 0 },
    resolve: (known) => {
      const isKnown = need.every((key) => known.peek(key) !== undefined);
      return isKnown ? { resolved: [{ sequence: 1, profiles: [], consent: [], forgotten: [] }] } : { resolved: [], need };
    },
    identities: {
      load: (_, keys) => {
        loads.push(keys.length);
        return Promise.resolve(new Map());
      },
    },
  });
  others.isOver = true;
  await turning;
  expect(done.resolved).toHaveLength(1);
  expect(loads).toEqual([limits.identityRowsPerLoad, limits.identityRowsPerLoad, 1]);
  expect(others.turns).toBeGreaterThan(1);
});

test("resolveWorkspace() gives others their turn between reading an address that very many share and deciding", async () => {
  const members = Array.from({ length: limits.identityRowsPerLoad + 1 }, (_, at) => ({ id: `u${at}`, identified: true, updated: [0, 1] }));
  const address: IdentityKey = "e:all@b.org";
  const happened: string[] = [];
  await resolveWorkspace(
    createIdentities("w"),
    [{ workspaceId: "w", sequence: 1, body: { type: "setMemberships", updates: [] } } as never],
    {
      options: { now: 1, undoWindowMs: 0 },
      resolve: (known) => {
        happened.push("resolve");
        const isKnown = known.peek(address) !== undefined;
        return isKnown ? { resolved: [{ sequence: 1, profiles: [], consent: [], forgotten: [] }] } : { resolved: [], need: [address] };
      },
      identities: {
        load: (_, [key = address]) => {
          happened.push("load");
          void setImmediate().then(() => happened.push("others"));
          return Promise.resolve(new Map([[key, members]]));
        },
      },
    },
  );
  expect(happened).toEqual(["resolve", "load", "others", "resolve"]);
});
