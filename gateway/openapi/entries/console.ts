/** DATA: what is written by hand about the routes of the console. */
import { limits } from "../../../platform/limits.ts";
import { entriesOf } from "./entry.ts";
import { list, object, type Schema, success, text, whole } from "../schemas/schema.ts";

const flag: Schema = { type: "boolean" };
const number: Schema = { type: "number" };
const time = text("ISO 8601, UTC.");
const names = {
  external_id: text(),
  user_alias: object({ alias_name: text(), alias_label: text() }),
  platform_id: text(),
};
const actor = {
  actor: text("Public id of the API key, or the page or service that asked."),
  actor_name: text("Of the API key."),
};
const request = object({
  position: whole("Place in the intake log."),
  request_id: text(),
  ...actor,
  time,
  what: text("What was asked, such as `track` or `mergeUsers`."),
}, ["position"]);

const shownOfPerson = {
  ...names,
  user_aliases: list(names.user_alias),
  email: text(),
  phone: text(),
  first_name: text(),
  last_name: text(),
  created_at: time,
  events: whole("Custom events, all together."),
  purchases: whole("All together."),
};
const person = object(shownOfPerson, ["platform_id", "events", "purchases"]);
const listedPerson = object({ ...shownOfPerson, updated_at: time }, ["platform_id", "events", "purchases", "updated_at"]);

const amounts = [
  `${limits.eventNamesPerUserMax.toLocaleString("en")} event names`,
  `${limits.productIdsPerUserMax.toLocaleString("en")} product ids`,
  `${limits.sessionsPerUserMax.toLocaleString("en")} sessions`,
].join(", ");

