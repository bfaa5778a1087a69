/** A profile as clients read it: the user object of POST /users/export/ids. */
import { fnv1a } from "../../../../platform/fnv1a.ts";
import { dayMs } from "../profile/apply-summary.ts";
import { isTime } from "../values/custom-value.ts";
import { centsToNumber, type CurrencyRates, totalInUsdCents } from "../values/money.ts";
import type { EngagementSummary, Profile, Summary } from "../profile/profile.ts";
import type { CustomValue, EmailStatus, Json, JsonObject, StandardField } from "../record/track-object.ts";

/**
 * The JSON object of one user, keys always in the order of `exportFields`; what is empty is left out, `user_aliases` never
 * (api-facts section 3). Client-chosen names are own properties whatever they are called. Throws on a rate that is no decimal.
 */
export function renderProfile(profile: Profile, options: RenderOptions = {}): JsonObject {
  const wanted = new Set<string>(options.fields?.length ? options.fields : exportFields);
  const entries: [string, Json][] = [];
  for (const [name, render] of renderers) {
    const value = wanted.has(name) ? render(profile, options) : undefined;
    if (value !== undefined) entries.push([name, value]);
  }
  return Object.fromEntries(entries);
}

export interface RenderOptions {
  /** `fields_to_export`: names outside `exportFields` and `extensions` are ignored. Absent or empty: `exportFields`. */
  readonly fields?: readonly string[];
  /** USD per unit, decimal text. */
  readonly currencyRates?: CurrencyRates;
  /** The status of the user's address, from the service that owns it; `subscribed` when it knows none. */
  readonly emailSubscribe?: EmailStatus;
  /** Of the custom attributes only these. Absent or empty: all. */
  readonly customAttributes?: readonly string[];
}

type Renderer = (profile: Profile, options: RenderOptions) => Json | undefined;

/** `random_bucket` is 0 to 9999, always the same for a user. */
const buckets = 10_000;

const standard: readonly (readonly [string, Renderer])[] = [
  ["created_at", (profile) => iso(profile.createdAt)],
  ["external_id", (profile) => profile.externalId ?? undefined],
  ["user_aliases", (profile) => profile.aliases.map(({ label, name }) => ({ alias_name: name, alias_label: label }))],
  ["braze_id", (profile) => profile.id],
  ["platform_id", (profile) => profile.id],
  ["random_bucket", (profile) => fnv1a(profile.id) % buckets],
  plain("first_name"),
  plain("last_name"),
  ["email", (profile) => profile.email ?? undefined],
  plain("dob"),
  plain("home_city"),
  plain("country"),
  ["phone", (profile) => profile.phone ?? undefined],
  plain("language"),
  plain("time_zone"),
  ["last_coordinates", ({ fields }) => coordinates(fields.get("current_location"))],
  plain("gender"),
  plain("image_url"),
  plain("facebook"),
  plain("twitter"),
  ["total_revenue", ({ revenue }, { currencyRates = {} }) => centsToNumber(totalInUsdCents(revenue, currencyRates))],
  plain("date_of_first_session"),
  plain("date_of_last_session"),
  plain("marked_email_as_spam_at"),
  ["push_subscribe", ({ fields }) => fields.get("push_subscribe") ?? "subscribed"],
  ["email_subscribe", (_profile, { emailSubscribe = "subscribed" }) => emailSubscribe],
  plain("email_open_tracking_disabled"),
  plain("email_click_tracking_disabled"),
  ["custom_attributes", ({ custom }, { customAttributes = [] }) => {
    const wanted = customAttributes.length === 0 ? custom : new Map([...new Set(customAttributes)].flatMap((name) => {
      const value = custom.get(name);
      return value === undefined ? [] : [[name, value] as const];
    }));
    return wanted.size === 0 ? undefined : objectOf(wanted, withTimesAsText);
  }],
  ["custom_events", ({ events }) => listed(events, summaryOf)],
  ["purchases", ({ purchases }) => listed(purchases, summaryOf)],
  ["devices", ({ devices }) => listed(devices, (id, { model, os, lastSeen }) => ({ model, os, device_id: id, last_seen: iso(lastSeen) }))],
  plain("push_tokens"),
  ["apps", ({ apps }) =>
    listed(apps, (id, app) => ({
      app_id: id,
      sessions: app.sessions,
      first_used: iso(app.firstSession),
      last_used: iso(app.lastSession),
    }))],
  ["campaigns_received", ({ engagements }) => received(engagements, "campaign")],
  ["canvases_received", ({ engagements }) => received(engagements, "canvas")],
];

