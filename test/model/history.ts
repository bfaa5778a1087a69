/** Random histories: what several clients could send about a handful of users, as data that shrinks and replays. */
import * as fc from "fast-check";
import type { TrackObject } from "./reference-track.ts";
import type { Key, Report, Rule, Selector } from "./reference-user.ts";

/** One step of a history. `repeat` sends an earlier request again with its key; `crash` ends the system without warning. */
export type Step =
  | { readonly type: "track"; readonly objects: readonly TrackObject[] }
  | {
    readonly type: "aliasNew";
    readonly entries: readonly { readonly externalId?: string; readonly label: string; readonly name: string }[];
  }
  | {
    readonly type: "aliasUpdate";
    readonly entries: readonly { readonly label: string; readonly oldName: string; readonly newName: string }[];
  }
  | { readonly type: "merge"; readonly updates: readonly { readonly source: Selector; readonly target: Selector }[] }
  | { readonly type: "identify"; readonly user: Selector; readonly externalId: string }
  | { readonly type: "delete"; readonly selector: Selector }
  | { readonly type: "rename"; readonly current: string; readonly next: string }
  | { readonly type: "remove"; readonly id: string }
  | { readonly type: "report"; readonly report: Report }
  | { readonly type: "undo"; readonly which: number }
  | { readonly type: "repeat"; readonly which: number }
  | { readonly type: "crash" };

export const externalIds = ["ann", "bob", "cyd"] as const;
export const labels = ["crm", "shop"] as const;
export const names = ["n1", "n2", "n3"] as const;
export const emails = ["x@example.com", "y@example.com"] as const;
export const phones = ["+12025550101", "+12025550102"] as const;

const externalId = fc.constantFrom(...externalIds);
const label = fc.constantFrom(...labels);
const name = fc.constantFrom(...names);
const rules: readonly Rule[] = ["identified", "unidentified", "most_recently_updated", "least_recently_updated"];

const idKey: fc.Arbitrary<Key> = fc.record({ by: fc.constant("externalId" as const), id: externalId });
const aliasKey: fc.Arbitrary<Key> = fc.record({ by: fc.constant("alias" as const), label, name });
const emailKey: fc.Arbitrary<Key> = fc.record({ by: fc.constant("email" as const), id: fc.constantFrom(...emails) });
const phoneKey: fc.Arbitrary<Key> = fc.record({ by: fc.constant("phone" as const), id: fc.constantFrom(...phones) });
/** The platform id of the user who has this external id when the step is sent. */
const platformKey: fc.Arbitrary<Key> = fc.record({ by: fc.constant("platformId" as const), id: externalId });
const anyKey = fc.oneof({ weight: 5, arbitrary: idKey }, { weight: 3, arbitrary: aliasKey }, { weight: 2, arbitrary: emailKey }, {
  weight: 1,
  arbitrary: phoneKey,
});

const trackKey = fc.oneof({ weight: 8, arbitrary: anyKey }, { weight: 1, arbitrary: platformKey });

const prioritization: fc.Arbitrary<readonly Rule[]> = fc.uniqueArray(fc.constantFrom(...rules), { minLength: 1, maxLength: 2 })
  .filter((list) => !(list.includes("identified") && list.includes("unidentified")))
  .filter((list) => !(list.includes("most_recently_updated") && list.includes("least_recently_updated")));

const selector: fc.Arbitrary<Selector> = fc.oneof(
  { weight: 4, arbitrary: fc.oneof(idKey, aliasKey).map((key) => ({ key, prioritization: [] })) },
  { weight: 2, arbitrary: fc.record({ key: fc.oneof(emailKey, phoneKey), prioritization }) },
);

const deleted: fc.Arbitrary<Selector> = fc.oneof(
  { weight: 5, arbitrary: selector },
  { weight: 1, arbitrary: platformKey.map((key) => ({ key, prioritization: [] })) },
);

const day = 86_400_000;
const time = fc.integer({ min: 0, max: 40 }).map((days) => Date.UTC(2025, 0, 1, 12) + days * day);
const updateOnly = fc.option(fc.boolean(), { nil: undefined });

