/** POST /console/users: a user by any identifier, with the request that set each field, merges, and the history of consent, checked. */
import { Refusal } from "../../platform/refusal.ts";
import type { LedgerDamage, LedgerEntry } from "../../proto/gen/heddle/consent/v1/ledger_pb.ts";
import type { UserKey } from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import type { DroppedObjects, InspectedUser, RequestOrigin } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { bodyFields, invalid } from "../decode/fields.ts";
import { keyOf, userKeyOf } from "../decode/identifiers.ts";
import { readReply } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

type RouteDeps = Pick<Deps, "profile" | "subscription" | "messagingStatus" | "console">;

/** An address may name several users; no user is an empty list. */
export async function handleConsoleUsers(call: Call, deps: RouteDeps): Promise<Reply> {
  const { holder } = call.spent.permit.caller;
  const { sides_of: sidesOf = "", ...fields } = bodyFields(call.body);
  if (typeof sidesOf !== "string") throw invalid("'sides_of' must be the merge_id of a merge");
  const user = userKeyOf(fields, ["external_id", "user_alias", "platform_id", "email", "phone"]);
  const { currencyRates } = holder.workspace;
  const response = await deps.profile.inspectUsers({ scope: call.scope, user, currencyRates, sidesOf }, call.reading);
  const names: Names = {
    groups: deps.console.groups(holder),
    keys: new Map(deps.console.keys.list(holder).map(({ id, name }) => [id, name])),
  };
  const histories = await Promise.all(response.users.map((found) => historyOf(deps, call, found)));
  const users = response.users.map((found, at) => userOf(found, names, histories[at]));
  return readReply({ users }, { behind: response.behind || histories.some((history) => history?.behind) });
}

/** What a person calls a group or a key, by its id. */
interface Names {
  readonly groups: ReadonlyMap<string, string>;
  readonly keys: ReadonlyMap<string, string>;
}

function userOf(found: InspectedUser, names: Names, history: History | undefined): object {
  const profile = jsonOf(found.profileJson);
  const custom = (profile["custom_attributes"] ?? {}) as Record<string, unknown>;
  return {
    platform_id: found.userId,
    created_at: iso(found.createdAt),
    updated_at: iso(found.updatedAt),
    held: found.held,
    ...(found.dropped && { dropped: droppedOf(found.dropped, names) }),
    profile,
    fields: found.fields.map(({ name, custom: isCustom, origin }) => ({
      name,
      custom: isCustom,
      value: isCustom ? own(custom, name) : own(profile, name),
      ...(origin && { set_by: originOf(origin, names) }),
    })),
    merges: found.merges.map(({ mergeId, sourceId, at, origin, jobId, index, undoUntil, blocked, sourceJson, targetJson }) => ({
      merge_id: mergeId,
      source_platform_id: sourceId,
      time: iso(at),
      ...(jobId !== "" && { undo: { job_id: jobId, index, until: iso(undoUntil), ...(blocked !== "" && { blocked }) } }),
      ...(origin && { asked_by: originOf(origin, names) }),
      ...(sourceJson.length > 0 && { sides: { source: jsonOf(sourceJson), target: jsonOf(targetJson) } }),
    })),
    undone_merges: found.undone.map(({ mergeId, otherId, wasSource, at, origin }) => ({
      merge_id: mergeId,
      other_platform_id: otherId,
      was: wasSource ? "source" : "target",
      time: iso(at),
      ...(origin && { asked_by: originOf(origin, names) }),
    })),
    days: found.days.map(({ day, events, purchases }) => ({
      date: iso(BigInt(day) * dayMs).slice(0, dateChars),
      events: Number(events),
      purchases: Number(purchases),
    })),
    ...(history && { consent: history.entries.map((entry) => entryOf(entry, names)) }),
    ...(history && history.chains > 0 && { consent_chains: { checked: history.chains, damage: history.damage.map(damageOf) } }),
  };
}

const dayMs = 86_400_000n;
const dateChars = "2026-01-01".length;

function droppedOf({ count, last }: DroppedObjects, names: Names): object {
  return { count: Number(count), ...(last && { last: originOf(last, names) }) };
}

function own(of: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}

function originOf({ sequence, requestId, actor, receivedAt, what }: RequestOrigin, names: Names): object {
  const place = { position: Number(sequence) };
  return requestId === "" ? place : { ...place, request_id: requestId, ...actorOf(actor, names), time: iso(receivedAt), what };
}

function actorOf(actor: string, { keys }: Names): object {
  const name = keys.get(actor);
  return { actor, ...(name !== undefined && { actor_name: name }) };
}

function entryOf({ index, subject, what, kind, before, after, at, actor, requestId, hash }: LedgerEntry, names: Names): object {
  const name = names.groups.get(what);
  return {
    index,
    subject,
    what,
    ...(name !== undefined && { name }),
    kind,
    before: before ?? null,
    after: after ?? null,
    time: iso(at),
    ...actorOf(actor, names),
    request_id: requestId,
    hash,
  };
}

function damageOf({ subject, index, reason }: LedgerDamage): object {
  return { subject, index, reason };
}

interface History {
  readonly entries: readonly LedgerEntry[];
  readonly damage: readonly LedgerDamage[];
  /** How many were checked; 0: not all of them. */
  readonly chains: number;
  readonly behind: boolean;
}

/** Of the user's groups and of its addresses; undefined where a part that owns it does not answer. */
async function historyOf(deps: RouteDeps, { scope, reading }: Call, found: InspectedUser): Promise<History | undefined> {
  const profile = jsonOf(found.profileJson);
  const addresses = [profile["email"], profile["phone"]].filter((address) => typeof address === "string");
  const name = keyFor(profile);
  try {
    const [groups, status] = await Promise.all([
      name === undefined ? undefined : deps.subscription.getHistory({ scope, users: [name] }, reading),
      addresses.length === 0 ? undefined : deps.messagingStatus.getHistory({ scope, addresses }, reading),
    ]);
    const answers = [groups, status].filter((answer) => answer !== undefined);
    return {
      entries: answers.flatMap(({ entries }) => entries).toSorted((a, b) => Number(a.at - b.at)),
      damage: answers.flatMap(({ damage }) => damage),
      chains: answers.every(({ chains }) => chains > 0) ? answers.reduce((sum, { chains }) => sum + chains, 0) : 0,
      behind: answers.some(({ behind }) => behind),
    };
  } catch (error) {
    // Nobody waits for the answer of a read that was stopped: that is for the edge to tell
    if (error instanceof Refusal && reading.signal?.aborted !== true) return undefined;
    throw error;
  }
}

/** By a name that the service of groups takes. */
function keyFor({ external_id: externalId, email, phone }: Record<string, unknown>): UserKey | undefined {
  if (typeof externalId === "string") return keyOf({ case: "externalId", value: externalId });
  if (typeof email === "string") return keyOf({ case: "email", value: email });
  return typeof phone === "string" ? keyOf({ case: "phone", value: phone }) : undefined;
}

function jsonOf(bytes: Uint8Array): Record<string, unknown> {
  return JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;
}

function iso(ms: bigint): string {
  return new Date(Number(ms)).toISOString();
}
