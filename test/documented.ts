/** Holds answers against the OpenAPI document: their status, their reason and the shape of their body must be listed there. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { openRoutes } from "../gateway/routing/find-route.ts";
import { openapiDocument } from "../gateway/openapi/document.ts";
import { routeTable } from "../gateway/route-table.ts";

interface Seen {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Answer {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
  readonly "x-heddle-reasons"?: readonly string[];
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly $ref?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: object; readonly responses: Readonly<Record<string, Answer>> };
}

export const document = JSON.parse(JSON.stringify(openapiDocument(routeTable))) as Document;

const findRoute = openRoutes(routeTable);
const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, logger: false });
const validators = new Map<object, ValidateFunction>();

/**
 * Throws where the document does not list the answer, or where it lacks the headers of limits. Of what no route answers only those
 * headers are looked for.
 */
export function mustBeDocumented(seen: Seen): void {
  const found = findRoute(seen.method, seen.path.split("?")[0] ?? "");
  if (found.kind !== "route" || found.route.guard !== "open") mustTellOfLimits(seen);
  const operation = found.kind === "route" ? operationOf(found.route) : undefined;
  if (!operation) return;
  const place = `${operation.operationId} in gateway/openapi/entries`;
  const reason = seen.headers.get("x-heddle-reason");
  const answer = listed(operation, seen.status);
  if (!answer) throw new Error(`The document lists no ${seen.status} (${reason ?? "no refusal"}) for ${place}: ${quoted(seen.text)}`);
  if (reason !== null && !answer["x-heddle-reasons"]?.includes(reason)) {
    throw new Error(`The document lists no ${reason} for ${place}: add it to its 'reasons'`);
  }
  const unlisted = documentedHeaders.filter((name) =>
    seen.headers.has(name) && !Object.keys(answer.headers ?? {}).some((each) => each.toLowerCase() === name)
  );
  if (unlisted.length > 0) throw new Error(`The document does not list ${unlisted.join()} on the ${seen.status} of ${place}`);
  const problem = bodyProblem(answer, seen);
  if (problem !== undefined) throw new Error(`The ${seen.status} of ${place} has another shape: ${problem}: ${quoted(seen.text)}`);
}

/** Headers that tell a client something: those of answers that have them are listed. */
const documentedHeaders = [
  "x-request-id",
  "x-heddle-reason",
  "x-heddle-position",
  "x-heddle-read",
  "idempotency-replayed",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "x-ratelimit-retry-after",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "www-authenticate",
  "accept-encoding",
  "etag",
  "location",
  "set-cookie",
];

/** The three headers stand on every answer, with numbers or, where no caller is known, with nothing (api-facts 1.2, 1.3). */
function mustTellOfLimits({ method, path, status, headers }: Seen): void {
  const values = ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`));
  if (values.every((value) => value === "") || values.every((value) => value !== null && /^\d+$/.test(value))) return;
  throw new Error(`The ${status} of ${method} ${path.split("?")[0]} has no honest X-RateLimit headers: ${JSON.stringify(values)}`);
}

function listed({ responses }: Operation, status: number): Answer | undefined {
  const answer = responses[String(status)];
  return answer?.$ref === undefined ? answer : document.components.responses[answer.$ref.split("/").at(-1) ?? ""];
}

function bodyProblem(answer: Answer, { headers, text }: Seen): string | undefined {
  if (text === "") return undefined;
  const type = headers.get("content-type");
  const content = Object.entries(answer.content ?? {}).find(([listed]) => listed === type);
  if (content === undefined) return `no ${type} is listed`;
  return content[0].includes("json") ? shapeProblem(content[1].schema, JSON.parse(text)) : undefined;
}

function quoted(text: string): string {
  return text.slice(0, quotedCharsMax);
}

const quotedCharsMax = 300;

/** What is wrong with a value; undefined where it fits the schema. */
export function shapeProblem(schema: object, value: unknown): string | undefined {
  const known = validators.get(schema);
  const validate = known ?? ajv.compile({ allOf: [schema], components: { schemas: document.components.schemas } });
  if (!known) validators.set(schema, validate);
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}

export function operationOf(route: { readonly method: string; readonly path: string }): Operation | undefined {
  return document.paths[route.path.replaceAll(/:(\w+)/g, "{$1}")]?.[route.method.toLowerCase()];
}
