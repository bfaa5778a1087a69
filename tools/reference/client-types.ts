/** The types of the client, from the OpenAPI document: one entry a call, and the schemas by their names. */
import { limits } from "../../platform/limits.ts";
import { reasonsOf } from "../../gateway/openapi/reasons-of.ts";
import type { Entry } from "../../gateway/openapi/entries/entry.ts";
import type { Route } from "../../gateway/routing/route.ts";
import type { Schema } from "../../gateway/openapi/schemas/schema.ts";
import { takesIdempotencyKey } from "../../gateway/routing/scim-route.ts";

interface Source {
  readonly entries: readonly Entry[];
  readonly schemas: Readonly<Record<string, Schema>>;
  /** By the name of the route. */
  readonly routes: ReadonlyMap<string, Route>;
}

export function clientTypes({ entries, schemas, routes }: Source): string {
  const named = Object.entries(schemas).map(([name, schema]) =>
    `${doc(schema.description, "")}export type ${name} = ${typeOf(schema, "")};\n`
  );
  const reasons = new Map(entries.map((entry) => {
    const route = routes.get(entry.route);
    return [entry.operationId, route === undefined ? [] : reasonsOf(route, entry)];
  }));
  const calls = entries.map((entry) => callType(entry, writeKind(routes.get(entry.route)), reasons.get(entry.operationId) ?? []));
  const everyReason = [...new Set([...reasons.values()].flat())].toSorted();
  const texts = entries.map(({ operationId, route }) => `  ${operationId}: ${JSON.stringify(route)},`);
  const written = Map.groupBy(entries, ({ route }) => writeKind(routes.get(route)));
  function names(kind: WriteKind): string {
    return (written.get(kind) ?? []).map(({ operationId }) => `  ${JSON.stringify(operationId)},`).join("\n");
  }
  return `/** Generated from the OpenAPI document by \`npm run reference\`: every call of the API with what it takes and gives. */

${named.join("\n")}
/** Of X-Heddle-Reason: stable for ever, and more may come. */
export type Reason = ${everyReason.map((reason) => JSON.stringify(reason)).join(" | ")};

/** By the name of the call (operationId). */
export interface Calls {
${calls.join("\n")}
}

/** Method and path of each call. */
export const routes = {
${texts.join("\n")}
} as const satisfies Readonly<Record<keyof Calls, string>>;

/** Calls whose repeat needs an Idempotency-Key to have one effect. */
export const writes: ReadonlySet<keyof Calls> = new Set<keyof Calls>([
${names("keyed")}
]);

/** Writes whose answers are not kept: no Idempotency-Key makes them safe to repeat. */
export const unkeptWrites: ReadonlySet<keyof Calls> = new Set<keyof Calls>([
${names("unkept")}
]);

/** What one request may hold. */
export const batchLimits = ${JSON.stringify(batchLimits(routes))} as const;
`;
}

type WriteKind = "keyed" | "unkept";

/** Undefined for what does not write, and for what has one effect anyway. */
function writeKind(route: Route | undefined): WriteKind | undefined {
  if (route?.guard === "scim") return takesIdempotencyKey(route) ? "keyed" : undefined;
  if (route?.guard !== "key" || route.takes === "read") return undefined;
  return route.keepsAnswers === false ? "unkept" : "keyed";
}

function batchLimits(routes: ReadonlyMap<string, Route>): unknown {
  const route = routes.get("POST /users/track");
  return {
    trackUsers: {
      objectsPerArray: limits.trackObjectsPerArrayMax,
      objectsOfSmallPlans: limits.trackObjectsCombinedMauMax,
      bytes: route === undefined || route.guard === "open" ? 0 : route.bodyBytesMax,
    },
  };
}

function callType(entry: Entry, write: WriteKind | undefined, reasons: readonly string[]): string {
  const parameters = entry.parameters ?? [];
  const members = (["path", "query", "header"] as const).flatMap((where) => {
    const of = parameters.filter((parameter) => parameter.in === where);
    if (of.length === 0) return [];
    const required = of.filter((parameter) => parameter.required).map(({ name }) => name);
    const properties = Object.fromEntries(of.map(({ name, schema }) => [name, sendable(schema)]));
    const names = { path: "path", query: "query", header: "headers" } as const;
    const optional = required.length === 0 ? "?" : "";
    return [
      `    readonly ${names[where]}${optional}: ${typeOf({ type: "object", properties, required, additionalProperties: false }, "    ")};`,
    ];
  });
  if (entry.body) members.push(`    readonly body: ${entry.bodyType ? "string" : typeOf(entry.body, "    ")};`);
  members.push(`    readonly answer: ${answerType(entry)};`);
  members.push(`    readonly reason: ${reasons.map((reason) => JSON.stringify(reason)).join(" | ")};`);
  return `${
    doc(`${entry.route}: ${entry.summary}.${write === undefined ? "" : writeNotes[write]}`, "  ")
  }  readonly ${entry.operationId}: {\n${members.join("\n")}\n  };`;
}

const writeNotes = { keyed: " A write.", unkept: " A write, and not repeated where it may have been done." };

function answerType({ answer, answerType }: Entry): string {
  if (!answer) return "undefined";
  return answerType === undefined ? typeOf(answer, "    ") : "string";
}

/** A list in a query may also be one value. */
function sendable(schema: Schema): Schema {
  return schema.type === "array" && schema.items ? { anyOf: [schema.items, schema] } : schema;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "unknown";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map((each) => typeOf(each, indent)).join(" | ");
  if (schema.allOf) return schema.allOf.map((each) => typeOf(each, indent)).join(" & ");
  const types = schema.type === undefined ? [] : [schema.type].flat();
  return types.length === 0 ? "unknown" : types.map((type) => typeNamed(type, schema, indent)).join(" | ");
}

function typeNamed(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case "integer":
    case "number":
      return "number";
    case "array":
      if (schema.prefixItems) return `readonly [${schema.prefixItems.map((each) => typeOf(each, indent)).join(", ")}]`;
      return listOf(typeOf(schema.items ?? {}, indent));
    case "object":
      return objectType(schema, indent);
    default:
      return type;
  }
}

function listOf(type: string): string {
  return /^\w+$/.test(type) ? `readonly ${type}[]` : `readonly (${type})[]`;
}

function objectType(schema: Schema, indent: string): string {
  const inner = `${indent}  `;
  const required = new Set(schema.required ?? []);
  const members = Object.entries(schema.properties ?? {}).map(([name, of]) =>
    `${doc(of.description, inner)}${inner}readonly ${/^[\w$]+$/.test(name) ? name : JSON.stringify(name)}${
      required.has(name) ? "" : "?"
    }: ${typeOf(of, inner)};`
  );
  const more = schema.additionalProperties;
  if (more === true || (more === undefined && members.length === 0)) members.push(`${inner}readonly [name: string]: unknown;`);
  if (typeof more === "object") members.push(`${inner}readonly [name: string]: ${typeOf(more, inner)};`);
  return members.length === 0 ? "Record<string, never>" : `{\n${members.join("\n")}\n${indent}}`;
}

function doc(description: string | undefined, indent: string): string {
  return description === undefined ? "" : `${indent}/** ${description.replaceAll("*/", "* /")} */\n`;
}