/** Heddle's own and the old twin of `braze_id` (api-facts 1), shown only where `fields_to_export` names them. */
const extensions: readonly (readonly [string, Renderer])[] = [
  ["appboy_id", (profile) => profile.id],
  ["custom_events_daily", ({ events }) => listed(events, daysOf)],
  ["purchases_daily", ({ purchases }) => listed(purchases, daysOf)],
  ["revenue_by_currency", ({ revenue }) => revenue.size === 0 ? undefined : objectOf(revenue, centsToNumber)],
  ["purchase_count", (profile) => profile.purchaseCount],
  ["updated_at", (profile) => iso(profile.updatedAt)],
];

const renderers = [...standard, ...extensions];

/** What is exported when nothing is named. */
export const exportFields: readonly string[] = standard.map(([name]) => name);

function plain(field: StandardField): readonly [string, Renderer] {
  return [field, ({ fields }) => fields.get(field)];
}

function coordinates(location: Json | undefined): Json | undefined {
  if (typeof location !== "object" || location === null || Array.isArray(location)) return undefined;
  const { longitude, latitude } = location as JsonObject;
  return longitude === undefined || latitude === undefined ? undefined : [longitude, latitude];
}

function withTimesAsText(value: Json | CustomValue): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withTimesAsText);
  return isTime(value) ? value.$time : objectOf<Json>(Object.entries(value), withTimesAsText);
}

function summaryOf(name: string, { first, last, count }: Summary): JsonObject {
  return { name, first: iso(first), last: iso(last), count };
}

/** Counts by day, oldest first: `{ "2026-01-31": 2 }`. */
function daysOf(name: string, { days }: Summary): JsonObject {
  const sorted = [...days].sort(([left], [right]) => left - right);
  return { name, days: Object.fromEntries(sorted.map(([day, count]) => [iso(day * dayMs).slice(0, "yyyy-mm-dd".length), count])) };
}

/** Each interaction as the date of its latest: `last_received`, `last_opened`; canvases use `last_received_message`. */
function received(engagements: ReadonlyMap<string, EngagementSummary>, channel: "campaign" | "canvas"): Json | undefined {
  const list: Json[] = [];
  for (const [key, { name, latest }] of engagements) {
    if (!key.startsWith(`${channel}:`)) continue;
    const dates = Array.from(latest, ([interaction, at]) => [dateName(channel, interaction), iso(at)] as const);
    list.push({ name, [`api_${channel}_id`]: key.slice(channel.length + 1), ...Object.fromEntries(dates) });
  }
  return list.length === 0 ? undefined : list;
}

function dateName(channel: string, interaction: string): string {
  return channel === "canvas" && interaction === "received" ? "last_received_message" : `last_${interaction}`;
}

function listed<Value>(map: ReadonlyMap<string, Value>, render: (name: string, value: Value) => Json): Json | undefined {
  return map.size === 0 ? undefined : Array.from(map, ([name, value]) => render(name, value));
}

/** An object with the entries as own properties: `fromEntries` defines them, so no name reaches a setter. */
function objectOf<Value>(entries: Iterable<readonly [string, Value]>, render: (value: Value) => Json): JsonObject {
  return Object.fromEntries(Array.from(entries, ([name, value]) => [name, render(value)]));
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
