/** The declaration: the one file format that says which companies, workspaces, keys and tokens there are. */
import { isCurrency } from "../../../platform/currency.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { withoutEnd } from "../../../platform/text-ends.ts";
import { type LimitName, limitNames } from "../limits-table.ts";
import type { Plan } from "../access.ts";
import { type DeclarationReader, type Place, type Problem, readDeclaration } from "./declaration-reader.ts";
import { isOrigin, readHolder, readItem, readOrigins, refuseTwice } from "./declaration-holders.ts";
import { pageFields, readPages } from "./declaration-pages.ts";
import { messageFields, readMessages } from "./declaration-translations.ts";
import type { Declaration, DeclaredCompany, DeclaredItem, DeclaredKey, DeclaredToken, DeclaredWorkspace } from "./declared.ts";
import { nearest } from "../nearest.ts";
import { everyPermission, permissionNames } from "../permissions.ts";
import { type DeclaredKind, declaredKinds } from "../rows.ts";

export type { Declaration } from "./declared.ts";

/** Reads YAML or JSON (`docs/declaration.md`). Refuses: INPUT_INVALID with every problem and its line, in `details.errors`. */
export function parseDeclaration(text: string): Declaration {
  const reader = readDeclaration(text);
  const declaration = reader.problems.length === 0 ? readCompanies(reader) : undefined;
  if (!declaration || reader.problems.length > 0) throw declarationRefusal(reader.problems);
  return declaration;
}

/** One refusal for all problems, in the order of their lines. */
export function declarationRefusal(problems: readonly Problem[]): Refusal {
  const sorted = [...problems].sort((a, b) => a.line - b.line);
  const listed = sorted.map((problem) => `line ${problem.line}: ${problem.text}`).join("\n");
  return new Refusal("INPUT_INVALID", listed, { errors: sorted });
}

function readCompanies(reader: DeclarationReader): Declaration {
  const fields = reader.fields(reader.root, ["companies"]);
  if (!fields.has("companies")) reader.refuse(reader.root, `the declaration has no "companies"`);
  const companies = reader.items(fields.get("companies")).map((place) => readCompany(reader, place));
  refuseTwice(reader, companies, { what: "company", by: (company) => company.name });
  refuseTwice(reader, companies, { what: "company id", by: (company) => company.id });
  const workspaces = companies.flatMap((company) => company.workspaces);
  refuseTwice(reader, workspaces, { what: "workspace id", by: (workspace) => workspace.id });
  const holders = companies.flatMap((company) => [...company.scimTokens, ...company.workspaces.flatMap((workspace) => workspace.apiKeys)]);
  refuseTwice(reader, holders, { what: "secret", by: (holder) => holder.secret, hidden: true });
  return { companies };
}

function readCompany(reader: DeclarationReader, place: Place): DeclaredCompany {
  const fields = reader.fields(place, ["name", "id", "onboardedAt", "limits", "scimTokens", "permissionSets", "workspaces"]);
  const scimTokens = reader.items(fields.get("scimTokens")).map((item) => readToken(reader, item));
  const workspaces = reader.items(fields.get("workspaces")).map((item) => readWorkspace(reader, item));
  refuseTwice(reader, scimTokens, { what: "SCIM token", by: (token) => token.name });
  refuseTwice(reader, workspaces, { what: "workspace", by: (workspace) => workspace.name });
  const onboardedAt = fields.get("onboardedAt");
  return {
    ...readItem(reader, place, fields),
    ...given("onboardedAt", onboardedAt && readDay(reader, onboardedAt)),
    ...given("limits", readLimits(reader, fields.get("limits"), "company")),
    scimTokens,
    permissionSets: readItems(reader, fields.get("permissionSets"), "permission_set"),
    workspaces,
  };
}

function readToken(reader: DeclarationReader, item: Place): DeclaredToken {
  const fields = reader.fields(item, ["name", "origin", "originHeader", "permissionsOnCreate", "defaultWorkspace", "secret", "ipAllow"]);
  const [origin, header, workspace] = [fields.get("origin"), fields.get("originHeader"), fields.get("defaultWorkspace")];
  const originHeader = header && readWord(reader, header, necessities);
  const permissions = fields.get("permissionsOnCreate");
  const permissionsOnCreate = permissions && readWord(reader, permissions, necessities);
  return {
    ...readHolder(reader, item, fields),
    ...given("origin", origin && readOrigin(reader, origin)),
    ...given("originHeader", originHeader as DeclaredToken["originHeader"]),
    ...given("permissionsOnCreate", permissionsOnCreate as DeclaredToken["permissionsOnCreate"]),
    ...given("defaultWorkspace", workspace && reader.text(workspace)),
  };
}

