/** What the console's line of state says, and in which colour. */
import { describe, expect, test } from "vitest";

const { stateOf } = await import(new URL("static/state.js", import.meta.url).href);

describe("the state of what answers", () => {
  test("is green where it is ready and nothing waits", () => {
    expect(stateOf({ ready: true, held_users: 0, set_aside: 0 }, false)).toEqual({ kind: "good", told: "Ready", waits: 0 });
    // A caller who is no operator is shown no counts
    expect(stateOf({ ready: true }, false)).toEqual({ kind: "good", told: "Ready", waits: 0 });
  });

  test.each([
    { held_users: 0, set_aside: 1, told: "Ready, and 1 waits for a human: 0 blocked users, 1 dead letter" },
    { held_users: 1, set_aside: 0, told: "Ready, and 1 waits for a human: 1 blocked user, 0 dead letters" },
    { held_users: 1, set_aside: 2, told: "Ready, and 3 wait for a human: 1 blocked user, 2 dead letters" },
  ])("is amber with $held_users blocked users and $set_aside dead letters, and says how many", ({ told, ...waiting }) => {
    const reason = "profile: Blocked users: 1, dead letters: 2";
    const waits = waiting.held_users + waiting.set_aside;
    for (const overview of [{ ready: true, ...waiting }, { ready: true, reason, ...waiting }]) {
      expect(stateOf(overview, false)).toEqual({ kind: "warn", told, waits });
    }
  });

  test("is amber where it is ready and has something to say", () => {
    expect(stateOf({ ready: true, reason: "one of three is away" }, false)).toMatchObject({
      kind: "warn",
      told: "Ready: one of three is away",
    });
  });

  test("is red where it is not ready or cannot be asked, whatever waits", () => {
    const notReady = { ready: false, reason: "NATS is away", held_users: 0, set_aside: 1 };
    expect(stateOf(notReady, false)).toEqual({ kind: "bad", told: "Not ready: NATS is away", waits: 1 });
    for (const letters of [0, 1]) expect(stateOf({ ready: true, set_aside: letters }, true).kind).toBe("bad");
  });
});
