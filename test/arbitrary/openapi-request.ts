/** Requests made of what the OpenAPI document says of a route: as it is described, a little wrong, and no JSON at all. */
import * as fc from "fast-check";
import { schemas } from "../../gateway/openapi/entries.ts";
import type { Entry } from "../../gateway/openapi/entries/entry.ts";
import type { Schema } from "../../gateway/openapi/schemas/schema.ts";

export interface FuzzRequest {
  /** With its query, percent-encoded. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

const depthMax = 5;
const group = "11111111-1111-4111-8111-111111111111";
/** Values that mean something here. */
const meaningful = `ann ben crm ${group} 33333333-3333-4333-8333-333333333333 5eea769d45bb2e1467418f92 ann@example.com +12125550123
2026-11-20T10:00:00Z 2026-11-20 USD subscribed unsubscribed opted_in identified unidentified es-MX
urn:ietf:params:scim:schemas:core:2.0:User`.split(/\s/);
/** And those that break programs elsewhere. */
const hostile = [
  "",
  " ",
  "\u0000",
  "\ud800",
  "\u202e",
  "😀",
  "a".repeat(300),
  "a".repeat(1_100),
  'userName eq "a"',
  "userName eq",
  "{% if %}",
]
  .concat("__proto__ constructor null -1 1e999 %00 ../.. (((( <form> {{".split(" "));
const words = fc.constantFrom(...meaningful, ...hostile);
const text = fc.oneof({ weight: 4, arbitrary: words }, { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) });
const numbers = fc.oneof(fc.constantFrom(0, 1, -1, 2 ** 31, 2 ** 53, -(2 ** 63), 1.5, 1e308, 5e-324), fc.integer({ min: 0, max: 100 }));
const anything = fc.oneof(text, numbers, fc.boolean(), fc.constant(null), fc.constant([]), fc.constant({}), fc.jsonValue({ maxDepth: 2 }));

/** One request to the route; nearly all of them have the right path. */
export function requestArbitrary(entry: Entry): fc.Arbitrary<FuzzRequest> {
  return fc.record({ target: targetOf(entry), headers: headersOf(entry), body: bodyOf(entry) }).map(({ target, headers, body }) => ({
    target,
    body: body?.bytes,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": body.type }) },
  }));
}

function targetOf(entry: Entry): fc.Arbitrary<string> {
  const path = entry.route.split(" ")[1] ?? "";
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
  const queries = (entry.parameters ?? []).filter((parameter) => parameter.in === "query");
  const pair = (name: string) =>
    fc.tuple(fc.constantFrom(name, `${name}[]`, `${name}[0]`), text).map(([key, value]) => `${key}=${encoded(value)}`);
  const query = fc.array(fc.oneof(...queries.map(({ name }) => pair(name)), fc.constantFrom("%", "a=%ff", "=", "__proto__=1")), {
    maxLength: 6,
  });
  const segment = fc.oneof(words, fc.constantFrom("1", "2", "list", "m2-merge")).map((value) => encoded(value) || "x");
  return fc.tuple(fc.array(segment, { minLength: names.length, maxLength: names.length }), query).map(([segments, pairs]) => {
    const filled = names.reduce((sofar, name, at) => sofar.replace(`:${name}`, () => segments[at] ?? "x"), path);
    return pairs.length === 0 ? filled : `${filled}?${pairs.join("&")}`;
  });
}

/** Of what can stand in a URL: half a surrogate pair cannot. */
function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

function headersOf(entry: Entry): fc.Arbitrary<Record<string, string>> {
  const printable = fc.constantFrom("k-1", "k-2", "", "x".repeat(256), "~", 'W/"1"', "*", "-1");
  const own = (entry.parameters ?? []).filter((parameter) => parameter.in === "header").map(({ name }) => name);
  return fc.dictionary(fc.constantFrom("Idempotency-Key", "X-Heddle-Position", "Accept", ...own), printable, { maxKeys: 2 });
}

interface Body {
  readonly type: string;
  readonly bytes: Uint8Array;
}

function bodyOf(entry: Entry): fc.Arbitrary<Body | undefined> {
  if (!entry.body) return fc.constant(undefined);
  const type = entry.bodyType ?? (entry.route.includes("/scim/") ? "application/scim+json" : "application/json");
  const described = valueOf(entry.body, 0).map((value) => JSON.stringify(value));
  const examples = entry.examples.flatMap((
    { body },
  ) => (body === undefined ? [] : [typeof body === "string" ? body : JSON.stringify(body)]));
  const shown = examples.length === 0 ? described : fc.constantFrom(...examples);
  const cut = fc.tuple(fc.oneof(described, shown), fc.nat(200)).map(([whole, at]) => whole.slice(0, at));
  const odd = fc.constantFrom("", "[]", "1", '"x"', "null", '{"a":1,"a":2}', "[".repeat(100), "{}", "\ufeff{}", "a=b&a=%ff", "<a>");
  const texts = fc.oneof(
    { weight: 6, arbitrary: described },
    { weight: 2, arbitrary: shown },
    cut,
    odd,
    anything.map((value) => JSON.stringify(value)),
  );
  const bytes = fc.oneof({ weight: 12, arbitrary: texts.map((each) => Buffer.from(each)) }, fc.uint8Array({ maxLength: 40 }));
  const types = fc.oneof(
    { weight: 20, arbitrary: fc.constant(type) },
    fc.constantFrom("text/plain", "application/json; charset=latin1", "x"),
  );
  return fc.record({ type: types, bytes });
}

/** What the schema describes; here and there a member is missing, another type, or one that the schema does not know. */
function valueOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const whole = fitting(schema, depth);
  return fc.oneof({ weight: 12, arbitrary: whole }, { weight: 1, arbitrary: anything });
}

function fitting(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return fitting(schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, depth);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => fitting(each, depth)));
  const types = [schema.type ?? []].flat();
  if (types.length === 0 || depth > depthMax) return anything;
  return fc.oneof(...types.map((type) => typed(type, schema, depth)));
}

function typed(type: string, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  switch (type) {
    case "integer":
    case "number":
      return numbers;
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(valueOf(schema.items ?? {}, depth + 1), { maxLength: 3 });
    case "object":
      return objectOf(schema, depth);
    default:
      return text;
  }
}

function objectOf({ properties = {}, additionalProperties }: Schema, depth: number): fc.Arbitrary<unknown> {
  const known = Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, valueOf(of, depth + 1)]));
  const more = additionalProperties === false ? fc.constant({}) : fc.dictionary(words, anything, { maxKeys: 2 });
  return fc.tuple(fc.record(known, { requiredKeys: [] }), more).map(([members, others]) => ({ ...others, ...members }));
}
