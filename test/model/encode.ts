/** A step of a history as the HTTP request a client would send; every name gets the history's own prefix. */
import type { TrackObject } from "./reference-track.ts";
import type { Key, Selector } from "./reference-user.ts";
import type { Step } from "./history.ts";

export interface HttpRequest {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

/** Keeps histories apart in one workspace. */
export function prefixed(key: Key, prefix: string): Key {
  switch (key.by) {
    case "externalId":
      return { by: "externalId", id: prefix + key.id };
    case "alias":
      return { by: "alias", label: key.label, name: prefix + key.name };
    case "email":
      return { by: "email", id: prefix + key.id };
    case "phone":
      return { by: "phone", id: phoneOf(key.id, prefix) };
    case "platformId":
      return { by: "platformId", id: prefix + key.id };
  }
}

/** The real ids behind `platformId` keys, which name a user by its external id: what a client learns from an export. */
export type PlatformIds = ReadonlyMap<string, string>;

const nobody = "0".repeat(24);

/** A number of its own for each history: the digits of the prefix, in a range where all are valid. */
function phoneOf(number: string, prefix: string): string {
  const serial = Number.parseInt(prefix.slice(1), 10) % 1_000_000;
  return `+49151${String(serial).padStart(6, "0")}${number.slice(-2)}`;
}

export function encode(step: Step, prefix: string, ids: PlatformIds): HttpRequest {
  switch (step.type) {
    case "track":
      return { path: "/users/track", body: track(step.objects, prefix, ids) };
    case "aliasNew":
      return {
        path: "/users/alias/new",
        body: {
          user_aliases: step.entries.map((entry) => ({
            ...(entry.externalId === undefined ? {} : { external_id: prefix + entry.externalId }),
            alias_label: entry.label,
            alias_name: prefix + entry.name,
          })),
        },
      };
    case "aliasUpdate":
      return {
        path: "/users/alias/update",
        body: {
          alias_updates: step.entries.map((entry) => ({
            alias_label: entry.label,
            old_alias_name: prefix + entry.oldName,
            new_alias_name: prefix + entry.newName,
          })),
        },
      };
    case "merge":
      return {
        path: "/users/merge",
        body: {
          merge_updates: step.updates.map((update) => ({
            identifier_to_merge: selector(update.source, prefix),
            identifier_to_keep: selector(update.target, prefix),
          })),
        },
      };
    case "identify":
      return { path: "/users/identify", body: identify(step, prefix) };
    case "delete":
      return { path: "/users/delete", body: deletion(step.selector, prefix, ids) };
    case "rename":
      return {
        path: "/users/external_ids/rename",
        body: { external_id_renames: [{ current_external_id: prefix + step.current, new_external_id: prefix + step.next }] },
      };
    case "report":
      return { path: `/report/${step.report.kind}`, body: { ...step.report, user: prefixed(step.report.user, prefix) } };
    case "remove":
      return { path: "/users/external_ids/remove", body: { external_ids: [prefix + step.id] } };
    default:
      throw new Error(`A step "${step.type}" is not one request`);
  }
}

/** The members that name a user in a tracked object. */
export function identifier(key: Key, prefix: string, ids: PlatformIds = new Map()): Record<string, unknown> {
  const own = prefixed(key, prefix);
  switch (own.by) {
    case "externalId":
      return { external_id: own.id };
    case "alias":
      return { user_alias: { alias_label: own.label, alias_name: own.name } };
    case "email":
      return { email: own.id };
    case "phone":
      return { phone: own.id };
    case "platformId":
      return { platform_id: ids.get(own.id) ?? nobody };
  }
}

function track(objects: readonly TrackObject[], prefix: string, ids: PlatformIds): Record<string, unknown> {
  const of = (kind: TrackObject["kind"]) =>
    objects.filter((object) => object.kind === kind).map((object) => trackObject(object, prefix, ids));
  return { attributes: of("attribute"), events: of("event"), purchases: of("purchase") };
}

function trackObject(object: TrackObject, prefix: string, ids: PlatformIds): Record<string, unknown> {
  const base = {
    ...identifier(object.user, prefix, ids),
    ...(object.updateOnly === undefined ? {} : { _update_existing_only: object.updateOnly }),
  };
  if (object.kind === "event") return { ...base, name: object.name, time: new Date(object.time).toISOString() };
  if (object.kind === "purchase") {
    return {
      ...base,
      product_id: object.productId,
      currency: "USD",
      price: object.priceCents / 100,
      quantity: object.quantity,
      time: new Date(object.time).toISOString(),
    };
  }
  const addresses = {
    ...(object.email === undefined || object.user.by === "email" ? {} : { email: object.email === null ? null : prefix + object.email }),
    ...(object.phone === undefined || object.user.by === "phone"
      ? {}
      : { phone: object.phone === null ? null : phoneOf(object.phone, prefix) }),
  };
  return { ...base, ...addresses, ...object.fields, ...object.custom, ...(object.mergeObjects === true ? { _merge_objects: true } : {}) };
}

function selector(chosen: Selector, prefix: string): Record<string, unknown> {
  const key = identifier(chosen.key, prefix);
  return chosen.prioritization.length > 0 ? { ...key, prioritization: chosen.prioritization } : key;
}

function identify(step: Extract<Step, { type: "identify" }>, prefix: string): Record<string, unknown> {
  const entry = { ...selector(step.user, prefix), external_id: prefix + step.externalId };
  if (step.user.key.by === "email") return { emails_to_identify: [entry] };
  if (step.user.key.by === "phone") return { phone_numbers_to_identify: [entry] };
  return { aliases_to_identify: [entry] };
}

function deletion(chosen: Selector, prefix: string, ids: PlatformIds): Record<string, unknown> {
  const own = prefixed(chosen.key, prefix);
  switch (own.by) {
    case "externalId":
      return { external_ids: [own.id] };
    case "alias":
      return { user_aliases: [{ alias_label: own.label, alias_name: own.name }] };
    case "email":
      return { email_addresses: [{ email: own.id, prioritization: chosen.prioritization }] };
    case "phone":
      return { phone_numbers: [{ phone: own.id, prioritization: chosen.prioritization }] };
    case "platformId":
      return { braze_ids: [ids.get(own.id) ?? nobody] };
  }
}
