/** What no input may do to the check: any JSON is answered, every object is accounted for, nothing given is changed. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Refusal } from "../../../../platform/refusal.ts";
import { type CheckOptions, checkTrack } from "./check-track.ts";

const options: CheckOptions = { objectsPerArrayMax: 75, objectsMax: 0, objectsPerUserMax: 0 };
const attribute = { external_id: "u", colour: "red" };
const event = { external_id: "u", name: "opened", time: "2019-02-15" };
const purchase = { external_id: "u", product_id: "p", currency: "USD", price: 1, time: "2019-02-15" };

const names = fc.constantFrom(
  "external_id",
  "user_alias",
  "platform_id",
  "braze_id",
  "email",
  "phone",
  "alias_name",
  "alias_label",
  "name",
  "time",
  "app_id",
  "properties",
  "product_id",
  "currency",
  "price",
  "quantity",
  "_update_existing_only",
  "_merge_objects",
  "push_token_import",
  "push_tokens",
  "subscription_groups",
  "email_subscribe",
  "first_name",
  "country",
  "language",
  "dob",
  "gender",
  "time_zone",
  "current_location",
  "facebook",
  "twitter",
  "inc",
  "add",
  "remove",
  "$add",
  "$remove",
  "$update",
  "$time",
  "$identifier_key",
  "$identifier_value",
  "$new_object",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "length",
  "a",
);
const leaves = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    2 ** 60,
    "",
    "u",
    "USD",
    "subscribed",
    "2019-02-15",
    "a@example.com",
    "+12025550123",
    "\ud800",
    "x\u0000",
    "__proto__",
  ),
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 4, arbitrary: leaves },
    fc.array(tie("tree"), { maxLength: 4 }),
    dictionary(tie("tree")),
  ),
}));
const valid = fc.constantFrom<object>(attribute, event, purchase, {
  user_alias: { alias_name: "n", alias_label: "l" },
  name: "n",
  time: "2019-02-15",
});
const element = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(valid, dictionary(tree)).map(([base, more]) => JSON.parse(spread(base, more))) },
  tree,
);
const list = fc.oneof({ weight: 6, arbitrary: fc.array(element, { maxLength: 6 }) }, tree);
const body = fc.oneof({
  weight: 6,
  arbitrary: fc.record({ attributes: list, events: list, purchases: list, partner: tree }, { requiredKeys: [] }),
}, tree);

test("checkTrack() accounts for every object, throws nothing but a Refusal and changes nothing it is given", () => {
  const prototypeBefore = Object.getOwnPropertyNames(Object.prototype).sort();
  fc.assert(
    fc.property(body, (given) => {
      const before = JSON.stringify(given);
      expectAccounted(given);
      expect(JSON.stringify(given)).toBe(before);
      expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(prototypeBefore);
    }),
    { numRuns: 3_000 },
  );
});

function expectAccounted(given: unknown): void {
  const sent = (["attributes", "events", "purchases"] as const).map((name) => lengthOf(given, name));
  try {
    const report = checkTrack(given, options);
    const processed = [report.attributesProcessed, report.eventsProcessed, report.purchasesProcessed];
    const refused = (["attributes", "events", "purchases"] as const).map((name) =>
      new Set(report.errors.filter((error) => error.inputArray === name && error.field === undefined).map((error) => error.index))
    );
    for (const [at, length] of sent.entries()) {
      expect(processed[at]).toBe(length === undefined ? undefined : length - (refused[at]?.size ?? 0));
    }
    expect(report.objects).toHaveLength(processed.reduce<number>((sum, count) => sum + (count ?? 0), 0));
    expect(report.errors.every((error) => error.type !== "")).toBe(true);
    expect(JSON.parse(JSON.stringify(report.objects))).toEqual(report.objects);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.reason === "NOTHING_VALID") {
      const refused = new Set(error.details.errors?.map((entry) => JSON.stringify(entry, ["input_array", "index"])));
      expect(refused.size).toBe(sent.reduce<number>((sum, length) => sum + (length ?? 0), 0));
    }
  }
}

function lengthOf(given: unknown, name: string): number | undefined {
  const value: unknown = typeof given === "object" && given !== null && Object.hasOwn(given, name) ? Reflect.get(given, name) : undefined;
  return Array.isArray(value) ? value.length : undefined;
}

/** Objects as JSON.parse makes them: every name an own key, `__proto__` too. */
function dictionary(values: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  const entries = fc.array(fc.tuple(fc.oneof(names, fc.string({ maxLength: 5 })), values), { maxLength: 5 });
  return entries.map((pairs) =>
    JSON.parse(`{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`)
  );
}

function spread(base: object, more: object): string {
  return `{${
    [...Object.entries(base), ...Object.entries(more)].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")
  }}`;
}
