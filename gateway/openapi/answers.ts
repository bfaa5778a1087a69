/** The answers of an operation: its success, and every refusal grouped by status, with the body that each has. */
import { type Reason, reasons, Refusal } from "../../platform/refusal.ts";
import { faultAnswer, refusalAnswer, refusalTable } from "../render/refusal-rest.ts";
import { scimContentType, scimFaultAnswer, scimRefusalAnswer } from "../render/refusal-scim.ts";
import type { Route } from "../routing/route.ts";
import type { Entry } from "./entries/entry.ts";
import { reasonsOf } from "./reasons-of.ts";
import type { Json, SharedAnswers } from "./shared-answers.ts";

type Dialect = "Rest" | "Scim";

/** `responses` of the operation, by status. */
export function answersOf(route: Route, entry: Entry, shared: SharedAnswers): Json {
  const dialect = route.guard === "scim" ? "Scim" : "Rest";
  const success = successStatus(route, entry);
  const known = reasonsOf(route, entry);
  const byStatus = Map.groupBy(known, (reason) => refusalTable[reason].status);
  const answers = new Map<number, Json>([[success, successAnswer(route, entry)]]);
  for (const { status, description } of entry.otherStatuses ?? []) answers.set(status, { description });
  for (const [status, group] of byStatus) {
    const also = entry.otherStatuses?.find((other) => other.status === status);
    answers.set(status, shared.refTo(`${dialect}${status}`, refusals(dialect, group, also?.description)));
  }
  answers.set(fault, shared.refTo(`${dialect}Fault`, faultOf(dialect)));
  return Object.fromEntries([...answers].toSorted(([a], [b]) => a - b));
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

function faultOf(dialect: Dialect): Json {
  const [type, answer] = dialect === "Scim" ? [scimContentType, scimFaultAnswer()] : ["application/json", faultAnswer("request-id")];
  return {
    description: "A fault of Heddle's own. Nothing is said of it but the id under which it was logged (the header X-Request-Id).",
    content: { [type]: { schema: schemaOf(dialect), example: JSON.parse(String(answer.body)) } },
  };
}

const ok = 200;
const fault = 500;

function successAnswer(route: Route, entry: Entry): Json {
  const description = entry.answer ? "Success" : "Success, without a body";
  const headers = successHeaders(route);
  if (!entry.answer) return { description, headers };
  const type = entry.answerType ?? (route.guard === "scim" ? scimContentType : "application/json");
  const shown = entry.examples.flatMap(({ name, answer }) => (answer === undefined ? [] : [[name, { value: answer }] as const]));
  const examples = shown.length === 0 ? {} : { examples: Object.fromEntries(shown) };
  return { description, headers, content: { [type]: { schema: entry.answer, ...examples } } };
}

function successHeaders(route: Route): Json {
  const names = ["X-Request-Id"];
  if (route.guard !== "open") names.push(...limitHeaders);
  if (route.guard === "key" && route.takes === "read") names.push("X-Heddle-Read");
  if (route.guard === "key" && route.takes === "write" && route.keepsAnswers !== false) {
    names.push("X-Heddle-Position", "Idempotency-Replayed");
  }
  return refs(names);
}

const limitHeaders = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit-Policy", "RateLimit"];

function refusals(dialect: Dialect, group: readonly Reason[], also: string | undefined): Json {
  const lines = group.map((reason) => `- \`${reason}\`: ${reasons[reason]}`);
  const retry = group.some((reason) => "retry" in refusalTable[reason] || reason === "RATE_LIMITED");
  const type = dialect === "Scim" ? scimContentType : "application/json";
  const examples = Object.fromEntries(group.map((reason) => [reason, { $ref: `#/components/examples/${dialect}.${reason}` }]));
  return {
    description: [...(also === undefined ? [] : [also]), ...lines].join("\n"),
    headers: refs(["X-Heddle-Reason", ...(retry ? ["Retry-After"] : [])]),
    content: { [type]: { schema: schemaOf(dialect), examples } },
    "x-heddle-reasons": group,
  };
}

function schemaOf(dialect: Dialect): Json {
  return { $ref: `#/components/schemas/${dialect === "Scim" ? "ScimError" : "Error"}` };
}

function refs(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
