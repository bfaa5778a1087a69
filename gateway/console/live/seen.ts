/** A request of a watched workspace as the gateway saw it, and as it is shown: what names a person apart from the rest. */
import { type Fields, isFields } from "../../../platform/fields.ts";
import { parseJson } from "../../../platform/json.ts";
import { limits } from "../../../platform/limits.ts";
import type { HttpAnswer } from "../../http/http-message.ts";

export interface SeenRequest {
  readonly workspaceId: string;
  readonly requestId: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly method: string;
  /** The pattern. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  /** Empty for a success. */
  readonly reason: string;
  readonly body: Uint8Array | undefined;
  readonly answer: Pick<HttpAnswer, "body">;
}

/** As it is shown. `personal` is there for views that may see bodies, and is stored nowhere. */
export interface LiveRequest {
  readonly request_id: string;
  readonly time: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly reason?: string;
  readonly ms: number;
  /** Which gateway answered. */
  readonly gateway: string;
  /** How many objects were sent; `objects` shows the first, those that were not taken before others. */
  readonly object_count?: number;
  readonly objects: readonly LiveObject[];
  /** Names of its events, each once. */
  readonly events?: readonly string[];
  /** The body was too large to look into, or held more names than are listed. */
  readonly unread?: true;
  readonly personal?: Personal;
}

interface LiveObject {
  readonly array: string;
  readonly index: number;
  /** Of an event or a product. */
  readonly name?: string;
  readonly verdict: "taken" | "partly" | "refused";
  readonly field?: string;
  /** Why, without any value that was sent. */
  readonly why?: string;
  readonly platform_id?: string;
}

interface Personal {
  /** As sent, cut. */
  readonly body?: string;
  /** The text of a refusal, as the caller got it. */
  readonly message?: string;
  /** By the place in `objects`: how the caller called the person. */
  readonly who: readonly (Readonly<Record<string, unknown>> | null)[];
}

export function liveRequestOf(seen: SeenRequest, { gateway, withPersonal }: { gateway: string; withPersonal: boolean }): LiveRequest {
  const { requestId, at, method, route, status, ms, reason } = seen;
  const sent = seen.body && seen.body.length > 0 ? fieldsOf(seen.body) : undefined;
  const answered = status >= refusedFrom || mayTell(seen.answer.body) ? fieldsOf(seen.answer.body) : undefined;
  const objects = sent && route.startsWith(trackRoutes) ? objectsOf(sent, { answered, isRefused: status >= refusedFrom }) : [];
  const shown = objects.toSorted((a, b) => Number(a.shown.verdict === "taken") - Number(b.shown.verdict === "taken"))
    .slice(0, limits.liveObjectsMax);
  const names = objects.flatMap(({ shown: { array, name } }) => (array === "events" && name !== undefined ? [name] : []));
  const events = new Set(names);
  const isUnread = (seen.body?.length ?? 0) > limits.liveParsedBytesMax || events.size > limits.liveEventNamesMax;
  return {
    request_id: requestId,
    time: new Date(at).toISOString(),
    method,
    route,
    status,
    ...(reason !== "" && { reason }),
    ms: Math.round(ms * 100) / 100,
    gateway,
    ...(objects.length > 0 && { object_count: objects.length }),
    objects: shown.map((object) => object.shown),
    ...(events.size > 0 && { events: [...events].slice(0, limits.liveEventNamesMax) }),
    ...(isUnread && { unread: true as const }),
    ...(withPersonal && { personal: personalOf(seen, { answered, who: shown.map(({ sent: object }) => whoOf(object)) }) }),
  };
}

/** What is kept for a while, and shown to those who may see no bodies. */
export function withoutPersonal(request: LiveRequest): LiveRequest {
  const open: { personal?: Personal } & Omit<LiveRequest, "personal"> = { ...request };
  delete open.personal;
  return open;
}

const refusedFrom = 400;
const trackRoutes = "/users/track";
const arrays = ["attributes", "events", "purchases"] as const;

/** Whether there is more in an answer to a success than counts: errors of single objects. */
function mayTell(body: HttpAnswer["body"]): boolean {
  return typeof body === "string"
    ? body.includes('"errors":')
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes('"errors":');
}