const scalar = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constantFrom("red", "green", "blue"), fc.boolean());
const nested = fc.dictionary(fc.constantFrom("k", "m", "constructor"), fc.oneof(scalar, fc.record({ deep: scalar })), { maxKeys: 2 });
const item = fc.record({ id: fc.integer({ min: 1, max: 3 }), colour: fc.constantFrom("red", "blue") });
const itemMatch = fc.record({ $identifier_key: fc.constant("id"), $identifier_value: fc.integer({ min: 1, max: 3 }) });
const customChange = fc.oneof(
  scalar,
  fc.constant(null),
  fc.record({ inc: fc.integer({ min: -5, max: 5 }) }),
  fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 }),
  fc.record({ add: fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 2 }) }),
  fc.record({ remove: fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 2 }) }),
  nested.filter((value) => Object.keys(value).length > 0),
  fc.array(item, { minLength: 1, maxLength: 2 }),
  fc.record({ $add: fc.array(item, { minLength: 1, maxLength: 2 }) }),
  fc.record({ $remove: fc.array(itemMatch, { minLength: 1, maxLength: 1 }) }),
  fc.record({ $update: fc.array(fc.record({ ...itemMatchFields(), $new_object: item }), { minLength: 1, maxLength: 1 }) }),
);

const attribute = fc.record({
  kind: fc.constant("attribute" as const),
  user: trackKey,
  updateOnly,
  email: fc.option(fc.oneof(fc.constantFrom(...emails), fc.constant(null)), { nil: undefined, freq: 3 }),
  phone: fc.option(fc.oneof(fc.constantFrom(...phones), fc.constant(null)), { nil: undefined, freq: 5 }),
  fields: fc.dictionary(fc.constantFrom("first_name", "home_city"), fc.oneof(fc.constantFrom("Ann", "Bo", "Cy"), fc.constant(null)), {
    maxKeys: 2,
  }),
  custom: fc.dictionary(fc.constantFrom("score", "tags", "toString"), customChange, { maxKeys: 2 }),
  mergeObjects: fc.boolean(),
});
const event = fc.record({
  kind: fc.constant("event" as const),
  user: trackKey,
  updateOnly,
  name: fc.constantFrom("login", "constructor"),
  time,
});
const purchase = fc.record({
  kind: fc.constant("purchase" as const),
  user: trackKey,
  updateOnly,
  productId: fc.constantFrom("cd", "book"),
  priceCents: fc.integer({ min: 0, max: 99_999 }),
  quantity: fc.integer({ min: 1, max: 5 }),
  time,
});
/** An email beside a phone would be the identifier (specification, "User identifier fields"), so a phone comes alone. */
const trackObject = fc.oneof({ weight: 3, arbitrary: attribute }, { weight: 2, arbitrary: event }, { weight: 1, arbitrary: purchase })
  .map((object) => withoutUndefined(object.user.by === "phone" ? { ...object, email: undefined } : object) as TrackObject);

function itemMatchFields() {
  return { $identifier_key: fc.constant("id"), $identifier_value: fc.integer({ min: 1, max: 3 }) };
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ type: fc.constant("track" as const), objects: fc.array(trackObject, { minLength: 1, maxLength: 4 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("aliasNew" as const), entries: fc.array(aliasEntry(), { minLength: 1, maxLength: 2 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("aliasUpdate" as const),
      entries: fc.array(fc.record({ label, oldName: name, newName: name }), { minLength: 1, maxLength: 1 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("merge" as const),
      updates: fc.array(fc.record({ source: selector, target: selector }), { minLength: 1, maxLength: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("identify" as const),
      user: fc.oneof(
        aliasKey.map((key) => ({ key, prioritization: [] })),
        fc.record({ key: fc.oneof(emailKey, phoneKey), prioritization }),
      ),
      externalId,
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("delete" as const), selector: deleted }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("rename" as const), current: externalId, next: externalId }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("remove" as const), id: externalId }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("report" as const), report: report() }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("undo" as const), which: fc.nat({ max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("repeat" as const), which: fc.nat({ max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("crash" as const) }) },
);

function report(): fc.Arbitrary<Report> {
  return fc.oneof(
    fc.record({
      kind: fc.constant("session" as const),
      user: anyKey,
      appId: fc.constantFrom("web", "ios"),
      time,
      deviceId: fc.constantFrom("d1", "d2"),
    }),
    fc.record({
      kind: fc.constant("engagement" as const),
      user: anyKey,
      campaignId: fc.constantFrom("c1", "c2"),
      interaction: fc.constantFrom("received", "opened"),
      time,
    }),
  );
}

function aliasEntry() {
  return fc.record({ externalId: fc.option(externalId, { nil: undefined }), label, name }).map((entry) =>
    withoutUndefined(entry) as { externalId?: string; label: string; name: string }
  );
}

function withoutUndefined(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

/** A history of up to `max` steps. */
export function historyOf(max: number): fc.Arbitrary<Step[]> {
  return fc.array(step, { minLength: 1, maxLength: max, size: "max" });
}
