/** A read that begins before it is known where the log ends counts only where it saw everything up to there. */
import { describe, expect, test } from "vitest";
import { allApplied } from "./applied.fixture.ts";
import { openReadAhead } from "./read-ahead.ts";
import { resolveUsers } from "./resolve-users.ts";

/** What is applied, what the log holds, and a read that gives what is applied when it begins. */
function createWorld() {
  const state = { applied: 5, end: 5, reads: 0 };
  const asked: (() => void)[] = [];
  const ahead = openReadAhead({ applied: { decidedThrough: () => state.applied }, partitionOf: () => 3 });
  async function caughtUp() {
    await new Promise<void>((resolve) => asked.push(resolve));
    state.applied = Math.max(state.applied, state.end);
    return { behind: false, end: { partition: 3, sequence: state.end } };
  }
  function read() {
    state.reads += 1;
    return Promise.resolve(`read at ${state.applied}`);
  }
  return { state, ahead, read, run: () => ahead.run("w", caughtUp, read), answer: () => asked.shift()?.() };
}

describe("openReadAhead()", () => {
  test("reads while the end is asked for, once where all of it was applied before", async () => {
    const { state, run, answer } = createWorld();
    const answered = run();
    expect(state.reads).toBe(1);
    answer();
    expect(await answered).toEqual({ behind: false, end: { partition: 3, sequence: 5 }, value: "read at 5" });
    expect(state.reads).toBe(1);
  });

  test("reads again where the log held more than was applied when it began", async () => {
    const { state, run, answer } = createWorld();
    const answered = run();
    state.end = 6;
    answer();
    expect(await answered).toMatchObject({ end: { sequence: 6 }, value: "read at 6" });
    expect(state.reads).toBe(2);
  });

  test("waits for the end after a read that had to be done again, until one would have counted", async () => {
    const { state, run, answer } = createWorld();
    state.end = 6;
    const first = run();
    answer();
    await first;
    const second = run();
    expect(state.reads).toBe(2);
    answer();
    expect(await second).toMatchObject({ value: "read at 6" });
    const third = run();
    expect(state.reads).toBe(4);
    answer();
    await third;
    expect(state.reads).toBe(4);
  });

  test("passes on that nobody may read, whatever became of the read", async () => {
    const { ahead } = createWorld();
    const read = () => Promise.reject(new Error("store away"));
    await expect(ahead.run("w", () => Promise.reject(new Error("refused")), read)).rejects.toThrow("refused");
    const end = { partition: 3, sequence: 1 };
    await expect(ahead.run("w", () => Promise.resolve({ behind: false, end }), read)).rejects.toThrow("store away");
  });
});

test("resolveUsers() with it sees what was answered before it came, and says where the log ended", async () => {
  const state = { applied: 5, row: undefined as string | undefined };
  const applied = allApplied({
    decidedThrough: () => state.applied,
    waitDecided({ sequence }, ms) {
      Object.assign(state, { applied: sequence, row: "u1" });
      return Promise.resolve(ms);
    },
  });
  const rows = () => (state.row === undefined ? [] : [["x:ann", "u1"], ["u:u1", { id: "u1", externalId: "ann" }]] as const);
  const deps = {
    intake: { tail: () => Promise.resolve({ partition: 0, sequence: 6 }) },
    applied,
    identities: { load: () => Promise.resolve(new Map<string, unknown>(rows())) },
    readAhead: openReadAhead({ applied, partitionOf: () => 0 }),
  };
  const request = { workspaceId: "w", users: [{ by: "externalId" as const, id: "ann" }] };
  const answer = await resolveUsers(deps as unknown as Parameters<typeof resolveUsers>[0], request);
  expect(answer).toMatchObject({ found: [[{ id: "u1" }]], behind: false, end: { partition: 0, sequence: 6 } });
});
