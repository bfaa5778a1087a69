/** One accepted object of /users/track, checked and normalised: what the intake log holds as JSON. */
import type { UserKey } from "./user-key.ts";

export type TrackObject = AttributeObject | EventObject | PurchaseObject;

interface TrackObjectBase {
  readonly user: UserKey;
  /** True: only a user that exists is touched; none is created. */
  readonly updateOnly: boolean;
}

export interface AttributeObject extends TrackObjectBase {
  readonly kind: "attribute";
  /** The address to give the user (normalised), null to take it away; absent: untouched. Absent too where it is the key. */
  readonly email?: string | null;
  /** E.164, null to take it away; absent: untouched. */
  readonly phone?: string | null;
  /** What leaves for the services that own consent. */
  readonly consent?: ConsentChange;
  /** Standard fields to write; null takes the field away. */
  readonly fields?: readonly (readonly [StandardField, FieldValue | null])[];
  /** Custom attributes in the order of the request. */
  readonly custom?: readonly (readonly [string, CustomChange])[];
}

export interface EventObject extends TrackObjectBase {
  readonly kind: "event";
  readonly name: string;
  /** Unix milliseconds; the resolver turns a time in the future into its now. */
  readonly time: number;
  readonly appId?: string;
  /** Not kept on the profile; here for the change feed. */
  readonly properties?: JsonObject;
}

export interface PurchaseObject extends TrackObjectBase {
  readonly kind: "purchase";
  readonly productId: string;
  /** ISO 4217, upper case. */
  readonly currency: string;
  readonly price: number;
  /** price x quantity as decimals, rounded half away from zero to hundredths: a safe integer. */
  readonly revenueCents: number;
  readonly quantity: number;
  readonly time: number;
  readonly appId?: string;
  readonly properties?: JsonObject;
}

/** Standard profile fields that are plain values on the profile (api-facts section 2.4); email and phone are identity. */
export type StandardField =
  | "first_name"
  | "last_name"
  | "home_city"
  | "country"
  | "language"
  | "dob"
  | "gender"
  | "time_zone"
  | "current_location"
  | "date_of_first_session"
  | "date_of_last_session"
  | "marked_email_as_spam_at"
  | "push_subscribe"
  | "email_open_tracking_disabled"
  | "email_click_tracking_disabled"
  | "push_tokens"
  | "image_url"
  | "facebook"
  | "twitter";

/** Dates are canonical: `YYYY-MM-DD` for dob, ISO 8601 UTC with milliseconds for times. */
export type FieldValue = Json;

export interface ConsentChange {
  readonly emailSubscribe?: EmailStatus;
  readonly subscriptionGroups?: readonly { readonly id: string; readonly state: MembershipState }[];
}

export type EmailStatus = "opted_in" | "subscribed" | "unsubscribed";
export type EmailMark = "blocklisted" | "hard_bounced" | "spam" | "bounce_removed" | "spam_removed";
export type PhoneMark = "provider_error" | "deactivated" | "removed";
export type MembershipState = "subscribed" | "unsubscribed";

/**
 * What happens to one custom attribute. A change that does not fit the value already there (an `inc` on a string,
 * an `add` on a number) has no effect; that cannot be known when the request is answered.
 */
export type CustomChange =
  | { readonly op: "set"; readonly value: CustomValue }
  /** `_merge_objects: true` with an object value: deep merge; set where the old value is no object. */
  | { readonly op: "merge"; readonly value: JsonObject }
  | { readonly op: "unset" }
  /** A missing attribute counts as 0. */
  | { readonly op: "increment"; readonly by: number }
  /** Ordered set of scalars: removes first, then adds; a repeated add moves to the end. */
  | { readonly op: "members"; readonly add: readonly Scalar[]; readonly remove: readonly Scalar[] }
  /** Array of objects: add, then remove, then update. `merge`: `$update` merges deep. */
  | {
    readonly op: "objects";
    readonly add: readonly JsonObject[];
    readonly remove: readonly ObjectMatch[];
    readonly update: readonly (ObjectMatch & { readonly object: JsonObject })[];
    readonly merge: boolean;
  };

export interface ObjectMatch {
  readonly key: string;
  readonly value: Json;
}

/** A time is `{ "$time": ISO 8601 UTC with milliseconds }`, at the top and nested; arrays of scalars hold each member once. */
export type CustomValue = Scalar | readonly Scalar[] | JsonObject | readonly JsonObject[];
export type Scalar = string | number | boolean | TimeValue;
export interface TimeValue {
  readonly $time: string;
}

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** A parsed object; no own key is `__proto__` (the check refuses it), other keys are data: read them with Object.hasOwn. */
export interface JsonObject {
  readonly [key: string]: Json;
}
