/** Lists and searches users (RFC 7644 section 3.4.2): by an index where one answers, else by one bounded look through all. */
import { asList, type Fields, isFields, member } from "../../../platform/fields.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { type AttributePath, attributePath, lastOf, withValue } from "./attribute-path.ts";
import { quoted } from "./check-values.ts";
import { comparedText } from "./compared-value.ts";
import { matches, valuesAt } from "./evaluate-filter.ts";
import { lookUp, lookupsOf } from "./filter-lookup.ts";
import type { Filter } from "./filter.ts";
import type { ListMemory } from "./list-memory.ts";
import { parseFilter } from "./parse-filter.ts";
import type { ScimDeps } from "./ports.ts";
import type { Project } from "./project-user.ts";
import { presented, type Renderer } from "./render-user.ts";
import type { User } from "./user.ts";

export interface ListQuestion {
  readonly companyId: string;
  /** Empty: all users. */
  readonly filter: string;
  readonly startIndex: number;
  readonly count: number | undefined;
  readonly sortBy: string;
  readonly descending: boolean;
  readonly renderer: Renderer;
  readonly project: Project;
  /** What else the outcome of a filter depends on: the names that are declared, and the address that locations begin with. */
  readonly names: string;
  /** Aborts when the caller no longer waits for the answer. */
  readonly signal?: AbortSignal;
}

export interface ListAnswer {
  readonly totalResults: number;
  readonly startIndex: number;
  readonly usersJson: readonly string[];
}

/** Refuses FILTER_INVALID, INPUT_INVALID (sortBy), TOO_MANY_RESULTS, OVERLOADED. */
export async function listUsers(deps: ScimDeps & { readonly memory: ListMemory }, question: ListQuestion): Promise<ListAnswer> {
  const filter = question.filter === "" ? undefined : parseFilter(question.filter);
  const asked: Asked = {
    ...question,
    order: orderOf(question.sortBy, question.descending),
    first: Math.max(1, question.startIndex),
    limit: Math.min(Math.max(0, question.count ?? limits.scimPageDefault), limits.scimPageMax),
  };
  const found = await findPage(deps, asked, filter);
  const usersJson = found.users.map((user) => JSON.stringify(withoutSchemas(asked.project(presented(asked.renderer.resource(user))))));
  return { totalResults: found.total, startIndex: asked.first, usersJson };
}

interface Asked extends ListQuestion {
  readonly order: Order;
  readonly first: number;
  readonly limit: number;
}

interface Page {
  readonly total: number;
  readonly users: readonly User[];
}

type Deps = ScimDeps & { readonly memory: ListMemory };

async function findPage(deps: Deps, asked: Asked, filter: Filter | undefined): Promise<Page> {
  const lookups = filter && lookupsOf(filter);
  if (filter && lookups) return pageOfFew(asked, filter, await lookUp(deps.users, asked.companyId, lookups));
  return filter || asked.order.path ? await pageOfMatches(deps, asked, filter) : await pageOfAll(deps, asked);
}

/** Resources of a list have no `schemas` (specification, "GET /scim/v2/Users"). */
function withoutSchemas(resource: Fields): Fields {
  const { schemas: _, ...rest } = resource;
  return rest;
}

function pageOfFew({ renderer, order, first, limit }: Asked, filter: Filter, candidates: readonly User[]): Page {
  const fitting = candidates.filter((user) => matches(filter, renderer.resource(user)));
  const users = new Map(fitting.map((user) => [user.id, user]));
  const ranked = fitting.map((user) => rankedOf(user, renderer.resource(user), order)).sort(ranking(order.descending));
  const page = ranked.slice(first - 1, first - 1 + limit);
  return { total: fitting.length, users: page.flatMap(({ id }) => users.get(id) ?? []) };
}

function rankedOf(user: User, resource: Fields, { path }: Order): Ranked {
  return { id: user.id, key: user.userNameKey, value: path ? sortValue(resource, path) : user.userNameKey };
}