const necessities = ["required", "optional"];

function readOrigin(reader: DeclarationReader, place: Place): string | undefined {
  const origin = reader.text(place);
  if (origin === undefined || isOrigin(origin)) return origin;
  return reader.refuse(
    place,
    `"origin" must be 1 to ${limits.declaredNameCharsMax} printable ASCII characters, with no space at either end`,
  );
}

const workspaceFields = [
  "name",
  "id",
  "plan",
  "limits",
  "currencyRates",
  "apps",
  "corsOrigins",
  "apiKeys",
  "subscriptionGroups",
  "teams",
].concat(messageFields, pageFields);

function readWorkspace(reader: DeclarationReader, place: Place): DeclaredWorkspace {
  const fields = reader.fields(place, workspaceFields);
  const apps = reader.items(fields.get("apps")).map((item) => {
    const app = readItem(reader, item, reader.fields(item, ["id", "name"]));
    if (app.id === undefined) reader.refuse(item, `an app has no "id"`);
    return { line: app.line, id: app.id ?? "", name: app.name };
  });
  refuseTwice(reader, apps, { what: "app id", by: (app) => app.id });
  const plan = fields.get("plan");
  return {
    ...readItem(reader, place, fields),
    ...given("plan", plan && readPlan(reader, plan)),
    ...given("limits", readLimits(reader, fields.get("limits"), "workspace")),
    currencyRates: readRates(reader, fields.get("currencyRates")),
    apps: apps.map(({ id, name }) => ({ id, name })),
    ...given("corsOrigins", fields.get("corsOrigins") && readOrigins(reader, fields.get("corsOrigins"))),
    apiKeys: readKeys(reader, fields.get("apiKeys")),
    ...given("messages", readMessages(reader, fields)),
    ...given("pages", readPages(reader, fields)),
    items: [
      ...readItems(reader, fields.get("subscriptionGroups"), "subscription_group"),
      ...readItems(reader, fields.get("teams"), "team"),
    ],
  };
}

function readKeys(reader: DeclarationReader, place: Place | undefined): DeclaredKey[] {
  const keys = reader.items(place).map((item) => {
    const fields = reader.fields(item, ["name", "permissions", "secret", "ipAllow"]);
    if (!fields.has("permissions")) reader.refuse(item, `an API key has no "permissions"; write ["*"] for all`);
    const permissions = reader.items(fields.get("permissions")).map((permission) => readPermission(reader, permission));
    return { ...readHolder(reader, item, fields), permissions: permissions.filter((name) => name !== undefined) };
  });
  refuseTwice(reader, keys, { what: "API key", by: (key) => key.name });
  return keys;
}

function readPermission(reader: DeclarationReader, place: Place): string | undefined {
  const name = reader.text(place);
  return name === undefined ? undefined : readWord(reader, { ...place, name: "permission" }, [everyPermission, ...permissionNames]);
}

/** Things that other services own. */
function readItems(reader: DeclarationReader, place: Place | undefined, kind: DeclaredKind): DeclaredItem[] {
  const what = declaredKinds[kind];
  const isGroup = kind === "subscription_group";
  const found = reader.items(place).map((item): DeclaredItem => {
    const fields = reader.fields(item, ["id", "name", ...(isGroup ? ["channel"] : [])]);
    const { line, id, name } = readItem(reader, item, fields);
    return { line, kind, ...given("id", id), name, content: { name, ...(isGroup && { channel: readChannel(reader, item, fields) }) } };
  });
  refuseTwice(reader, found, { what: `${what} id`, by: (item) => item.id });
  refuseTwice(reader, found, { what, by: (item) => item.name });
  return found;
}

const channels = ["email", "sms", "whatsapp", "rcs", "line"];

function readChannel(reader: DeclarationReader, group: Place, fields: ReadonlyMap<string, Place>): string {
  const place = fields.get("channel");
  if (!place) reader.refuse(group, `a subscription group has no "channel"; it is one of ${channels.join(", ")}`);
  return (place && readWord(reader, place, channels)) ?? "";
}

