/** What a process knows of rejected users, and when. */
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { limits } from "../../../platform/limits.ts";
import { silentLogger } from "../../../platform/logger.ts";
import type { RejectedUser } from "../domain/ports.ts";
import { nameOf } from "../domain/record/user-key.ts";
import { lookForRejected } from "./rejected-users.ts";

function rejected(id: string, workspaceId = "w"): RejectedUser {
  return { workspaceId, id, externalId: `x-${id}`, aliases: [{ label: "l", name: id }], counted: "sessions", count: 9, max: 5 };
}

async function open() {
  const clock = fakeClock();
  const state: { users: RejectedUser[]; error: Error | undefined; reads: number; tookMs: number } = {
    users: [rejected("u1")],
    error: undefined,
    reads: 0,
    tookMs: 0,
  };
  const logged: string[] = [];
  const logger = { ...silentLogger, warn: (event: string) => logged.push(event), error: (event: string) => logged.push(event) };
  const look = await lookForRejected({
    clock,
    logger: { ...silentLogger, ...logger },
    profiles: {
      listRejected: async () => {
        state.reads += 1;
        const users = state.users;
        await Promise.resolve();
        clock.advance(state.tookMs);
        if (state.error !== undefined) throw state.error;
        return users;
      },
    },
  });
  return { clock, state, look, logged };
}

test("names are known from the start, by workspace, in the form that requests are checked by", async () => {
  const { look } = await open();
  const names = look.namesIn("w");
  expect([...names ?? []]).toEqual([
    nameOf({ by: "platformId", id: "u1" }),
    nameOf({ by: "externalId", id: "x-u1" }),
    nameOf({ by: "alias", label: "l", name: "u1" }),
  ]);
  expect(look.namesIn("other")).toBeUndefined();
});

test("it looks every second, and no more once it is closed", async () => {
  const { clock, state, look } = await open();
  state.users = [rejected("u2", "other")];
  clock.advance(limits.rejectedLookMs);
  await expect.poll(() => look.namesIn("other")?.size).toBe(3);
  expect(look.namesIn("w")).toBeUndefined();
  look.close();
  clock.advance(10 * limits.rejectedLookMs);
  expect(state.reads).toBe(2);
});

test("look() sees what was there when it was called, also while another is under way", async () => {
  const { clock, state, look } = await open();
  clock.advance(limits.rejectedLookMs);
  state.users = [];
  await Promise.all([look.look(), look.look()]);
  expect(look.namesIn("w")).toBeUndefined();
  expect(state.reads).toBe(3);
});

test("a look that fails leaves what was known, and is told once", async () => {
  const { clock, state, look, logged } = await open();
  state.error = new Error("away");
  for (let at = 0; at < 3; at += 1) await look.look();
  expect(look.namesIn("w")?.size).toBe(3);
  expect(logged).toEqual(["rejected_users_not_read"]);
  state.error = undefined;
  state.users = [];
  clock.advance(limits.rejectedLookMs);
  await expect.poll(() => look.namesIn("w")).toBeUndefined();
});

test("looks that take long are rarer: a tenth of the time at most", async () => {
  const { clock, state, look } = await open();
  state.tookMs = 500;
  await look.look();
  const { reads } = state;
  clock.advance(9 * 500 - 1);
  expect(state.reads).toBe(reads);
  clock.advance(1);
  expect(state.reads).toBe(reads + 1);
});

test("as many as are looked for are told", async () => {
  const { state, look, logged } = await open();
  state.users = Array.from({ length: limits.rejectedUsersMax }, (_, at) => rejected(`u${at}`));
  await look.look();
  await look.look();
  expect(logged).toEqual(["rejected_users_full"]);
});
