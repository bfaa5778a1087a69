/** GET /scim/v2/Users and POST /scim/v2/Users/.search (also /scim/v2/.search): lists and searches dashboard users. */
import type { Client } from "@connectrpc/connect";
import { lowerAscii } from "../../platform/address.ts";
import { checkSchemas, type Fields } from "../../platform/fields.ts";
import { Refusal } from "../../platform/refusal.ts";
import type { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { bodyFields, invalid, isSent } from "../decode/fields.ts";
import type { ScimCall, ScimReply } from "../routing/scim-route.ts";
import { projectionOf } from "./scim-reply.ts";

type Lister = Pick<Client<typeof ScimService>, "listUsers">;

export async function handleScimUsersList(call: ScimCall, scim: Lister): Promise<ScimReply> {
  const { query } = call;
  const count = wholeOf(query.get("count"), "count");
  return await list(call, scim, {
    filter: filterOf(query.get("filter")),
    startIndex: wholeOf(query.get("startIndex"), "startIndex") ?? 1,
    ...(count === undefined ? {} : { count }),
    sortBy: query.get("sortBy")?.trim() ?? "",
    descending: isDescending(query.get("sortOrder")),
    projection: projectionOf(query),
  });
}

const searchSchema = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";

/** RFC 7644 section 3.4.3: the same question in a body, where it stands in no log of a proxy. */
export async function handleScimUsersSearch(call: ScimCall, scim: Lister): Promise<ScimReply> {
  const fields = searchFields(call.body);
  checkSchemas(fields, searchSchema);
  const count = numberOf(fields, "count");
  return await list(call, scim, {
    filter: filterOf(textOf(fields, "filter")),
    startIndex: numberOf(fields, "startIndex") ?? 1,
    ...(count === undefined ? {} : { count }),
    sortBy: textOf(fields, "sortBy")?.trim() ?? "",
    descending: isDescending(textOf(fields, "sortOrder")),
    projection: { attributes: textsOf(fields, "attributes"), excludedAttributes: textsOf(fields, "excludedAttributes") },
  });
}

/** Names in lower case, as they count in any (RFC 7643 section 2.1): with a filter that went unread the answer would be all users. */
function searchFields(body: Uint8Array): Fields {
  const members = Object.entries(bodyFields(body)).map(([name, value]) => [lowerAscii(name), value] as const);
  const fields = Object.fromEntries(members);
  if (Object.keys(fields).length < members.length) throw invalid("The body names a member twice");
  return fields;
}

type Question = Omit<NonNullable<Parameters<Lister["listUsers"]>[0]>, "scope" | "directory" | "$typeName">;

async function list(call: ScimCall, scim: Lister, question: Question): Promise<ScimReply> {
  const { scope, directory } = call;
  const { totalResults, startIndex, usersJson } = await scim.listUsers({ scope, directory, ...question }, call.reading);
  const head = JSON.stringify({
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults,
    startIndex,
    itemsPerPage: usersJson.length,
  });
  const users = usersJson.map((user) => Buffer.from(user).toString()).join(",");
  return { status: 200, body: `${head.slice(0, -1)},"Resources":[${users}]}`, headers: [], logged: false };
}

/** An empty filter would mean all users: it is refused, not taken for none. */
function filterOf(text: string | null | undefined): string {
  if (text === null || text === undefined) return "";
  if (text.trim() === "") throw new Refusal("FILTER_INVALID", "The filter is empty");
  return text;
}

function isDescending(order: string | null | undefined): boolean {
  const word = order?.trim().toLowerCase() ?? "ascending";
  if (word !== "ascending" && word !== "descending") throw invalid("'sortOrder' must be ascending or descending");
  return word === "descending";
}

const wholeMax = 2 ** 31 - 1;

/** Out of reach is as good as far away: pages there are empty. */
function wholeOf(text: string | null, name: string): number | undefined {
  if (text === null || text === "") return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw invalid(`'${name}' must be a whole number`);
  return Math.max(-wholeMax, Math.min(wholeMax, Number(text)));
}

function numberOf(fields: Fields, name: string): number | undefined {
  const value = fields[lowerAscii(name)];
  if (!isSent(value)) return undefined;
  if (!Number.isInteger(value)) throw invalid(`'${name}' must be a whole number`);
  return wholeOf(BigInt(value as number).toString(), name);
}

function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[lowerAscii(name)];
  if (!isSent(value)) return undefined;
  if (typeof value !== "string") throw invalid(`'${name}' must be a text`);
  return value;
}

function textsOf(fields: Fields, name: string): string[] {
  const value = fields[lowerAscii(name)];
  if (!isSent(value)) return [];
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string")) throw invalid(`'${name}' must be an array of texts`);
  return value;
}