function readPlan(reader: DeclarationReader, place: Place): Plan | undefined {
  const kinds = ["standard", "monthly_active_users"];
  const fields = reader.isMapping(place) ? reader.fields(place, ["kind", "requestsPerHour", "requestsPerSecondBurst"]) : undefined;
  const kindPlace = fields ? fields.get("kind") : place;
  if (!kindPlace) return reader.refuse(place, `a plan has no "kind"; it is one of ${kinds.join(", ")}`);
  const kind = readWord(reader, kindPlace, kinds);
  if (kind === undefined) return undefined;
  const perHour = fields?.get("requestsPerHour");
  const burst = fields?.get("requestsPerSecondBurst");
  if (kind === "standard") {
    const extra = perHour ?? burst;
    return extra ? reader.refuse(extra, `the standard plan has no "${extra.name}"`) : { kind: "standard" };
  }
  return {
    kind: "monthly_active_users",
    requestsPerHour: (perHour && readWhole(reader, perHour)) ?? limits.mauRequestsPerHourDefault,
    requestsPerSecondBurst: (burst && readWhole(reader, burst)) ?? limits.mauRequestsPerSecondBurstDefault,
  };
}

/** Requests in a limit's own window, by its name; undefined where the file says nothing of limits. */
function readLimits(
  reader: DeclarationReader,
  place: Place | undefined,
  scope: "workspace" | "company",
): Record<string, number> | undefined {
  if (!place) return undefined;
  const known = limitNames(scope);
  const found = [...reader.fields(place, known)].filter(([name]) => known.includes(name as LimitName));
  return Object.fromEntries(found.flatMap(([name, value]) => {
    const requests = readWhole(reader, value);
    return requests === undefined ? [] : [[name, requests]];
  }));
}

function readRates(reader: DeclarationReader, place: Place | undefined): Record<string, string> {
  const rates: [string, string][] = [];
  for (const [currency, rate] of place ? reader.entries(place) : []) {
    if (!isCurrency(currency)) reader.refuse(rate, `"${currency}" is not an ISO 4217 currency code`);
    if (currency === "USD") reader.refuse(rate, "rates are US dollars for one unit of the currency, so USD has none");
    const numeral = reader.numeral(rate);
    const [, whole, fraction = ""] = /^0*(\d{1,12})(?:\.(\d{1,12}))?$/.exec(numeral ?? "") ?? [];
    const decimal = withoutEnd(fraction, "0");
    if (whole === undefined || (/^0*$/.test(whole) && decimal === "")) {
      if (numeral !== undefined) reader.refuse(rate, `the rate of ${currency} must be a decimal number above 0, not "${numeral}"`);
    } else rates.push([currency, decimal === "" ? whole : `${whole}.${decimal}`]);
  }
  return Object.fromEntries(rates);
}

function readWhole(reader: DeclarationReader, place: Place): number | undefined {
  const numeral = reader.numeral(place);
  const value = Number(numeral);
  if (numeral === undefined || (Number.isInteger(value) && value >= 1 && value <= limits.planRequestsMax)) return value;
  return reader.refuse(place, `"${place.name}" must be a whole number from 1 to ${limits.planRequestsMax}, not "${numeral}"`);
}

function readDay(reader: DeclarationReader, place: Place): string | undefined {
  const day = reader.text(place);
  if (day === undefined) return undefined;
  const time = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  const real = Number.isFinite(time) && new Date(time).toISOString().startsWith(day);
  return real ? day : reader.refuse(place, `"${place.name}" must be a date as YYYY-MM-DD, not "${day}"`);
}

function readWord(reader: DeclarationReader, place: Place, words: readonly string[]): string | undefined {
  const word = reader.text(place);
  if (word === undefined || words.includes(word)) return word;
  const meant = nearest(word, words);
  return reader.refuse(
    place,
    `unknown ${place.name} "${word}"${meant ? `; did you mean "${meant}"?` : `; it is one of ${words.join(", ")}`}`,
  );
}

/** The field with its value, or nothing: an absent field stays absent. */
function given<Key extends string, T>(key: Key, value: T | undefined): { readonly [K in Key]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: T };
}
