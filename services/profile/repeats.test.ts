/** Requests with an Idempotency-Key in one process: done once, and known again also beside a gateway of the build before. */
import { expect, test } from "vitest";
import { event, testProfiles } from "./profile-service.fixture.ts";

const { open: openTest } = testProfiles();

test("the profile service does a request with a key once, and gives a repeat the first answer", async () => {
  const profile = await openTest();
  const first = await profile.track({ events: [event("a"), { external_id: "a" }] }, "k");
  const repeat = await profile.track({ events: [event("a"), { external_id: "a" }] }, "k");
  expect(first.replayed).toBe(false);
  expect(repeat).toMatchObject({ replayed: true, eventsProcessed: 1, errors: first.errors });
  expect(await profile.user("a")).toMatchObject({ custom_events: [{ count: 1 }] });
  await expect(profile.track({ events: [event("b")] }, "k")).rejects.toMatchObject({ reason: "IDEMPOTENCY_KEY_REUSED" });
  expect(await profile.user("b")).toBeUndefined();
});

test("the profile service knows a repeat that comes by a gateway of the build before, and one of what such a gateway sent", async () => {
  const profile = await openTest();
  function send(key: string, sent: string) {
    const scope = { ...profile.scope(key), sentHash: Buffer.from(sent) };
    return profile.client.createAliases({ scope, aliases: [{ externalId: "a", alias: { label: "l", name: key } }] });
  }
  for (const [key, first, again] of [["k", "bytes", ""], ["l", "", "bytes"], ["m", "bytes", "bytes"]] as const) {
    expect([(await send(key, first)).replayed, (await send(key, again)).replayed]).toEqual([false, true]);
  }
  await expect(send("k", "other bytes")).rejects.toMatchObject({ reason: "IDEMPOTENCY_KEY_REUSED" });
});
