/** POST /users/track at its largest: what is accepted is applied with all that comes after it, and what is too large is refused with its reason. */
import { expect, test } from "vitest";
import { fresh, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();

/** As short as names can be, for as many as fit. */
function attributes(count: number, value: unknown): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`_${at.toString(36).padStart(5, "0")}`, value]));
}

test("an object of 14,000 attributes is taken, and others of the workspace go on", { timeout: 120_000 }, async () => {
  const [fat, other] = [fresh(), fresh()];
  await heddle.track({ attributes: [{ external_id: fat, ...attributes(14_000, "2020-01-01") }] });
  await heddle.track({ attributes: [{ external_id: other, first_name: "Ann" }] });
  expect((await heddle.user(other)).first_name).toBe("Ann");
  expect(Object.keys((await heddle.user(fat)).custom_attributes ?? {})).toHaveLength(14_000);
});

test("an object of too many attributes, or of too much as it is stored, is refused, the others of the request are taken", async () => {
  const id = fresh();
  const answer = await heddle.post("/users/track", {
    attributes: [
      { external_id: fresh(), ...attributes(40_000, 1) },
      { external_id: id, first_name: "Ann" },
      { external_id: fresh(), ...attributes(20_000, "2020-01-01") },
    ],
  });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ attributes_processed: 1 });
  expect(answer.body.errors).toMatchObject([
    { input_array: "attributes", index: 0, type: expect.stringMatching(/at most 20000 custom attributes/) },
    { input_array: "attributes", index: 2, type: expect.stringMatching(/at most 1048576 bytes as it is stored/) },
  ]);
  expect((await heddle.user(id)).first_name).toBe("Ann");
});

test("a request of too much as it is stored is refused as a whole, with what to do", async () => {
  const each = attributes(3_000, "2020-01-01");
  const answer = await heddle.post("/users/track", { attributes: Array.from({ length: 62 }, () => ({ external_id: fresh(), ...each })) });
  expect(answer.status).toBe(413);
  expect(answer.body.message).toMatch(/at most 12582912 bytes as it is stored, it has \d+: send its objects in several requests/);
});

test(
  "requests with keys and long answers that wait together are all answered, each with its own errors",
  { timeout: 120_000 },
  async () => {
    const bad = Array.from({ length: 74 }, () => ({ external_id: "", name: "x" }));
    const answers = await Promise.all(
      Array.from(
        { length: 40 },
        () =>
          heddle.post("/users/track", { attributes: [...bad, { external_id: fresh(), a: 1 }], events: bad, purchases: bad }, {
            headers: { "idempotency-key": fresh("key") },
          }),
      ),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(201);
      expect(answer.body.errors?.length).toBeGreaterThanOrEqual(222);
    }
  },
);