/** Undefined for what is too large to look into, and for what is no object. */
function fieldsOf(text: string | Uint8Array): Fields | undefined {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  if (bytes.length > limits.liveParsedBytesMax) return undefined;
  try {
    const value = parseJson(bytes, { depthMax: limits.jsonDepthMax, weightMax: limits.jsonWeightMax });
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

interface ObjectOf {
  readonly shown: LiveObject;
  readonly sent: Fields;
}

/** The objects of a request of /users/track, each with what was said of it. */
function objectsOf(
  sent: Fields,
  { answered, isRefused }: { readonly answered: Fields | undefined; readonly isRefused: boolean },
): ObjectOf[] {
  const errors = new Map(errorsOf(answered).map((error) => [`${String(error["input_array"])} ${String(error["index"])}`, error]));
  return arrays.flatMap((array) => {
    const list = sent[array];
    if (!Array.isArray(list)) return [];
    return list.map((value: unknown, index): ObjectOf => {
      const object = isFields(value) ? value : {};
      return { sent: object, shown: objectOf(object, { array, index, error: errors.get(`${array} ${index}`), isRefused }) };
    });
  });
}

function errorsOf(answered: Fields | undefined): Fields[] {
  const errors = answered?.["errors"];
  return Array.isArray(errors) ? errors.filter(isFields) : [];
}

function objectOf(
  object: Fields,
  { array, index, error, isRefused }: { array: string; index: number; error: Fields | undefined; isRefused: boolean },
): LiveObject {
  const name = array === "events" ? object["name"] : array === "purchases" ? object["product_id"] : undefined;
  // An attribute may have been sent without a name
  const field = typeof error?.["field"] === "string" ? error["field"] : undefined;
  const why = error === undefined ? undefined : withoutValues(String(error["type"]), field);
  const platformId = textOf(object["braze_id"]);
  return {
    array,
    index,
    ...(typeof name === "string" && { name: name.slice(0, limits.liveNameCharsMax) }),
    verdict: error === undefined ? (isRefused ? "refused" : "taken") : field === undefined || isRefused ? "refused" : "partly",
    ...(field !== undefined && { field }),
    ...(why !== undefined && { why }),
    ...(platformId !== undefined && platformIdShape.test(platformId) && { platform_id: platformId.toLowerCase() }),
  };
}

const platformIdShape = /^[0-9a-f]{24}$/i;

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * What stands in quotes is a name of the API, the field itself, or something that was sent: the last is not shown. It may have
 * quotes of its own, so all up to the last one goes.
 */
function withoutValues(text: string, field: string | undefined): string {
  for (const { index, 1: quoted = "" } of text.matchAll(/'([^']*)'/g)) {
    if (quoted === field || ownNames.has(quoted)) continue;
    return `${text.slice(0, index)}'…'${text.slice(text.lastIndexOf("'") + 1)}`;
  }
  return text;
}

/** How texts of errors call fields of the API. */
const ownNames: ReadonlySet<string> = new Set([
  "external_id",
  "user_alias",
  "braze_id",
  "email",
  "phone",
  "alias_name",
  "alias_label",
  "name",
  "time",
  "product_id",
  "currency",
  "price",
  "quantity",
  "properties",
  "app_id",
  "event_name",
  "subscription_groups",
  "push_tokens",
  "device_id",
  "inc",
  "$time",
  "$update",
  "$new_object",
  "$identifier_key",
  "$identifier_value",
]);

const callerNames = ["external_id", "user_alias", "email", "phone", "braze_id"] as const;

/** How the caller called the person. */
function whoOf(object: Fields): Personal["who"][number] {
  const found = callerNames.find((name) => object[name] !== undefined && object[name] !== null);
  return found === undefined ? null : { [found]: object[found] };
}

function personalOf(
  seen: SeenRequest,
  { answered, who }: { readonly answered: Fields | undefined; readonly who: Personal["who"] },
): Personal {
  const body = seen.body && seen.body.length > 0 ? Buffer.from(seen.body).toString("utf8", 0, 4 * limits.liveBodyCharsMax) : undefined;
  const message = seen.status >= refusedFrom ? textOf(answered?.["message"]) : undefined;
  return {
    ...(body !== undefined && { body: body.slice(0, limits.liveBodyCharsMax).toWellFormed() }),
    ...(message !== undefined && { message }),
    who,
  };
}
