/** One HTTP call to a server under test, and the shapes of the answers that tests read. */
import type { ExportedUser, ObjectError } from "../client/gen/calls.ts";
import { mustBeDocumented } from "./documented.ts";

/** Sends JSON unless the body is text or bytes, which go as they are; parses the answer as JSON, which every answer must be, and one that OpenAPI lists. */
export async function callHeddle(url: string, call: Call): Promise<Answer> {
  const response = await fetch(url + call.path, {
    method: call.method,
    headers: {
      ...(call.key === undefined ? {} : { authorization: `Bearer ${call.key}` }),
      ...(call.body === undefined ? {} : { "content-type": "application/json" }),
      ...call.headers,
    },
    ...(call.body === undefined ? {} : { body: bodyOf(call.body) }),
  });
  const text = await response.text();
  mustBeDocumented({ ...call, status: response.status, headers: response.headers, text });
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

function bodyOf(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}

function parsed(text: string): AnswerBody {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`The answer is not JSON: "${text.slice(0, 500)}"`, { cause });
  }
}

export interface CallOptions {
  /** undefined: no Authorization header. */
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Call extends CallOptions {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: AnswerBody;
}

/** The union of all answers that tests look at; absent where the route does not give it. */
export interface AnswerBody {
  readonly message?: string;
  readonly error?: string;
  readonly errors?: readonly ObjectError[];
  readonly attributes_processed?: number;
  readonly events_processed?: number;
  readonly purchases_processed?: number;
  readonly aliases_processed?: number;
  readonly emails_processed?: number;
  readonly phone_numbers_processed?: number;
  readonly deleted?: number;
  readonly job_id?: string;
  readonly users?: readonly ExportedUser[];
  readonly invalid_user_ids?: readonly string[];
  readonly [key: string]: unknown;
}

export type { ExportedUser, ObjectError as ObjectVerdict, Summary as ExportedSummary } from "../client/gen/calls.ts";
