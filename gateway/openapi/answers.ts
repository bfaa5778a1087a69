/** The answers of an operation: its success, and every refusal grouped by status, with the body that each has. */
import { type Reason, reasons, Refusal } from "../../platform/refusal.ts";
import { faultAnswer, refusalAnswer, refusalTable } from "../render/refusal-rest.ts";
import { scimContentType, scimFaultAnswer, scimRefusalAnswer } from "../render/refusal-scim.ts";
import type { Route } from "../routing/route.ts";
import { takesIdempotencyKey } from "../routing/scim-route.ts";
import type { Entry } from "./entries/entry.ts";
import { isOfServer, reasonsOf } from "./reasons-of.ts";
import { ref, type Schema, text } from "./schemas/schema.ts";
import type { Json, SharedAnswers } from "./shared-answers.ts";

/** In what form refusals are: for programs, for identity providers, for people, and for people or programs as they ask. */
type Dialect = "Rest" | "Scim" | "Page" | "Link";

/** `responses` of the operation, by status. */
export function answersOf(route: Route, entry: Entry, shared: SharedAnswers): Json {
  const dialect = dialectOf(route);
  const success = successStatus(route, entry);
  const known = reasonsOf(route, entry);
  const byStatus = Map.groupBy(known, (reason) => refusalTable[reason].status);
  const answers = new Map<number, Json>([[success, successAnswer(route, entry)]]);
  for (const { status, description } of entry.otherStatuses ?? []) {
    answers.set(status, { description, headers: refs(headersOf(route, entry)) });
  }
  for (const [status, group] of byStatus) {
    const also = entry.otherStatuses?.find((other) => other.status === status);
    answers.set(status, shared.refTo(`${dialect}${status}`, refusals(route, group, also?.description)));
  }
  answers.set(fault, shared.refTo(`${dialect}Fault`, faultOf(route)));
  return Object.fromEntries([...answers].toSorted(([a], [b]) => a - b));
}

function dialectOf(route: Route): Dialect {
  if (route.guard === "scim") return "Scim";
  if (route.guard === "key" || route.refused === undefined) return "Rest";
  return route.path.startsWith("/preferences/") ? "Page" : "Link";
}

/** Of a success. */
function successStatus(route: Route, entry: Entry): number {
  return route.guard === "key" ? route.status : entry.status ?? ok;
}

/** components.examples: one for each refusal and dialect, as the edge renders it. */
export function errorExamples(): Json {
  const found: Record<string, unknown> = {};
  for (const reason of Object.keys(reasons) as Reason[]) {
    const refusal = new Refusal(reason);
    found[`Rest.${reason}`] = { summary: reasons[reason], value: JSON.parse(String(refusalAnswer(refusal, "rest").body)) };
    found[`Scim.${reason}`] = { summary: reasons[reason], value: JSON.parse(String(scimRefusalAnswer(refusal).body)) };
  }
  return found;
}

function faultOf(route: Route): Json {
  const answers = { Rest: faultAnswer("request-id"), Scim: scimFaultAnswer() };
  return {
    description: "A fault of Heddle's own. Nothing is said of it but the id under which it was logged (the header X-Request-Id).",
    headers: refs(ofEveryRefusal),
    content: contentOf(dialectOf(route), [], (form) => ({ schema: errorOf[form], example: JSON.parse(String(answers[form].body)) })),
  };
}

const json = "application/json";
const html = "text/html; charset=utf-8";
const ok = 200;
const fault = 500;

function successAnswer(route: Route, entry: Entry): Json {
  const description = entry.answer ? "Success" : "Success, without a body";
  const headers = refs(headersOf(route, entry));
  if (!entry.answer) return { description, headers };
  const types = contentTypesOf(route, entry.answerType);
  const shown = entry.examples.flatMap(({ name, answer }) => (answer === undefined ? [] : [[name, { value: answer }] as const]));
  const examples = shown.length === 0 ? {} : { examples: Object.fromEntries(shown) };
  const content = [
    ...types.map((type) => [type, { schema: entry.answer, ...examples }] as const),
    ...(entry.otherAnswerTypes ?? []).map((type) => [type, { schema: text() }] as const),
  ];
  return { description, headers, content: Object.fromEntries(content) };
}

/** Of a body, either way; `own`: where it is not JSON. */
export function contentTypesOf(route: Route, own: string | undefined): readonly string[] {
  return route.guard === "scim" ? [scimContentType, json] : [own ?? json];
}

/** Of a success; a 304 has them too. */
function headersOf(route: Route, entry: Entry): readonly string[] {
  const names = ["X-Request-Id", ...(route.guard === "open" ? [] : limitHeaders), ...(entry.headers ?? [])];
  if (route.guard === "key" && route.takes === "read") names.push("X-Heddle-Read");
  if (route.guard === "key" && route.takes === "write" && route.keepsAnswers !== false) {
    names.push("X-Heddle-Position", "Idempotency-Replayed");
  }
  if (route.guard === "scim" && takesIdempotencyKey(route)) names.push("Idempotency-Replayed");
  return names;
}

const limitHeaders = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit-Policy", "RateLimit"];
/** Also without a key: the server itself refuses broken requests before it knows whether one is needed. */
const ofEveryRefusal = ["X-Request-Id", ...limitHeaders];

function refusals(route: Route, group: readonly Reason[], also: string | undefined): Json {
  const lines = group.map((reason) => `- \`${reason}\`: ${reasons[reason]}`);
  const retry = group.some((reason) => "retry" in refusalTable[reason] || reason === "RATE_LIMITED");
  return {
    description: [...(also === undefined ? [] : [also]), ...lines].join("\n"),
    headers: refs([
      ...ofEveryRefusal,
      "X-Heddle-Reason",
      ...(retry ? ["Retry-After"] : []),
      ...(group.includes("RATE_LIMITED") && route.guard !== "open" ? ["X-Ratelimit-Retry-After"] : []),
      ...(group.includes("KEY_MISSING") ? ["WWW-Authenticate"] : []),
      ...(group.includes("CONTENT_TYPE_UNSUPPORTED") ? ["Accept-Encoding"] : []),
    ]),
    content: contentOf(dialectOf(route), group, (form, shown) => ({
      schema: errorOf[form],
      examples: Object.fromEntries(shown.map((reason) => [reason, { $ref: `#/components/examples/${form}.${reason}` }])),
    })),
    "x-heddle-reasons": group,
  };
}

type Form = "Rest" | "Scim";

const errorOf: Readonly<Record<Form, Schema>> = { Rest: ref("Error"), Scim: ref("ScimError") };
const page = { schema: text("A page that says it to a person.") };

/** By content type. Broken requests the server itself refuses in JSON, before it knows the route. */
function contentOf(dialect: Dialect, group: readonly Reason[], shown: (form: Form, group: readonly Reason[]) => Json): Json {
  const early = group.filter(isOfServer);
  switch (dialect) {
    case "Rest":
      return { [json]: shown("Rest", group) };
    case "Scim": {
      const asked = early.length === 0 ? shown("Scim", group) : { schema: { anyOf: [errorOf.Scim, errorOf.Rest] } };
      return { [scimContentType]: shown("Scim", group), [json]: asked };
    }
    case "Page":
      return { [html]: page, ...(early.length === 0 ? {} : { [json]: shown("Rest", early) }) };
    case "Link":
      return { [json]: shown("Rest", group), [html]: page };
  }
}

function refs(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
