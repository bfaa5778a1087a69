/** POST /console/users: a user by any identifier, with the request that set each field, merges, and the history of consent. */
import { Refusal } from "../../platform/refusal.ts";
import type { LedgerEntry } from "../../proto/gen/heddle/consent/v1/ledger_pb.ts";
import type { UserKey } from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import type { DroppedObjects, InspectedUser, RequestOrigin } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { bodyFields } from "../decode/fields.ts";
import { keyOf, userKeyOf } from "../decode/identifiers.ts";
import { readHeaders } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

type Asked = Pick<Parts, "profile" | "subscription" | "messagingStatus" | "console">;

/** An address may name several users; nobody is an empty list. */
export async function handleConsoleUsers(call: Call, parts: Asked): Promise<Reply> {
  const user = userKeyOf(bodyFields(call.body), ["external_id", "user_alias", "platform_id", "email", "phone"]);
  const { currencyRates } = call.spent.permit.caller.holder.workspace;
  const response = await parts.profile.inspectUsers({ scope: call.scope, user, currencyRates }, call.reading);
  const groups = parts.console.groups(call.spent.permit.caller.holder);
  const users = await Promise.all(
    response.users.map(async (found) => userOf(found, (await historyOf(parts, call, found))?.map(entryOf(groups)))),
  );
  return { body: JSON.stringify({ users, message: "success" }), headers: readHeaders(response.behind) };
}

function userOf(found: InspectedUser, consent: readonly object[] | undefined): object {
  const profile = JSON.parse(Buffer.from(found.profileJson).toString()) as Record<string, unknown>;
  const custom = (profile["custom_attributes"] ?? {}) as Record<string, unknown>;
  return {
    platform_id: found.userId,
    created_at: iso(found.createdAt),
    updated_at: iso(found.updatedAt),
    held: found.held,
    ...(found.dropped && { dropped: droppedOf(found.dropped) }),
    profile,
    fields: found.fields.map(({ name, custom: isCustom, origin }) => ({
      name,
      custom: isCustom,
      value: isCustom ? own(custom, name) : own(profile, name),
      ...(origin && { set_by: originOf(origin) }),
    })),
    merges: found.merges.map(({ mergeId, sourceId, at, origin, jobId, index, undoUntil, blocked }) => ({
      merge_id: mergeId,
      source_platform_id: sourceId,
      time: iso(at),
      ...(jobId !== "" && { undo: { job_id: jobId, index, until: iso(undoUntil), ...(blocked !== "" && { blocked }) } }),
      ...(origin && { asked_by: originOf(origin) }),
    })),
    ...(consent !== undefined && { consent }),
  };
}

function droppedOf({ count, last }: DroppedObjects): object {
  return { count: Number(count), ...(last && { last: originOf(last) }) };
}

function own(of: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}

function originOf({ sequence, requestId, actor, receivedAt, what }: RequestOrigin): object {
  const place = { position: Number(sequence) };
  return requestId === "" ? place : { ...place, request_id: requestId, actor, time: iso(receivedAt), what };
}

/** A group has its declared name beside its id. */
function entryOf(groups: ReadonlyMap<string, string>): (entry: LedgerEntry) => object {
  return ({ subject, what, kind, before, after, at, actor, requestId }) => {
    const name = groups.get(what);
    const told = { subject, what, ...(name !== undefined && { name }), kind };
    return { ...told, before: before ?? null, after: after ?? null, time: iso(at), actor, request_id: requestId };
  };
}

/** Of the user's groups and of its addresses; undefined where the parts that own consent are not there. */
async function historyOf(parts: Asked, { scope, reading }: Call, found: InspectedUser): Promise<readonly LedgerEntry[] | undefined> {
  const profile = JSON.parse(Buffer.from(found.profileJson).toString()) as Record<string, unknown>;
  const addresses = [profile["email"], profile["phone"]].filter((address) => typeof address === "string");
  const name = keyFor(profile);
  try {
    const [groups, status] = await Promise.all([
      name === undefined ? undefined : parts.subscription.getHistory({ scope, users: [name] }, reading),
      addresses.length === 0 ? undefined : parts.messagingStatus.getHistory({ scope, addresses }, reading),
    ]);
    return [...groups?.entries ?? [], ...status?.entries ?? []].toSorted((a, b) => Number(a.at - b.at));
  } catch (error) {
    if (error instanceof Refusal && error.reason === "NOT_IMPLEMENTED") return undefined;
    throw error;
  }
}

/** By a name that the service of groups takes. */
function keyFor({ external_id: externalId, email, phone }: Record<string, unknown>): UserKey | undefined {
  if (typeof externalId === "string") return keyOf({ case: "externalId", value: externalId });
  if (typeof email === "string") return keyOf({ case: "email", value: email });
  return typeof phone === "string" ? keyOf({ case: "phone", value: phone }) : undefined;
}

function iso(ms: bigint): string {
  return new Date(Number(ms)).toISOString();
}
