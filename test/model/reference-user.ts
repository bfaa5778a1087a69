/** The reference's user: raw events and purchases, so that every summary is counted and never kept. */

export type Key =
  | { by: "externalId"; id: string }
  | { by: "alias"; label: string; name: string }
  | { by: "platformId"; id: string }
  | { by: "email"; id: string }
  | { by: "phone"; id: string };

export type Rule = "identified" | "unidentified" | "most_recently_updated" | "least_recently_updated";

export interface Selector {
  readonly key: Key;
  readonly prioritization: readonly Rule[];
}

export interface MergeRequest {
  /** Unique in the history. */
  readonly id: string;
  readonly source: Selector;
  readonly target: Selector;
}

/** What the player sends to `/report/session` and `/report/engagement`. */
export type Report =
  | { readonly kind: "session"; readonly user: Key; readonly appId: string; readonly time: number; readonly deviceId: string }
  | { readonly kind: "engagement"; readonly user: Key; readonly campaignId: string; readonly interaction: string; readonly time: number };

export interface ModelUser {
  externalId: string | null;
  deprecated: string[];
  /** Label to name. */
  aliases: Map<string, string>;
  email: string | null;
  phone: string | null;
  /** The unique names that mean this user. */
  names: Set<string>;
  fields: Map<string, unknown>;
  custom: Map<string, unknown>;
  events: { name: string; time: number }[];
  purchases: { productId: string; cents: bigint; quantity: number; time: number }[];
  reports: Report[];
  /** Rises with every request that touched the user. */
  turn: number;
}

export function newUser(): ModelUser {
  return {
    externalId: null,
    deprecated: [],
    aliases: new Map(),
    email: null,
    phone: null,
    names: new Set(),
    fields: new Map(),
    custom: new Map(),
    events: [],
    purchases: [],
    reports: [],
    turn: 0,
  };
}

export function nameOf(key: Key): string {
  return key.by === "alias" ? `alias ${key.label}\0${key.name}` : `${key.by} ${key.id}`;
}

export function addressOf(user: ModelUser, by: "email" | "phone"): string | null {
  return by === "email" ? user.email : user.phone;
}

/** The user as `/users/export/ids` shows it, without what chance or the clock decides (ids, created_at, random_bucket). */
export function exported(user: ModelUser): Record<string, unknown> {
  const cents = user.purchases.reduce((sum, purchase) => sum + purchase.cents, 0n);
  return withoutEmpty({
    external_id: user.externalId,
    user_aliases: [...user.aliases].map(([label, name]) => ({ alias_label: label, alias_name: name }))
      .toSorted((a, b) => a.alias_label < b.alias_label ? -1 : 1),
    email: user.email,
    phone: user.phone,
    ...Object.fromEntries(user.fields),
    total_revenue: Number(cents) / 100,
    custom_attributes: user.custom.size > 0 ? Object.fromEntries([...user.custom].toSorted(byName)) : undefined,
    custom_events: summaries(user.events.map((event) => ({ name: event.name, time: event.time, count: 1 }))),
    ...reported(user.reports),
    purchases: summaries(user.purchases.map((purchase) => ({ name: purchase.productId, time: purchase.time, count: purchase.quantity }))),
  });
}

/** Session dates, apps, devices and campaigns: the earliest and the latest of each, sessions counted. */
function reported(reports: readonly Report[]): Record<string, unknown> {
  const sessions = reports.filter((report) => report.kind === "session");
  const engagements = reports.filter((report) => report.kind === "engagement");
  const times = sessions.map((session) => session.time);
  return {
    date_of_first_session: times.length > 0 ? iso(Math.min(...times)) : undefined,
    date_of_last_session: times.length > 0 ? iso(Math.max(...times)) : undefined,
    apps: grouped(sessions, (session) => session.appId, (app_id, own) => ({
      app_id,
      sessions: own.length,
      first_used: iso(Math.min(...own.map((session) => session.time))),
      last_used: iso(Math.max(...own.map((session) => session.time))),
    })),
    devices: grouped(sessions, (session) => session.deviceId, (device_id, own) => ({
      device_id,
      model: "m",
      os: "o",
      last_seen: iso(Math.max(...own.map((session) => session.time))),
    })),
    campaigns_received: grouped(engagements, (engagement) => engagement.campaignId, (api_campaign_id, own) => ({
      api_campaign_id,
      name: "News",
      ...Object.fromEntries(
        own.toSorted((a, b) => a.time - b.time).map((engagement) => [`last_${engagement.interaction}`, iso(engagement.time)]),
      ),
    })),
  };
}

function grouped<T>(list: readonly T[], by: (item: T) => string, render: (name: string, own: T[]) => unknown): unknown[] | undefined {
  const names = [...new Set(list.map(by))].toSorted();
  return names.length > 0 ? names.map((name) => render(name, list.filter((item) => by(item) === name))) : undefined;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function summaries(entries: readonly { name: string; time: number; count: number }[]): unknown[] | undefined {
  const names = [...new Set(entries.map((entry) => entry.name))].toSorted();
  const list = names.map((name) => {
    const own = entries.filter((entry) => entry.name === name);
    const times = own.map((entry) => entry.time);
    return {
      name,
      first: new Date(Math.min(...times)).toISOString(),
      last: new Date(Math.max(...times)).toISOString(),
      count: own.reduce((sum, entry) => sum + entry.count, 0),
    };
  });
  return list.length > 0 ? list : undefined;
}

function byName(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1;
}

function withoutEmpty(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== undefined));
}