export const consoleEntries = entriesOf({ tag: "Service", extension: true }, [
  {
    route: "GET /console",
    operationId: "showConsole",
    summary: "The console, a page that shows what goes on",
    description: "The page asks for a key once, and opens a session of the browser with it (`POST /console/session`).",
    answer: text(),
    answerType: "text/html; charset=utf-8",
    headers: ["ETag"],
    otherStatuses: [{ status: 304, description: "The caller has this version." }],
    examples: [{ name: "page" }],
  },
  {
    route: "GET /console/preview",
    operationId: "showConsolePreview",
    summary: "The frame in which the console shows drafts of pages",
    description: "An empty document in a sandbox without an origin, which shows what the console alone puts into it.",
    answer: text(),
    answerType: "text/html; charset=utf-8",
    headers: ["ETag"],
    otherStatuses: [{ status: 304, description: "The caller has this version." }],
    examples: [{ name: "frame" }],
  },
  {
    route: "GET /console/assets/:name",
    operationId: "getConsoleAsset",
    summary: "Script and style of the console",
    parameters: [{ in: "path", name: "name", description: "Name of a file.", required: true, schema: text() }],
    answer: text(),
    answerType: "text/javascript; charset=utf-8",
    otherAnswerTypes: ["text/css; charset=utf-8"],
    headers: ["ETag"],
    otherStatuses: [{ status: 304, description: "The caller has this version." }],
    reasons: ["ROUTE_UNKNOWN"],
    examples: [{ name: "script", parameters: { name: "console.js" } }],
  },
  {
    route: "GET /console/overview",
    operationId: "getConsoleOverview",
    summary: "Throughput, lag, limits and the last refused requests of a workspace",
    description:
      "Counts are of the gateway that answers, since it started. Lanes and what waits are of all workspaces: only a key with the " +
      "permission `console.operate`, which `*` does not include, is shown them, and why the server is not ready.",
    answer: success({
      workspace: object({ id: text(), name: text(), company: text() }),
      ready: flag,
      reason: text("What is not ready, or what waits for a human. For operators."),
      seconds: list(object({ second: whole("Unix time."), requests: whole(), refused: whole() }), "The last minute."),
      routes: list(object({ method: text(), route: text(), requests: whole(), refused: whole(), mean_ms: number })),
      errors: list(
        object({ time, request_id: text(), trace_id: text(), method: text(), route: text(), status: whole(), reason: text(), ms: number }),
        "The newest first.",
      ),
      lanes: list(object({ lane: text(), records: whole(), seconds: number }), "What is durable and not applied yet. For operators."),
      held_users: whole(),
      set_aside: whole(),
      limits: list(object({
        name: text(),
        limit: text("What its requests are counted under (`GET /console/requests`)."),
        capacity: whole(),
        remaining: whole(),
        window_seconds: number,
      })),
    }),
    examples: [{ name: "overview" }],
  },
  {
    route: "POST /console/users",
    operationId: "inspectUsers",
    summary: "A user with the request that set each field, merges, and the history of consent",
    description: "The chains of the consent ledger that the history is of are checked as it is read.",
    body: object({ ...names, email: text(), phone: text(), sides_of: text("The `merge_id` of a merge whose `sides` are wanted.") }),
    answer: success({
      users: list(object({
        platform_id: text(),
        created_at: time,
        updated_at: time,
        held: { ...flag, description: "Records of the user wait for a human." },
        dropped: {
          ...object({ count: whole(), last: request }),
          description:
            "Objects and attributes that the profile had no room for, with the request that sent the last of them; absent: none.",
        },
        profile: object({}),
        fields: list(object({ name: text(), custom: flag, value: {}, set_by: request })),
        merges: list(object({
          merge_id: text(),
          source_platform_id: text(),
          time,
          undo: {
            ...object({ job_id: text(), index: whole(), until: time, blocked: text("Why it cannot be taken back.") }, [
              "job_id",
              "index",
              "until",
            ]),
            description: "What `POST /users/merge/undo` takes; absent where the merge can no longer be taken back.",
          },
          asked_by: request,
          sides: {
            ...object({ source: object({}), target: object({}) }),
            description: "Both profiles as they were before, of the merge in `sides_of`, while it can be taken back.",
          },
        })),
        undone_merges: list(
          object({
            merge_id: text(),
            other_platform_id: text(),
            was: text("`source`: this user had been taken in; or `target`."),
            time,
            asked_by: request,
          }),
          "Merges that were taken back, the last 20, the oldest first.",
        ),
        days: list(object({ date: text("UTC."), events: whole(), purchases: whole() }), "Of about the last month, the oldest first."),
        consent: list(
          object({
            index: whole("Place in the chain of the subject."),
            subject: text(),
            what: text(),
            name: text("Of the subscription group."),
            kind: text(),
            before: { type: ["string", "null"] },
            after: { type: ["string", "null"] },
            time,
            ...actor,
            request_id: text(),
            hash: text("SHA-256 of the entry and of all before it in its chain."),
          }),
          "The oldest first; absent: a part that owns consent does not answer.",
        ),
        consent_chains: {
          ...object({ checked: whole(), damage: list(object({ subject: text(), index: whole(), reason: text() })) }),
          description: "How many chains were checked, and the first entry of each that is not as it was written.",
        },
      })),
    }),
    examples: [{ name: "nobody", body: { external_id: "nobody-has-this-id" }, answer: { users: [], message: "success" } }],
  },
  {
    route: "POST /console/people",
    operationId: "listPeople",
    summary: "Everyone in the workspace, in pages",
    description:
      "By platform id, or those made last first; those changed last, in one page, as far back as the newest events tell; users " +
      "whose records wait for a human; or those who have a state in a subscription group, in no order. By platform id, who is made while " +
      `pages are read comes on a later page. For members of a group up to ${limits.membersLookedAtMax.toLocaleString("en")} people are ` +
      "looked at for one page, so that a page may be empty and have a next one.",
    body: object({
      list: text("`oldest` (unless given), `newest`, `changed`, `blocked`, `subscribed` or `unsubscribed`."),
      group_id: text("With `subscribed` and `unsubscribed`: the group in which somebody or something set it."),
      page_token: text("The `next_page_token` of the page before; absent for the first page."),
    }),
    answer: success({
      users: list(listedPerson),
      next_page_token: text("Absent on the last page."),
      looked_at: whole("Of the members of a group: how many people with a state in any group were looked at for this page."),
    }),
    examples: [{ name: "the first page", body: {} }, { name: "the newest", body: { list: "newest" } }],
  },
  {
    route: "GET /console/groups",
    operationId: "listConsoleGroups",
    summary: "The subscription groups of the workspace, archived ones too",
    answer: success({ groups: list(object({ id: text(), name: text(), archived: flag })) }),
    examples: [{ name: "groups" }],
  },
  {
    route: "POST /console/people/search",
    operationId: "searchPeople",
    summary: "People by how a name of theirs begins",
    description:
      "In the order of the names' bytes, 50 names a page. External ids and aliases count exactly as they were sent. Of an address " +
      `that many share the first ${limits.sharersShownMax} are shown. Without \`by\` the first ${limits.sharersShownMax} external ids, emails ` +
      "and phones. A page may be short, and even empty, and have a next one.",
    body: object({
      by: text("`external_id`, `email`, `phone` or `user_alias`."),
      starts_with: text("With `user_alias` of the alias's name."),
      alias_label: text("With `user_alias`, whole."),
      page_token: text("The `next_page_token` of the page before, with the same `by` and `starts_with`."),
    }, ["starts_with"]),
    answer: success({
      found: list(object({ by: text(), name: text(), users: list(person), count: whole("How many have the name.") })),
      next_page_token: text("Absent on the last page."),
    }),
    examples: [{ name: "nobody", body: { starts_with: "nobody-begins-like-this" }, answer: { found: [], message: "success" } }],
  },
  {
    route: "GET /console/rejected",
    operationId: "listRejectedUsers",
    summary: "Users of whom /users/track takes no more",
    description: `A user with more than ${amounts} is rejected: mostly a test account that many devices share. Objects that name it by ` +
      "`external_id`, `user_alias` or `braze_id` get an entry in `errors`, all others of the request are taken. What the user has " +
      "stays. The first 10,000 of the installation are known.",
    answer: success({
      users: list(object({
        platform_id: text(),
        external_id: text(),
        user_aliases: list(names.user_alias, "The first 100."),
        counted: text("What the user has too much of: `event_names`, `product_ids` or `sessions`."),
        count: whole(),
        max: whole("What the user may have."),
      }, ["platform_id", "counted", "count", "max"])),
    }),
    examples: [{ name: "nobody", answer: { users: [], message: "success" } }],
  },
  {
    route: "POST /console/rejected/admit",
    operationId: "admitUser",
    summary: "Lets a rejected user back in",
    description:
      "The user may have twice of what it has now, and never less than others. Answered once the process that answers takes data of the " +
      "user again; others of the mesh follow within a second.",
    body: object(names),
    answer: success({}),
    reasons: ["NOT_FOUND", "OUTCOME_UNKNOWN"],
    examples: [{ name: "somebody who is not rejected", body: { external_id: "ann" }, answer: { message: "success" } }],
  },
]);
