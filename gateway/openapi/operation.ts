/** One route as an operation: its entry, and what its row of the route table says of permission, limit and size. */
import { limitsTable, type PublishedLimit } from "../access/limits-table.ts";
import type { KeyRoute, Route } from "../routing/route.ts";
import { takesIdempotencyKey } from "../routing/scim-route.ts";
import { answersOf, contentTypesOf } from "./answers.ts";
import type { Entry, Parameter } from "./entries/entry.ts";
import type { Json, SharedAnswers } from "./shared-answers.ts";

/** Of `paths[path][method]`. */
export function operationOf(route: Route, entry: Entry, shared: SharedAnswers): Json {
  return {
    operationId: entry.operationId,
    tags: [entry.tag],
    summary: entry.summary,
    description: [entry.description, factsOf(route, entry)].filter((part) => part !== undefined && part !== "").join("\n\n"),
    ...securityOf(route),
    parameters: [...(entry.parameters ?? []).map((each) => parameterOf(each, entry)), ...headersOf(route)],
    ...bodyOf(route, entry),
    responses: answersOf(route, entry, shared),
    ...extensionsOf(route, entry),
  };
}

/** `/users/merge/status/{id}` */
export function pathOf(route: Pick<Route, "path">): string {
  return route.path.replaceAll(/:(\w+)/g, "{$1}");
}

function securityOf(route: Route): Json {
  switch (route.guard) {
    case "key":
      return { security: [{ apiKey: permissionsOf(route) }] };
    case "scim":
      return { security: [{ scimToken: [] }] };
    case "open":
      return { security: [] };
  }
}

function permissionsOf({ permission, alsoPermission }: KeyRoute): string[] {
  return alsoPermission === undefined ? [permission] : [permission, alsoPermission];
}

function parameterOf(parameter: Parameter, { examples }: Entry): Json {
  const value = examples.find((example) => example.parameters?.[parameter.name] !== undefined)?.parameters?.[parameter.name];
  return { ...parameter, ...(value === undefined ? {} : { example: value }) };
}

function headersOf(route: Route): readonly Json[] {
  function shared(name: string): Json {
    return { $ref: `#/components/parameters/${name}` };
  }
  if (route.guard === "key" && route.takes === "write") return route.keepsAnswers === false ? [] : [shared("IdempotencyKey")];
  if (route.guard === "key") return [shared("Position")];
  if (route.guard === "open") return [];
  return [shared("RequestOrigin"), ...(takesIdempotencyKey(route) ? [shared("IdempotencyKey")] : [])];
}

function bodyOf(route: Route, entry: Entry): Json {
  if (!entry.body) return {};
  const shown = entry.examples.flatMap(({ name, body }) => (body === undefined ? [] : [[name, { value: body }] as const]));
  return {
    requestBody: {
      required: entry.bodyOptional !== true,
      description: bodyFacts,
      content: Object.fromEntries(
        contentTypesOf(route, entry.bodyType).map((type) => [type, { schema: entry.body, examples: Object.fromEntries(shown) }]),
      ),
    },
  };
}

/** Of every body. zstd is left out, as not every runtime has it. */
const bodyFacts =
  "In UTF-8. May be compressed: `Content-Encoding` gzip, deflate or br. The largest size holds for what comes and for what it unfolds to.";

/** What the row says, for people. */
export function factsOf(route: Route, entry: Entry): string {
  const facts = entry.extension ? ["**Extension** of Heddle's own"] : [];
  if (route.guard === "open") return [...facts, "**No key** is needed"].join(" · ");
  if (route.guard === "key") facts.push(`**Permission** ${permissionsOf(route).map((name) => `\`${name}\``).join(" and ")}`);
  const { bucket, earlier } = limitOf(route);
  const before = earlier === undefined ? "" : `, of companies onboarded before ${earlier.onboardedBefore}: ${rateText(earlier.bucket)}`;
  facts.push(`**Limit** ${rateText(bucket)} (\`${route.limit}\`${before})`);
  if (route.guard === "key" && route.keepsAnswers === false) facts.push("**No Idempotency-Key**: sent again it is another request");
  if (route.bodyBytesMax > 0) facts.push(`**Body** up to ${Math.floor(route.bodyBytesMax / kibibyte)} KiB`);
  return facts.join(" · ");
}

function extensionsOf(route: Route, entry: Entry): Json {
  const own = entry.extension ? { "x-heddle-extension": true } : {};
  if (route.guard === "open") return own;
  const { bucket, earlier, ofPlan } = limitOf(route);
  return {
    ...own,
    ...(route.guard === "key" ? { "x-heddle-permission": route.permission } : {}),
    "x-heddle-limit": {
      name: route.limit,
      scope: route.guard === "scim" ? "company" : "workspace",
      ...rateOf(bucket),
      ...(earlier === undefined ? {} : { earlier: { onboardedBefore: earlier.onboardedBefore, ...rateOf(earlier.bucket) } }),
      ...(ofPlan ? { ofPlan: true } : {}),
    },
    ...(route.bodyBytesMax > 0 ? { "x-heddle-body-bytes-max": route.bodyBytesMax } : {}),
  };
}

const kibibyte = 1024;
const secondMs = 1_000;
const unitSeconds = new Map([[1, "second"], [60, "minute"], [3_600, "hour"], [86_400, "day"]]);

function limitOf(route: Extract<Route, { readonly limit: unknown }>): PublishedLimit {
  return limitsTable[route.limit];
}

function rateOf({ capacity, windowMs }: PublishedLimit["bucket"]): Json {
  return { requests: capacity, windowSeconds: windowMs / secondMs };
}

function rateText({ capacity, windowMs }: PublishedLimit["bucket"]): string {
  const seconds = windowMs / secondMs;
  return `${capacity.toLocaleString("en-US")} a ${unitSeconds.get(seconds) ?? `window of ${seconds} s`}`;
}
