/** The profile service from request to export on a real database. */
import { afterEach, describe, expect, test } from "vitest";
import { openTestProfile, type TestOptions, type TestProfile } from "./profile-service.fixture.ts";

const opened: TestProfile[] = [];

async function openTest(options?: TestOptions): Promise<TestProfile> {
  const profile = await openTestProfile(options);
  opened.push(profile);
  return profile;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((profile) => profile.close()));
});

describe("TrackUsers", () => {
  test("is read back by the next export", async () => {
    const profile = await openTest();
    const answer = await profile.track({
      attributes: [{ external_id: "a", color: "red" }],
      events: [{ external_id: "a", name: "seen", time: "2025-01-01T00:00:00Z" }],
      purchases: [{ external_id: "a", product_id: "p", currency: "USD", price: 9.99, quantity: 3, time: "2025-01-02T00:00:00Z" }],
    });
    expect(answer).toMatchObject({ attributesProcessed: 1, eventsProcessed: 1, purchasesProcessed: 1, errors: [], replayed: false });
    expect(answer.position).not.toBe("");
    expect(await profile.user("a")).toMatchObject({
      external_id: "a",
      custom_attributes: { color: "red" },
      custom_events: [{ name: "seen", count: 1 }],
      purchases: [{ name: "p", count: 3 }],
      total_revenue: 29.97,
    });
    expect(await profile.user("b")).toBeUndefined();
  });
});
