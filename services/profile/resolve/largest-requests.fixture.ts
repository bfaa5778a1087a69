/** The largest requests of every route that writes: what waits for the resolver when clients send all that they may. */
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { checkTrack } from "../domain/track/check-track.ts";
import type { IdentityKey, Sharer, UserRow } from "../domain/identity/identity.ts";
import type { IntakeBody } from "../domain/record/intake-record.ts";
import type { UserSelector } from "../domain/record/user-key.ts";

interface LargeRequest {
  readonly body: IntakeBody;
  /** The answer that a repeat would get, in bytes. */
  readonly answerBytes: number;
}

/** Users who are there before, `sharersEach` of them for each of the addresses. */
const addresses = 40;
const sharersEach = 4_000;

function addressOf(at: number): string {
  return `shared${at}@b.org`;
}

function sharerId(address: number, at: number): string {
  return `f${address.toString(16).padStart(3, "0")}${at.toString(16).padStart(20, "0")}`;
}

/** The identity row of a user who was there before. */
export function rowBefore(key: IdentityKey): unknown {
  const id = /^u:(f[0-9a-f]{23})$/.exec(key)?.[1];
  if (id !== undefined) {
    const email = addressOf(Number.parseInt(id.slice(1, 4), 16));
    return { id, externalId: null, deprecatedIds: [], aliases: [], email, phone: null, merges: [] } satisfies UserRow;
  }
  const address = /^e:shared(\d+)@b\.org$/.exec(key)?.[1];
  if (address === undefined) return undefined;
  return Array.from({ length: sharersEach }, (_, at): Sharer => ({
    id: sharerId(Number(address), at),
    identified: false,
    updated: [0, 1],
  }));
}

type Kind = (at: number) => LargeRequest | "refused";

function longName(at: number | string, chars: number): string {
  return `${at} `.padEnd(chars, "ü");
}

function ids(at: number): string[] {
  return Array.from({ length: limits.itemsPerRequestMax }, (_, n) => `${at}.${n} `.padEnd(limits.externalIdBytesMax, "x"));
}

function named(id: string): UserSelector {
  return { key: { by: "externalId", id }, prioritization: [] };
}