/** All users by name: the index gives the page; where it begins is known from the page before, or counted in the index. */
async function pageOfAll({ users, memory }: Deps, { companyId, order: { descending }, first, limit }: Asked): Promise<Page> {
  const { users: total, changes } = await users.census(companyId);
  if (first > total || limit === 0) return { total, users: [] };
  const list = JSON.stringify([companyId, changes, descending]);
  const anchor = memory.anchor(list, first - 1);
  const skipped = first - 1 - (anchor?.index ?? 0);
  const from = anchor === undefined ? { descending } : { descending, after: anchor.key };
  const after = skipped === 0 ? anchor?.key : await users.skip(companyId, { ...from, count: skipped });
  if (first > 1 && after === undefined) return { total, users: [] };
  const page = await users.page(companyId, { descending, limit, ...(after === undefined ? {} : { after }) });
  const last = page.at(-1);
  if (last) memory.remember(list, { index: first - 1 + page.length, key: last.userNameKey });
  return { total, users: page };
}

/** Looks through all users once; the pages that follow find the result remembered until the company changes. */
async function pageOfMatches(deps: Deps, asked: Asked, filter: Filter | undefined): Promise<Page> {
  const { companyId, first, limit, order } = asked;
  const { changes, users } = await deps.users.census(companyId);
  if (users > limits.scimScanUsersMax) {
    throw new Refusal("TOO_MANY_RESULTS", `More than ${limits.scimScanUsersMax} users can only be searched by id, userName or externalId`);
  }
  const list = JSON.stringify([companyId, changes, asked.filter, asked.sortBy, order.descending, asked.names]);
  const ids = await deps.memory.result({ companyId, list }, (stop) => lookThrough(deps, { ...asked, stop }, filter), asked.signal);
  const page = await Promise.all(ids.slice(first - 1, first - 1 + limit).map((id) => deps.users.byId(companyId, id)));
  return { total: ids.length, users: page.filter((user) => user !== undefined) };
}

/** Ends between two pages once no caller waits for it. */
async function lookThrough(
  deps: Deps,
  asked: Asked & { readonly stop: AbortSignal },
  filter: Filter | undefined,
): Promise<readonly string[]> {
  const { companyId, renderer, order, stop } = asked;
  const found: Ranked[] = [];
  let after: string | undefined;
  for (;;) {
    const start = { descending: false, limit: limits.scimScanPageUsers, ...(after === undefined ? {} : { after }) };
    const users = await deps.users.page(companyId, start);
    for (const user of users) {
      const resource = renderer.resource(user);
      if (!filter || matches(filter, resource)) found.push(rankedOf(user, resource, order));
    }
    after = users.at(-1)?.userNameKey;
    if (users.length < limits.scimScanPageUsers) break;
    await deps.pause();
    stop.throwIfAborted();
  }
  // By user name they are in order already
  if (order.path) found.sort(ranking(order.descending));
  else if (order.descending) found.reverse();
  return found.map(({ id }) => id);
}

interface Order {
  readonly descending: boolean;
  /** Absent: by user name, which an index has. */
  readonly path?: AttributePath;
}

/** Refuses INPUT_INVALID for what users cannot be sorted by. Without `sortBy` the order is ascending, by user name. */
function orderOf(sortBy: string, descending: boolean): Order {
  if (sortBy === "") return { descending: false };
  const named = attributePath(sortBy);
  const path = named && withValue(named);
  if (path === undefined) throw new Refusal("INPUT_INVALID", `Users cannot be sorted by '${quoted(sortBy)}'`);
  return path.length === 1 && path[0].isUserName ? { descending } : { descending, path };
}

/** What the user is sorted by: of several values the primary or the first (RFC 7644 section 3.4.2.3). */
function sortValue(resource: Fields, path: AttributePath): string {
  const [{ name }, second, ...rest] = path;
  const values = asList(member(resource, name));
  const chosen = values.find((value) => isFields(value) && member(value, "primary") === true) ?? values[0];
  const value = second && isFields(chosen) ? valuesAt(chosen, [second, ...rest])[0] : chosen;
  return value === undefined || value === null ? "" : comparedText(lastOf(path), "gt", String(value));
}

interface Ranked {
  readonly id: string;
  readonly key: string;
  readonly value: string;
}

/** Users without a value come last, or first in a descending list. */
function ranking(descending: boolean): (left: Ranked, right: Ranked) => number {
  const sign = descending ? -1 : 1;
  return (left, right) => sign * (byValue(left.value, right.value) || byText(left.key, right.key));
}

function byValue(left: string, right: string): number {
  if ((left === "") !== (right === "")) return left === "" ? 1 : -1;
  return byText(left, right);
}

function byText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
