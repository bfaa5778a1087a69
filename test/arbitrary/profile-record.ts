/** Random changes of profiles as the resolver could send them, for property tests of the applier and the rows. */
import * as fc from "fast-check";
import type { ProfileChange, ProfileRecord } from "../../services/profile/domain/profile/profile-record.ts";
import type { CustomChange, CustomValue, JsonObject, Scalar, StandardField } from "../../services/profile/domain/record/track-object.ts";

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 1);

const name = fc.constantFrom("a", "b", "constructor", "toString", "hasOwnProperty", "1", "");
const when = fc.integer({ min: -60 * dayMs, max: 40 * dayMs }).map((ms) => start + ms);
const date = when.map((ms) => new Date(ms).toISOString());
const time = date.map(($time) => ({ $time }));
const whole = fc.integer({ min: -1000, max: 1000 });
const scalar: fc.Arbitrary<Scalar> = fc.oneof(fc.constantFrom("x", "y", "1"), whole, fc.boolean(), time);
const object: fc.Arbitrary<JsonObject> = fc.dictionary(name, fc.oneof(scalar, fc.dictionary(name, scalar)), { maxKeys: 3 }) as fc.Arbitrary<
  JsonObject
>;
const item = fc.record({ id: fc.integer({ min: 1, max: 3 }), of: object }) as fc.Arbitrary<JsonObject>;
const value: fc.Arbitrary<CustomValue> = fc.oneof(
  scalar,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((double) => double === 0 ? 0 : double),
  fc.string({ unit: "binary", maxLength: 5 }),
  fc.uniqueArray(fc.constantFrom<Scalar>("x", "y", 1, true), { maxLength: 4 }),
  object,
  fc.array(item, { maxLength: 3 }),
);
const match = fc.record({ key: fc.constantFrom("id", "constructor"), value: fc.integer({ min: 1, max: 3 }) });

export const customChange: fc.Arbitrary<CustomChange> = fc.oneof(
  fc.record({ op: fc.constant("set" as const), value }),
  fc.record({ op: fc.constant("merge" as const), value: object }),
  fc.record({ op: fc.constant("unset" as const) }),
  fc.record({ op: fc.constant("increment" as const), by: whole }),
  fc.record({ op: fc.constant("members" as const), add: fc.array(scalar, { maxLength: 3 }), remove: fc.array(scalar, { maxLength: 2 }) }),
  fc.record({
    op: fc.constant("objects" as const),
    add: fc.array(item, { maxLength: 2 }),
    remove: fc.array(match, { maxLength: 1 }),
    update: fc.array(fc.tuple(match, object).map(([found, object]) => ({ ...found, object })), { maxLength: 2 }),
    merge: fc.boolean(),
  }),
);

const textField = fc.constantFrom<StandardField>("first_name", "last_name", "home_city", "country", "time_zone");
const field = fc.oneof(
  fc.tuple(textField, fc.constantFrom("A", "B", null)),
  fc.tuple(fc.constantFrom<StandardField>("date_of_first_session", "date_of_last_session", "marked_email_as_spam_at"), fc.option(date)),
  fc.tuple(fc.constant<StandardField>("push_subscribe"), fc.constantFrom("opted_in", "subscribed", "unsubscribed", null)),
  fc.tuple(fc.constant<StandardField>("email_open_tracking_disabled"), fc.constantFrom(true, false, null)),
);

export const eventChange = fc.record({ type: fc.constant("event" as const), name, time: when });
export const purchaseChange = fc.record({
  type: fc.constant("purchase" as const),
  productId: name,
  currency: fc.constantFrom("USD", "EUR", "JPY"),
  revenueCents: fc.integer({ min: -1e15, max: 1e15 }),
  quantity: fc.integer({ min: 1, max: 100 }),
  time: when,
});
export const sessionChange = fc.record({
  type: fc.constant("session" as const),
  appId: name,
  startedAt: when,
  device: fc.record({ deviceId: name, model: fc.constantFrom("m1", "m2"), os: fc.constant("os") }),
});
const engagementChange = fc.record({
  type: fc.constant("engagement" as const),
  channel: fc.constantFrom("campaign" as const, "canvas" as const),
  messageId: name,
  name: fc.constantFrom("Spring", "Autumn"),
  interaction: fc.constantFrom("received", "opened", "__proto__"),
  at: when,
});

/** Every change of one profile but create and delete. */
export const profileChange: fc.Arbitrary<ProfileChange> = fc.oneof(
  fc.record({
    type: fc.constant("identity" as const),
    externalId: fc.option(name),
    email: fc.option(fc.constantFrom("x@example.com", "y@example.com")),
  }),
  fc.record({ type: fc.constant("identity" as const), aliases: fc.array(fc.record({ label: name, name }), { maxLength: 2 }) }),
  fc.record({
    type: fc.constant("attributes" as const),
    fields: fc.array(field, { maxLength: 2 }),
    custom: fc.array(fc.tuple(name, customChange), { maxLength: 3 }),
  }),
  eventChange,
  purchaseChange,
  sessionChange,
  engagementChange,
);

/** The changes as records of one user from `from` on: two to a sequence, about eight hours apart, so that days are forgotten on the way. */
export function recordsOf(userId: string, changes: readonly ProfileChange[], from = 1): ProfileRecord[] {
  const begin: ProfileChange = { type: "create" };
  return [begin, ...changes].map((change, at) => ({
    userId,
    mark: [from + Math.floor(at / 2), at % 2],
    now: start + (from + at) * (dayMs / 3),
    change,
  }));
}
