/** Which users a filter can mean at most, where an index answers that; else all have to be looked at. */
import { lastOf } from "./attribute-path.ts";
import type { Compare, Filter } from "./filter.ts";
import type { Users } from "./ports.ts";
import type { User } from "./user.ts";

export interface Lookup {
  readonly by: "id" | "userName" | "externalId";
  readonly value: string;
}

/** Undefined: no index helps. What the lookups find still has to fit the filter. */
export function lookupsOf(filter: Filter): readonly Lookup[] | undefined {
  if (filter.kind === "compare") return lookupOf(filter);
  // One part of an "and" that an index answers is enough
  if (filter.kind === "and") return filter.parts.map(lookupsOf).find((found) => found !== undefined);
  if (filter.kind !== "or") return undefined;
  const parts = filter.parts.map(lookupsOf);
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}

function lookupOf({ path, operator, value }: Compare): readonly Lookup[] | undefined {
  const { name } = lastOf(path);
  if (path.length !== 1 || operator !== "eq" || typeof value !== "string") return undefined;
  return name === "id" || name === "userName" || name === "externalId" ? [{ by: name, value }] : undefined;
}

/** Each user once. */
export async function lookUp(users: Users, companyId: string, lookups: readonly Lookup[]): Promise<readonly User[]> {
  const found = await Promise.all(lookups.map((lookup) => lookUpOne(users, companyId, lookup)));
  return [...new Map(found.flat().map((user) => [user.id, user])).values()];
}

async function lookUpOne(users: Users, companyId: string, { by, value }: Lookup): Promise<readonly User[]> {
  if (by === "externalId") return await users.byExternalId(companyId, value);
  const user = by === "id" ? await users.byId(companyId, value) : await users.byUserName(companyId, value);
  return user ? [user] : [];
}
