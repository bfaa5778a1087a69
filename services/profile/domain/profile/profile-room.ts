/**
 * How much a profile may hold: an object that would pass `profileBytesMax` is dropped, noted in the profile, and everything
 * else goes on. A pure function of profile and record, so the same in both shapes and on both runtimes: it weighs what is
 * stored as JSON text, before any packing. Known events, products and apps are always counted: they weigh the same however
 * often they come.
 */
import { limits } from "../../../../platform/limits.ts";
import type { Dropped, Profile } from "./profile.ts";
import type { ProfileChange } from "./profile-record.ts";

/** Whether an object fits for certain, by numbers of entries alone: true for nearly every profile. */
export function hasRoomForCertain(profile: Profile): boolean {
  return entriesBytesMax(profile) <= limits.profileBytesMax - limits.objectBytesMax;
}

function entriesBytesMax({ fields, custom, events, purchases, apps, devices, engagements }: Profile): number {
  return fields.size * fieldBytesMax + custom.size * attributeBytesMax + (events.size + purchases.size) * summaryBytesMax +
    (apps.size + devices.size + engagements.size) * otherBytesMax;
}

/** Whether an object of the client can be refused for want of room. Names and merges cannot: others rest on them. */
export function needsRoom({ type }: ProfileChange): boolean {
  return type === "attributes" || type === "event" || type === "purchase" || type === "session" || type === "engagement";
}

/** What the change would add, but for attributes, which have to be applied to see it. */
export function weightAdded(profile: Profile, change: ProfileChange): number {
  switch (change.type) {
    case "event":
      return profile.events.has(change.name) ? 0 : summaryBytes(change.name);
    case "purchase":
      return profile.purchases.has(change.productId) ? 0 : summaryBytes(change.productId);
    case "session": {
      const { appId, device } = change;
      const isKnown = device === undefined || profile.devices.has(device.deviceId);
      return (profile.apps.has(appId) ? 0 : entryBytes(appId, {})) + (isKnown ? 0 : entryBytes(device.deviceId, device));
    }
    case "engagement": {
      const key = `${change.channel}:${change.messageId}`;
      return profile.engagements.has(key) ? 0 : entryBytes(key, [change.name, [change.interaction]]);
    }
    default:
      return 0;
  }
}

/** Of the fields and attributes that the change names. */
export function weightNamed({ fields, custom }: Pick<Profile, "fields" | "custom">, change: AttributesChange): number {
  return sum(change.fields ?? [], ([name]) => entryBytes(name, fields.get(name))) +
    sum(change.custom ?? [], ([name]) => entryBytes(name, custom.get(name)));
}

/** All of it. Known of a large profile for as long as nothing but records of its own changes it: to weigh it costs as much as to read it. */
export function weightOf(profile: Profile): number {
  const known = weights.get(profile);
  if (known !== undefined) return known;
  const weight = weighed(profile);
  weights.set(profile, weight);
  return weight;
}

/** Undefined: it has to be weighed again. */
export function noteWeight(profile: Profile, weight: number | undefined): void {
  if (weight === undefined) weights.delete(profile);
  else weights.set(profile, weight);
}

const weights = new WeakMap<Profile, number>();

function weighed(profile: Profile): number {
  return sum(profile.fields, ([name, value]) => entryBytes(name, value)) +
    sum(profile.custom, ([name, value]) => entryBytes(name, value)) +
    sum(profile.events.keys(), summaryBytes) +
    sum(profile.purchases.keys(), summaryBytes) +
    sum(profile.apps.keys(), (name) => entryBytes(name, {})) +
    sum(profile.devices, ([name, value]) => entryBytes(name, value)) +
    sum(profile.engagements, ([name, value]) => entryBytes(name, [value.name, [...value.latest.keys()]]));
}

/** What is left in `target` for what another profile brings along. */
export function roomFor(source: Profile, target: Profile): Room {
  const isPlenty = entriesBytesMax(target) + entriesBytesMax(source) <= limits.profileBytesMax;
  return new Room(isPlenty ? undefined : limits.profileBytesMax - weightOf(target));
}

class Room {
  /** Entries for which there was none. */
  refused = 0;
  /** Undefined: plenty. */
  #left: number | undefined;

  constructor(left: number | undefined) {
    this.#left = left;
  }

  /** Whether there is room for the attribute, which then takes it. */
  takesAttribute({ custom }: Pick<Profile, "custom">, name: string, value: unknown): boolean {
    if (custom.size >= limits.attributesPerProfileMax) return this.#refuse();
    return this.#left === undefined || this.#take(this.#left, entryBytes(name, value));
  }

  takesSummary(name: string): boolean {
    return this.#left === undefined || this.#take(this.#left, summaryBytes(name));
  }

  #take(left: number, bytes: number): boolean {
    if (bytes > left) return this.#refuse();
    this.#left = left - bytes;
    return true;
  }

  #refuse(): false {
    this.refused += 1;
    return false;
  }
}

/** The note of one more that was dropped. */
export function noted(dropped: Dropped | undefined, sequence: number, count = 1): Dropped {
  return { count: (dropped?.count ?? 0) + count, sequence };
}

function summaryBytes(name: string): number {
  return jsonBytes(name) + summaryOwnBytes;
}

function entryBytes(name: string, value: unknown): number {
  return value === undefined ? 0 : jsonBytes(name) + jsonBytes(value) + entryOwnBytes;
}

function jsonBytes(value: unknown): number {
  return utf8.encode(JSON.stringify(value)).length;
}

function sum<Item>(items: Iterable<Item>, of: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += of(item);
  return total;
}

const utf8 = new TextEncoder();
/** What stands around an entry, with the place of the request that set it. */
const entryOwnBytes = 24;
/** First, last, count, and some days. */
const summaryOwnBytes = 100;
/** Bounds of single entries, six bytes a character of JSON at most. */
const fieldBytesMax = 64 * 1024;
const attributeBytesMax = limits.attributeObjectBytesMax + 6 * limits.attributeNameCharsMax + entryOwnBytes;
const summaryBytesMax = 6 * limits.eventNameCharsMax + summaryOwnBytes;
const otherBytesMax = 8 * 1024;

type AttributesChange = Extract<ProfileChange, { type: "attributes" }>;
