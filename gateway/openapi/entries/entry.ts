/** The shape of what is written by hand about a route; the rest of its documentation comes from its row of the route table. */
import type { Reason } from "../../../platform/refusal.ts";
import type { Schema } from "../schemas/schema.ts";

/** `METHOD path`, as in the route table: `GET /users/merge/status/:id`. */
export type RouteName = `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`;

export interface Entry {
  readonly route: RouteName;
  /** Unique; the client's name of the call. */
  readonly operationId: string;
  readonly tag: Tag;
  /** A line. */
  readonly summary: string;
  /** Markdown. */
  readonly description?: string;
  /** The API that clients know has no such route. */
  readonly extension?: true;
  readonly parameters?: readonly Parameter[];
  /** Of the request. */
  readonly body?: Schema;
  readonly bodyType?: string;
  /** The request may also come without. */
  readonly bodyOptional?: true;
  /** Of a success; absent where it has no body. */
  readonly answer?: Schema;
  /** Of a success, unless it is JSON. */
  readonly answerType?: string;
  /** What else a success may be, by what is asked for; its schema is text. */
  readonly otherAnswerTypes?: readonly string[];
  /** Headers of a success beside those that every route of its kind has, by their names in document.ts. */
  readonly headers?: readonly string[];
  /** Of a success, where the route's row does not say it. */
  readonly status?: number;
  /** Statuses of answers that are neither a success nor a refusal. */
  readonly otherStatuses?: readonly { readonly status: number; readonly description: string }[];
  /** Refusals beside those that every route of its kind has (reasons-of.ts). */
  readonly reasons?: readonly Reason[];
  readonly examples: readonly Example[];
}

/** What an entry says beside what the entries of its file share. */
export type OwnEntry = Omit<Entry, "tag"> & Partial<Pick<Entry, "tag">>;

export function entriesOf(shared: Pick<Entry, "tag" | "extension" | "reasons">, own: readonly OwnEntry[]): readonly Entry[] {
  return own.map((entry) => ({ ...shared, ...entry }));
}

export interface Parameter {
  readonly in: "query" | "path" | "header";
  readonly name: string;
  readonly description: string;
  readonly required?: true;
  readonly schema: Schema;
}

/**
 * A request and its answer; test/http/openapi.test.ts sends all of them, in the order of the entries, to one server.
 * Ids and times of an answer are replaced by those that the server gives out.
 */
export interface Example {
  readonly name: string;
  readonly parameters?: Readonly<Record<string, string | number | readonly string[]>>;
  readonly body?: unknown;
  readonly answer?: unknown;
}

export const tags = {
  Users: "Profiles, events, purchases, aliases and merges.",
  Consent: "Subscription groups, email status, blocklist and invalid phone numbers.",
  Pages: "Preference centers and unsubscribe links.",
  Translations: "Translated messages of campaigns and canvases.",
  "Dashboard users": "SCIM 2.0 for identity providers.",
  Service: "Health and documents.",
} as const;

type Tag = keyof typeof tags;