/** Every route, by what its requests are called in the log; those of `/users/track` go through its check. */
export const kinds: Readonly<Record<string, Kind>> = {
  "track: objects as large as they may be stored": (at) => {
    const names = Array.from({ length: 14_000 }, (_, n) => [n.toString(36).padStart(8, "0"), "2020-01-01"]);
    return tracked({
      attributes: Array.from({ length: 11 }, (_, n) => ({ external_id: `wide ${at}.${n}`, ...Object.fromEntries(names) })),
    });
  },
  "track: objects of as many attributes as may be": (at) => {
    const names = Array.from({ length: limits.attributesPerObjectMax }, (_, n) => [n.toString(36).padStart(12, "0"), 1]);
    return tracked({ attributes: [1, 2, 3].map((n) => ({ external_id: `many ${at}.${n}`, ...Object.fromEntries(names) })) });
  },
  "track: tens of thousands of the smallest attributes": (at) => {
    const names = Array.from({ length: 2_000 }, (_, n) => [n.toString(36), 1]);
    return tracked({
      attributes: Array.from({ length: 75 }, (_, n) => ({ external_id: `small ${at}.${n}`, ...Object.fromEntries(names) })),
    });
  },
  "track: more than may be stored": (at) => {
    const names = Array.from({ length: 3_000 }, (_, n) => [n.toString(36), "2020-01-01"]);
    const all = Array.from({ length: 75 }, (_, n) => ({ external_id: `too small ${at}.${n}`, ...Object.fromEntries(names) }));
    return tracked({ attributes: all });
  },
  "track: events and purchases with all their properties": (at) => {
    const properties = { list: ["x".repeat(limits.propertiesBytesMax - 100)] };
    const each = { external_id: `props ${at}`, time: "2020-01-01", properties };
    return tracked({
      events: Array.from({ length: 75 }, () => ({ ...each, name: longName(at, 255) })),
      purchases: Array.from({ length: 75 }, () => ({ ...each, product_id: longName(at, 255), currency: "USD", price: 1 })),
    });
  },
  "track: devices, as many as objects may name": (at) => {
    const devices = Array.from({ length: limits.pushTokensPerObjectMax }, (_, n) => `${at}.${n} `.padEnd(limits.deviceIdBytesMax - 3, "x"));
    const attributes = Array.from({ length: 75 }, (_, n) => ({
      external_id: `owner ${n}`,
      push_tokens: devices.map((device) => ({ app_id: "a", token: "t", device_id: `${n} ${device}` })),
    }));
    return tracked({ attributes });
  },
  "bulk: a thousand users, and errors as long as they may be": (at) => {
    const bad = { [longName("name", 255)]: "x".repeat(256) };
    const attributes = Array.from(
      { length: limits.bulkObjectsMax },
      (_, n) => ({ external_id: `bulk ${at}.${n}`, ...(n > 0 && n % 2 === 0 && bad) }),
    );
    return tracked({ attributes });
  },
  "track: all groups of everybody who shares an address": (at) => {
    const groups = Array.from({ length: 20 }, (_, n) => ({
      subscription_group_id: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
      subscription_state: "subscribed",
    }));
    return tracked({ attributes: [{ email: addressOf(at % addresses), subscription_groups: groups }] });
  },
  "track: users of very many addresses that very many share": () =>
    tracked({ attributes: Array.from({ length: addresses }, (_, n) => ({ email: addressOf(n), first_name: longName(n, 200) })) }),
  "alias/new": (at) =>
    plain({
      type: "createAliases",
      aliases: ids(at).map((externalId, n) => ({ externalId, alias: { label: longName(n, 255), name: longName(at, 255) } })),
    }),
  "alias/update": (at) =>
    plain({
      type: "renameAliases",
      renames: ids(at).map((_, n) => ({ label: longName(n, 255), oldName: longName(at, 255), newName: longName(at + 1, 255) })),
    }, 20_000),
  "merge": (at) =>
    plain({
      type: "mergeUsers",
      jobId: `job_m${at}`,
      updates: ids(at).map((id, n) => ({ source: named(id), target: named(`bulk ${at}.${n}`) })),
    }),
  "identify": (at) =>
    plain({
      type: "identifyUsers",
      jobId: `job_i${at}`,
      identifications: ids(at).map((externalId, n) => ({
        user: { key: { by: "email", address: addressOf(n % addresses) }, prioritization: ["most_recently_updated"] },
        externalId,
      })),
    }),
  "merge/undo": (at) => plain({ type: "undoMerge", jobId: `job_m${at}`, index: 0 }),
  "delete": (at) => plain({ type: "deleteUsers", users: ids(at + 1).map(named) }, 60_000),
  "external_ids/rename": (at) => {
    const next = ids(at + 7);
    return plain({ type: "renameExternalIds", renames: ids(at).map((current, n) => ({ current, next: next[n] ?? "" })) }, 60_000);
  },
  "external_ids/remove": (at) => plain({ type: "removeExternalIds", externalIds: ids(at) }, 60_000),
  "subscription/status/set": (at) =>
    plain({
      type: "setMemberships",
      updates: [{
        groupId: "letter",
        state: "unsubscribed",
        externalIds: ids(at),
        emails: Array.from({ length: 10 }, (_, n) => addressOf((at + n) % addresses)),
        phones: Array.from({ length: 50 }, (_, n) => `+1415555${String(n).padStart(4, "0")}`),
        userIds: [],
      }],
    }),
  "email/status": (at) => plain({ type: "setEmailStatuses", emails: longEmails(at), status: "unsubscribed" }),
  "email/blocklist": (at) => plain({ type: "markEmails", emails: longEmails(at), mark: "blocklisted" }),
  "sms/invalid": (at) => plain({ type: "markPhones", phones: longEmails(at).map((_, n) => `+1415555${n}`), mark: "deactivated" }),
  "session report": (at) =>
    plain({
      type: "reportSession",
      user: { by: "externalId", id: ids(at)[0] ?? "" },
      appId: longName(at, 255),
      startedAt: 0,
      device: { deviceId: longName(at, 127), model: longName(at, 255), os: longName(at, 255) },
    }),
  "engagement report": (at) =>
    plain({
      type: "reportEngagement",
      user: { by: "externalId", id: ids(at)[0] ?? "" },
      channel: "canvas",
      messageId: longName(at, 255),
      name: longName(at, 255),
      interaction: "opened_email",
      at: 0,
    }),
};

function longEmails(at: number): string[] {
  return Array.from(
    { length: limits.itemsPerRequestMax },
    (_, n) => `${at}.${n}`.padEnd(64, "a") + `@${"b".repeat(60)}.${"c".repeat(60)}.org`,
  );
}

function plain(body: IntakeBody, answerBytes = 200): LargeRequest {
  return { body, answerBytes };
}

/** Through the check and the size that the edge takes; "refused" where the client would be refused. */
function tracked(
  body: { readonly attributes?: readonly object[]; readonly events?: readonly object[]; readonly purchases?: readonly object[] },
) {
  const sent = JSON.stringify(body);
  if (sent.length > limits.trackRequestBytesMax) {
    throw new Error(`Expected a body of at most ${limits.trackRequestBytesMax} bytes, got ${sent.length}`);
  }
  try {
    const { objects, errors } = checkTrack(JSON.parse(sent), { objectsPerArrayMax: 0, objectsMax: 0, objectsPerUserMax: 0 });
    return { body: { type: "track" as const, objects }, answerBytes: 200 + JSON.stringify(errors).length };
  } catch (error) {
    if (error instanceof Refusal) return "refused";
    throw error;
  }
}
