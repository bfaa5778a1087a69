/** What one tracked object does to one user, by the specification's tables. */
import type { Key, ModelUser } from "./reference-user.ts";

export type TrackObject = AttributeObject | EventObject | PurchaseObject;

interface Addressed {
  readonly user: Key;
  readonly updateOnly?: boolean;
}

export interface AttributeObject extends Addressed {
  readonly kind: "attribute";
  readonly email?: string | null;
  readonly phone?: string | null;
  /** Standard fields; null takes one away. */
  readonly fields: Readonly<Record<string, string | null>>;
  /** Custom attributes exactly as a client writes them. */
  readonly custom: Readonly<Record<string, unknown>>;
  readonly mergeObjects?: boolean;
}

export interface EventObject extends Addressed {
  readonly kind: "event";
  readonly name: string;
  readonly time: number;
}

export interface PurchaseObject extends Addressed {
  readonly kind: "purchase";
  readonly productId: string;
  /** Hundredths of a dollar for one. */
  readonly priceCents: number;
  readonly quantity: number;
  readonly time: number;
}

const arrayItemsMax = 25;

export function applyAttributes(user: ModelUser, object: AttributeObject): void {
  for (const [name, value] of Object.entries(object.fields)) {
    if (value === null) user.fields.delete(name);
    else user.fields.set(name, value);
  }
  for (const [name, change] of Object.entries(object.custom)) {
    const next = changed(user.custom.get(name), change, object.mergeObjects === true);
    if (next === undefined) user.custom.delete(name);
    else user.custom.set(name, next);
  }
}

export function applyEvent(user: ModelUser, object: EventObject): void {
  user.events.push({ name: object.name, time: object.time });
}

export function applyPurchase(user: ModelUser, object: PurchaseObject): void {
  const cents = BigInt(object.priceCents) * BigInt(object.quantity);
  user.purchases.push({ productId: object.productId, cents, quantity: object.quantity, time: object.time });
}

/** The value after a change; a change that does not fit the value already there has no effect. */
function changed(old: unknown, change: unknown, merge: boolean): unknown {
  if (change === null) return undefined;
  if (Array.isArray(change)) return isObjects(change) ? change : newest(ordered([], change));
  if (!isObject(change)) return change;
  if ("inc" in change) return increment(old, change.inc as number);
  if ("add" in change || "remove" in change) return members(old, change);
  if ("$add" in change || "$remove" in change || "$update" in change) return objects(old, change, merge);
  return merge && isObject(old) ? deepMerged(old, change) : change;
}

function increment(old: unknown, by: number): unknown {
  if (old === undefined) return by;
  return typeof old === "number" ? old + by : old;
}

function members(old: unknown, change: Record<string, unknown>): unknown {
  if (old !== undefined && (!Array.isArray(old) || isObjects(old))) return old;
  const add = (change["add"] ?? []) as unknown[];
  const remove = (change["remove"] ?? []) as unknown[];
  if (old === undefined && add.length === 0) return undefined;
  const kept = ((old ?? []) as unknown[]).filter((item) => !remove.includes(item));
  return newest(ordered(kept, add));
}

/** An ordered set: what is added again moves to the end. */
function ordered(list: readonly unknown[], add: readonly unknown[]): unknown[] {
  let result = [...list];
  for (const item of add) result = [...result.filter((other) => other !== item), item];
  return result;
}

function newest(list: readonly unknown[]): unknown[] {
  return list.slice(-arrayItemsMax);
}

type Match = { $identifier_key: string; $identifier_value: unknown; $new_object?: Record<string, unknown> };

function objects(old: unknown, change: Record<string, unknown>, merge: boolean): unknown {
  if (old !== undefined && !isObjects(old) && !isEmpty(old)) return old;
  const add = (change["$add"] ?? []) as unknown[];
  if (old === undefined && add.length === 0) return undefined;
  let list = [...((old ?? []) as Record<string, unknown>[]), ...add] as Record<string, unknown>[];
  for (const match of (change["$remove"] ?? []) as Match[]) {
    list = list.filter((item) => item[match.$identifier_key] !== match.$identifier_value);
  }
  for (const match of (change["$update"] ?? []) as Match[]) {
    const value = match.$new_object ?? {};
    list = list.map((item) => {
      if (item[match.$identifier_key] !== match.$identifier_value) return item;
      return merge ? deepMerged(item, value) : value;
    });
  }
  return list;
}

function deepMerged(old: Record<string, unknown>, value: Record<string, unknown>): Record<string, unknown> {
  const result = { ...old };
  for (const [key, next] of Object.entries(value)) {
    const before = result[key];
    result[key] = isObject(before) && isObject(next) ? deepMerged(before, next) : next;
  }
  return result;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isObjects(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
