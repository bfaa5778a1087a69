/** A user who is sent more than a profile holds: no other user waits for it, and it stays usable. */
import { expect, test } from "vitest";
import { fresh, heddleSuite } from "../suite.ts";

const suite = heddleSuite();

/** About 480 KB in attributes that no other request has. */
function large(block: number): Record<string, unknown> {
  const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  let seed = block + 1;
  function text(): string {
    return Array.from({ length: 255 }, () => letters[(seed = (seed * 48_271) % 2_147_483_647) % letters.length]).join("");
  }
  const objects = Array.from({ length: 5 }, (_, at) => {
    return [`block${block}_${at}`, Object.fromEntries(Array.from({ length: 360 }, (_, key) => [`k${key}`, text()]))];
  });
  return Object.fromEntries(objects);
}

async function read(externalIds: readonly string[]) {
  const { body, headers, status } = await suite.request("POST", "/users/export/ids", {
    external_ids: externalIds,
    fields_to_export: ["external_id", "custom_attributes"],
  });
  expect(status).toBe(201);
  return { users: (body as { users: { external_id: string; custom_attributes?: Record<string, unknown> }[] }).users, headers };
}

test(
  "40 requests of 480 KB to one user: 40 others go on, reads are not behind, and the user stays usable",
  { timeout: 400_000 },
  async () => {
    const fat = fresh();
    const others = Array.from({ length: 40 }, () => fresh());
    for (const [at, other] of others.entries()) {
      const sent = await Promise.all([
        suite.request("POST", "/users/track", { attributes: [{ external_id: fat, ...large(at) }] }),
        suite.request("POST", "/users/track", { attributes: [{ external_id: other, color: "red" }] }),
      ]);
      expect(sent.map(({ status }) => status)).toEqual([201, 201]);
    }
    await expect.poll(async () => (await read(others)).users.length, { timeout: 60_000 }).toBe(others.length);
    await expect.poll(async () => (await read([others[0] ?? ""])).headers.get("x-heddle-read"), { timeout: 60_000 }).toBeNull();
    await expect.poll(async () => (await suite.request("GET", "/readyz")).status, { timeout: 60_000 }).toBe(200);
    const [before] = (await read([fat])).users;
    const names = Object.keys(before?.custom_attributes ?? {});
    expect(names).toContain("block0_0");
    expect(names.length).toBeLessThan(40 * 5);
    expect(names.length).toBeGreaterThan(10 * 5);
    // Nothing is dropped in silence: who looks at the user sees how much, and by which request
    const seen = await suite.request("POST", "/console/users", { external_id: fat });
    const [user] = (seen.body as { users: { dropped?: { count: number; last: { what?: string } } }[] }).users;
    expect([seen.status, user?.dropped]).toMatchObject([200, { count: 40 - names.length / 5, last: { what: "track" } }]);
    // What is there can be taken away, and then there is room again
    await suite.request("POST", "/users/track", { attributes: [{ external_id: fat, block0_0: null, block0_1: null }] });
    await suite.request("POST", "/users/track", { attributes: [{ external_id: fat, color: "blue" }] });
    await expect.poll(async () => (await read([fat])).users[0]?.custom_attributes?.["color"], { timeout: 60_000 }).toBe("blue");
  },
);

test("a name beyond the 20,000 of a profile is told by /users/track/sync, the same to a repeat", { timeout: 240_000 }, async () => {
  const id = fresh();
  function names(from: number, count: number): Record<string, number> {
    return Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${from + at}`, 1]));
  }
  await suite.track({ attributes: [{ external_id: id, ...names(0, 10_000) }] });
  await suite.track({ attributes: [{ external_id: id, ...names(10_000, 9_999) }] });
  const fits = await suite.post("/users/track/sync", { attributes: [{ external_id: id, last: 1 }] });
  expect([fits.status, fits.body.errors]).toEqual([201, undefined]);
  const full = expect.stringMatching(/^'beyond' was not taken: the user has 20000 custom attributes, which is the most/);
  const key = { headers: { "idempotency-key": fresh("key") } };
  for (const call of [{}, key, key]) {
    const answer = await suite.post("/users/track/sync", { attributes: [{ external_id: id, beyond: 1, n1: 2, gone: null }] }, call);
    expect(answer.status, answer.text.slice(0, 300)).toBe(201);
    expect(answer.body.errors).toEqual([{ type: full, input_array: "attributes", index: 0, field: "beyond" }]);
    expect(answer.text).toContain('"n1":2');
  }
  const many = await suite.post("/users/track/sync", { attributes: [{ external_id: id, ...names(50_000, 30) }] });
  expect(many.body.errors).toHaveLength(10);
  expect(many.body.errors?.at(-1)?.type).toMatch(/; 20 more fields were not taken$/);
});
