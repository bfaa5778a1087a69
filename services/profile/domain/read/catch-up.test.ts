/** How long reads wait, and what they say where that was not long enough. */
import { describe, expect, test } from "vitest";
import { limits } from "../../../../platform/limits.ts";
import { allApplied } from "./applied.fixture.ts";
import { catchUp, catchUpNames, type ReadDeps } from "./catch-up.ts";
import type { Applied } from "../ports.ts";

const end = { partition: 2, sequence: 9 };
const longerMs = limits.positionWaitMsMax - limits.readWaitMs;

function depsOf(applied: Partial<Applied>): ReadDeps {
  return { intake: { tail: () => Promise.resolve(end) }, applied: allApplied(applied) } as unknown as ReadDeps;
}

describe("catchUp()", () => {
  test("refuses a position of another workspace's order", async () => {
    for (const wait of [catchUp, catchUpNames]) {
      const readAfter = { partition: 1, sequence: 3 };
      await expect(wait(depsOf({}), { workspaceId: "w", readAfter })).rejects.toMatchObject({ reason: "POSITION_INVALID" });
    }
  });

  test("waits for nothing that the log has not given out, and is behind then", async () => {
    for (const wait of [catchUp, catchUpNames]) {
      const asked: number[] = [];
      const deps = depsOf({
        wait: ({ sequence }) => Promise.resolve(asked.push(sequence) > 0),
        waitDecided: ({ sequence }, ms) => Promise.resolve(asked.push(sequence) && ms),
      });
      const read = await wait(deps, { workspaceId: "w", readAfter: { partition: 2, sequence: 10 } });
      expect(read.behind).toBe(true);
      expect(asked).toEqual([9, 9]);
      expect((await wait(deps, { workspaceId: "w", readAfter: { partition: 2, sequence: 9 } })).behind).toBe(false);
    }
  });

  test.each([
    ["all is applied", { isApplied: true, through: 9 }, false],
    ["it is not, in time", { isApplied: false, through: 8 }, true],
    ["it was a moment after", { isApplied: false, through: 9 }, false],
  ])("%s", async (_, { isApplied, through }, behind) => {
    const deps = depsOf({ wait: () => Promise.resolve(isApplied), through: () => through });
    expect(await catchUp(deps, { workspaceId: "w" })).toEqual({ behind });
  });
});

describe("catchUpNames()", () => {
  test("waits for what is decided, and for users with what is left of its time", async () => {
    const asked: unknown[] = [];
    const deps = depsOf({
      waitDecided: (position, ms) => Promise.resolve(asked.push([position, ms]) && ms - 50),
      waitUsers: (position, users, ms) => Promise.resolve(asked.push([position, users, ms]) && ms - 20),
    });
    const read = await catchUpNames(deps, { workspaceId: "w" });
    expect([await read.waitUsers(["u1"]), await read.waitUsers(["u2"])]).toEqual([true, true]);
    expect(read.behind).toBe(false);
    expect(asked).toEqual([
      [end, limits.readWaitMs],
      [end, { workspaceId: "w", ids: ["u1"] }, limits.readWaitMs - 50],
      [end, { workspaceId: "w", ids: ["u2"] }, limits.readWaitMs - 70],
    ]);
  });

  test("is behind where it is not decided in time, and users are asked for without a wait then", async () => {
    const waits: number[] = [];
    const deps = depsOf({
      waitDecided: () => Promise.resolve(undefined),
      decidedThrough: () => 8,
      waitUsers: (_position, _users, ms) => Promise.resolve(waits.push(ms) > 1 ? ms : undefined),
    });
    const read = await catchUpNames(deps, { workspaceId: "w" });
    expect([read.behind, await read.waitUsers(["u1"]), await read.waitUsers(["u1"]), waits]).toEqual([true, false, true, [0, 0]]);
  });

  test("waits longer for a write that it names, for that and for the users together", async () => {
    const asked: unknown[] = [];
    const deps = depsOf({
      waitDecided({ sequence }, ms) {
        asked.push([sequence, ms]);
        return Promise.resolve(sequence === 9 ? undefined : ms - 1_000);
      },
      decidedThrough: () => 9,
      waitUsers: (_position, _users, ms) => Promise.resolve(asked.push(ms) && ms),
    });
    const read = await catchUpNames(deps, { workspaceId: "w", readAfter: { partition: 2, sequence: 4 } });
    expect([read.behind, await read.waitUsers(["u1"])]).toEqual([false, true]);
    expect(asked).toEqual([[9, limits.readWaitMs], [4, longerMs], longerMs - 1_000]);
  });

  test("is behind where that write is not decided in time, whatever else is", async () => {
    const deps = depsOf({ waitDecided: ({ sequence }, ms) => Promise.resolve(sequence === 9 ? ms : undefined) });
    expect((await catchUpNames(deps, { workspaceId: "w", readAfter: { partition: 2, sequence: 11 } })).behind).toBe(true);
  });
});
