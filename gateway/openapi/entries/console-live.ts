/** DATA: what is written by hand about the live view of the console. */
import { limits } from "../../../platform/limits.ts";
import { entriesOf } from "./entry.ts";
import { flag, list, object, oneOfTexts, success, text, whole } from "../schemas/schema.ts";

const liveRequest = object({
  request_id: text(),
  time: text("ISO 8601, UTC."),
  method: text(),
  route: text("The pattern of the route."),
  status: whole(),
  reason: text("Why it was refused; absent for a success."),
  ms: { type: "number" },
  gateway: text("Which one answered."),
  object_count: whole(),
  objects: list(
    object({
      array: text(),
      index: whole(),
      name: text("Of the event or the product."),
      verdict: oneOfTexts(["taken", "partly", "refused"]),
      field: text("What was not taken of it."),
      why: text("Without any value that was sent."),
      platform_id: text("Where the caller sent it."),
    }, ["array", "index", "verdict"]),
    `At most ${limits.liveObjectsMax}, those that were not taken first.`,
  ),
  events: list(text(), "Names of its events, each once."),
  unread: flag("The body was too large to look into: objects and names are missing."),
}, ["request_id", "time", "method", "route", "status", "ms", "gateway", "objects"]);
const liveFilters = [
  { in: "query", name: "route", description: "The pattern of the route alone.", schema: text() },
  { in: "query", name: "status", description: "`taken`, `refused`, or a status.", schema: text() },
  { in: "query", name: "reason", description: "Refused for this reason alone.", schema: text() },
  { in: "query", name: "event", description: "With an event of this name alone.", schema: text() },
] as const;

export const consoleLiveEntries = entriesOf({ tag: "Service", extension: true }, [
  {
    route: "GET /console/live",
    operationId: "watchRequests",
    summary: "Requests of the workspace as they are answered",
    description:
      `With \`Accept: text/event-stream\` events of the server (EventSource), from all gateways: \`open\` first, \`request\` for each ` +
      "request (its data as in `requests` below), `rate` at most once a second (`seen` and `shown` requests of that second, `gateways`), and `end` " +
      "with the `reason` `over` (the key was revoked or changed, the session is over) or `closing` (this gateway ends: come again). With " +
      `\`Last-Event-ID\` it goes on from there; \`missed\` in \`open\` says that there was more than is kept. At most ${limits.liveEntriesPerSecond} ` +
      "requests a second, gateway and filter are sent: of more an even share. Else, as JSON, what came lately, the newest first; from then on " +
      `requests are noted for ${
        limits.liveLingerMs / 1_000
      } seconds. Nothing in it names a person but by platform id. Requests of the console itself are left out.`,
    parameters: liveFilters,
    answer: success({ requests: list(liveRequest) }),
    otherAnswerTypes: ["text/event-stream; charset=utf-8"],
    examples: [{ name: "as JSON", parameters: { status: "refused" } }],
  },
  {
    route: "GET /console/live/bodies",
    operationId: "watchBodies",
    summary: "Requests of the workspace as they are answered, with what was sent",
    description: "As `GET /console/live`; as events each request has `personal` beside the rest: the first " +
      `${limits.liveBodyCharsMax} characters of its body, what it was answered, and how it called each person. Nothing of that is kept: not for ` +
      "views that come again, and not in the answer as JSON. Takes `console.bodies`, which `*` does not hold.",
    parameters: liveFilters,
    answer: success({ requests: list(liveRequest) }),
    otherAnswerTypes: ["text/event-stream; charset=utf-8"],
    examples: [{ name: "as JSON" }],
  },
]);
