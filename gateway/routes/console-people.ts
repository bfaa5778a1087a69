/** /console/people and /console/groups: users of the workspace in pages, the groups whose members are listed, and those a name of whom begins with a text, with what a list shows of a person. */
import { lowerAscii } from "../../platform/address.ts";
import type { Fields } from "../../platform/fields.ts";
import { limits } from "../../platform/limits.ts";
import { withoutEnds } from "../../platform/text-ends.ts";
import { type ListUsersRequest, NameKind, UserList } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { MembershipStatus } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { bodyFields, invalid, isSent } from "../decode/fields.ts";
import { readReply, success } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

const peoplePerPage = 50;

/** A POST, as a page of people is no address. */
export async function handleConsolePeople(call: Call, deps: Pick<Deps, "profile" | "subscription">): Promise<Reply> {
  const fields = bodyFields(call.body);
  const list = oneOf(fields, "list", lists) ?? UserList.UNSPECIFIED;
  const isOfGroup = typeof list === "object";
  if (!isOfGroup && isSent(fields["group_id"])) throw invalid("'group_id' goes with 'list' subscribed or unsubscribed");
  return isOfGroup
    ? await listMembers(call, deps, { groupId: textOf(fields, "group_id"), status: list.status, pageToken: pageTokenOf(fields) })
    : success(await pageOf(call, deps, { list, pageToken: pageTokenOf(fields), pageSize: peoplePerPage }));
}

type PageAsked = Partial<Pick<ListUsersRequest, "list" | "pageToken" | "pageSize" | "userIds">>;

async function pageOf(call: Call, { profile }: Pick<Deps, "profile">, asked: PageAsked): Promise<Record<string, unknown>> {
  const { currencyRates } = call.spent.permit.caller.holder.workspace;
  const { usersJson, nextPageToken, updatedAt } = await profile.listUsers({ scope: call.scope, currencyRates, ...asked }, call.reading);
  const users = usersJson.map((json, at) => ({ ...personOf(json), updated_at: new Date(Number(updatedAt[at] ?? 0n)).toISOString() }));
  return { users, ...(nextPageToken !== "" && { next_page_token: nextPageToken }) };
}

async function listMembers(
  call: Call,
  deps: Pick<Deps, "profile" | "subscription">,
  { groupId, ...asked }: { readonly groupId: string; readonly status: MembershipStatus; readonly pageToken: string },
): Promise<Reply> {
  const of = { scope: call.scope, subscriptionGroupId: groupId, ...asked };
  const { userIds, nextPageToken, lookedAt } = await deps.subscription.listMembers(of, call.reading);
  // No ids would be a page of all users
  const page = userIds.length === 0 ? { users: [] } : await pageOf(call, deps, { userIds });
  return success({ ...page, looked_at: lookedAt, ...(nextPageToken !== "" && { next_page_token: nextPageToken }) });
}

type List = UserList | { readonly status: MembershipStatus };

const lists: ReadonlyMap<string, List> = new Map<string, List>([
  ["oldest", UserList.UNSPECIFIED],
  ["newest", UserList.NEWEST],
  ["changed", UserList.CHANGED],
  ["blocked", UserList.BLOCKED],
  ["subscribed", { status: MembershipStatus.SUBSCRIBED }],
  ["unsubscribed", { status: MembershipStatus.UNSUBSCRIBED }],
]);

/** GET /console/groups: by their ids. */
export async function handleConsoleGroups(call: Call, { subscription }: Pick<Deps, "subscription">): Promise<Reply> {
  const { groups } = await subscription.listGroups({ scope: call.scope }, call.reading);
  return success({ groups: groups.map(({ id, name, archived }) => ({ id, name, archived })) });
}

/** POST /console/people/search. Without `by` the first few of each kind but aliases, which take a label. */
export async function handleConsolePeopleSearch(call: Call, { profile }: Pick<Deps, "profile">): Promise<Reply> {
  const fields = bodyFields(call.body);
  const by = oneOf(fields, "by", kinds);
  const text = textOf(fields, "starts_with");
  if (by === undefined && isSent(fields["page_token"])) throw invalid("'page_token' goes with 'by'");
  const aliasLabel = by === NameKind.ALIAS ? textOf(fields, "alias_label") : "";
  const pageSize = by === undefined ? limits.sharersShownMax : peoplePerPage;
  const asked = by === undefined ? [NameKind.EXTERNAL_ID, NameKind.EMAIL, NameKind.PHONE] : [by];
  const answers = await Promise.all(
    asked.map(async (kind) => {
      const prefix = prefixOf(kind, text);
      if (prefix === undefined) return { kind, names: [], nextPageToken: "", behind: false };
      const of = { scope: call.scope, kind, prefix, aliasLabel, pageSize, pageToken: pageTokenOf(fields) };
      return { kind, ...await profile.searchUsers(of, call.reading) };
    }),
  );
  const found = answers.flatMap(({ kind, names }) =>
    names.map(({ name, usersJson, count }) => ({ by: nameOfKind(kind), name, users: usersJson.map(personOf), count }))
  );
  const next = by === undefined ? "" : answers[0]?.nextPageToken ?? "";
  return readReply({ found, ...(next !== "" && { next_page_token: next }) }, { behind: answers.some(({ behind }) => behind) });
}

const kinds: ReadonlyMap<string, NameKind> = new Map([
  ["external_id", NameKind.EXTERNAL_ID],
  ["user_alias", NameKind.ALIAS],
  ["email", NameKind.EMAIL],
  ["phone", NameKind.PHONE],
]);

function nameOfKind(kind: NameKind): string {
  return [...kinds].find(([, number]) => number === kind)?.[0] ?? "";
}

/** As names of the kind are kept; undefined: none can begin so. */
function prefixOf(kind: NameKind, text: string): string | undefined {
  switch (kind) {
    case NameKind.EMAIL:
      return lowerAscii(withoutEnds(text, " \t"));
    case NameKind.PHONE: {
      const digits = text.replaceAll(/[\s().\-/]/g, "");
      return /^\+?\d+$/.test(digits) ? `+${digits.replace("+", "")}` : undefined;
    }
    default:
      return text;
  }
}

function oneOf<Value>(fields: Fields, name: string, values: ReadonlyMap<string, Value>): Value | undefined {
  const { [name]: sent } = fields;
  if (!isSent(sent)) return undefined;
  const value = typeof sent === "string" ? values.get(sent) : undefined;
  if (value === undefined) throw invalid(`'${name}' must be one of ${[...values.keys()].join(", ")}`);
  return value;
}

/** Not longer than any name can be. */
function textOf(fields: Fields, name: string): string {
  const { [name]: sent } = fields;
  if (typeof sent !== "string" || sent === "" || Buffer.byteLength(sent) > limits.externalIdBytesMax || !sent.isWellFormed()) {
    throw invalid(`'${name}' must be a text of 1 to ${limits.externalIdBytesMax} bytes`);
  }
  return sent;
}

function pageTokenOf({ page_token: sent }: Fields): string {
  if (!isSent(sent)) return "";
  if (typeof sent !== "string") throw invalid("'page_token' must be the next_page_token of an earlier page");
  return sent;
}

const listed = ["external_id", "user_aliases", "email", "phone", "first_name", "last_name", "created_at"] as const;

function personOf(json: Uint8Array): object {
  const profile = JSON.parse(Buffer.from(json).toString()) as Record<string, unknown>;
  return {
    platform_id: profile["braze_id"],
    ...Object.fromEntries(listed.filter((name) => isSent(profile[name])).map((name) => [name, profile[name]])),
    events: countOf(profile["custom_events"]),
    purchases: countOf(profile["purchases"]),
  };
}

function countOf(summaries: unknown): number {
  return Array.isArray(summaries) ? (summaries as { count: number }[]).reduce((sum, { count }) => sum + count, 0) : 0;
}
