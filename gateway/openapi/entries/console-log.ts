/** DATA: what is written by hand about the console's routes of what operators see and what waits: processes, records for a human, texts for a translation. */
import { limits } from "../../../platform/limits.ts";
import { entriesOf } from "./entry.ts";
import { list, object, oneOfTexts, success, text, whole } from "../schemas/schema.ts";

const reason = text("Why it could not be applied, or whom it waits for.");
const named = object({ id: text(), name: text() }, ["id", "name"]);
const workspace_id = text();
const at = text("Place of the record, such as `17.0`; of a dead letter of the intake such as `17`.");

const waiting = list(object({ workspace_id, platform_id: text(), lane: text(), partition: whole(), at }, ["at"]));

export const consoleLogEntries = entriesOf({ tag: "Service", extension: true }, [
  {
    route: "GET /console/translations",
    operationId: "listTranslationMatrix",
    tag: "Translations",
    summary: "Which texts are translated, and which are missing",
    description:
      "Every text of each message that is to be translated. Campaigns are shown to keys that may `campaigns.translations.get`, " +
      "canvases to those that may `canvas.translations.get`.",
    answer: success({
      locales: list(text(), "Of the workspace."),
      messages: list(object({
        kind: text("`campaign` or `canvas`."),
        owner: named,
        step: named,
        message: named,
        locales: list(text(), "That the message is to be translated into."),
        texts: list(object({
          id: text(),
          source: text("The first 200 characters."),
          missing: list(text(), "Locales in which the text is absent or empty."),
        }, ["id", "source", "missing"])),
      }, ["kind", "owner", "message", "locales", "texts"])),
      more: { type: "boolean", description: "There are more texts, or more that is missing, than an answer holds." },
    }, ["locales", "messages", "more"]),
    examples: [{ name: "all" }],
  },
  {
    route: "GET /console/doctor",
    operationId: "examine",
    summary: "What is not well with this process and its servers",
    description: "What `heddle doctor` checks, as far as the process that answers can look by its own rights; asked again within " +
      `${
        limits.consoleExamineKeepMs / 1_000
      } seconds it is what was found then. In the mesh that is a gateway: NATS, the tables of the other parts and the log are asked by the command alone.`,
    answer: success({
      examined_at: text(),
      findings: list(object({
        check: text("What was looked at."),
        level: oneOfTexts(["ok", "warn", "fail"]),
        text: text("What was found and, where it is not well, what to do."),
      }, ["check", "level", "text"])),
    }, ["examined_at", "findings"]),
    examples: [{ name: "all" }],
  },
  {
    route: "GET /console/lag",
    operationId: "getLagHistory",
    summary: "How far lanes were behind in the last three hours",
    description:
      "Of each minute the worst that was seen, by the process of each part that answers: it begins anew with the process, and a minute in which nobody could look has " +
      "no sample. What is now is in `GET /console/overview`.",
    answer: success({
      step_seconds: whole(),
      lanes: list(object({
        lane: text("`intake-0` and further, `subscription`, `messaging-status`."),
        samples: list(
          list({ type: "number" }),
          "The oldest first: when its minute began (Unix seconds), records that were durable and not applied, seconds since the oldest of them came.",
        ),
      }, ["lane", "samples"])),
      away: list(text(), "Parts that did not answer."),
    }, ["step_seconds", "lanes", "away"]),
    examples: [{ name: "all" }],
  },
  {
    route: "GET /console/processes",
    operationId: "listProcesses",
    summary: "Which processes of the installation run, of which build",
    description:
      `In the mesh each process says every ${
        limits.processAnnounceMs / 1_000
      } seconds that it runs. One that ends in good order is out of the list at once; of one that was ` +
      `killed or cut off, \`late\` says so after ${
        limits.processLateMs / 1_000
      } seconds without a word, and after an hour it is gone. In one process: that process.`,
    answer: success({
      processes: list(object({
        id: text("Of this life of it."),
        part: text("`gateway`, `profile`, `subscription`, `messaging-status`, `scim` or `content`; `heddle`: all of them in one."),
        version: text("Of its build."),
        runtime: text("Node or Deno, with its version."),
        host: text("The machine, or the pod."),
        started_at: text(),
        heard_at: text("By its own clock."),
        late: { type: "boolean", description: "It should have been heard of since." },
      }, ["id", "part", "version", "runtime", "host", "started_at", "heard_at", "late"])),
    }, ["processes"]),
    examples: [{ name: "all" }],
  },
  {
    route: "GET /console/log",
    operationId: "listWaitingRecords",
    summary: "Blocked users and dead letters of the whole installation",
    description: "What `heddle log status` shows: records that could not be applied, and the users whose later records wait for them. " +
      `Up to ${limits.heldRedriveMax.toLocaleString("en")} of each, and ${limits.setAsidePageMax} dead letters of each service of consent.`,
    answer: success({
      blocked_users: list(object({ workspace_id, platform_id: text(), at, reason }, ["workspace_id", "platform_id", "at", "reason"])),
      dead_letters: list(
        object({
          partition: whole("Of the intake; absent for consent."),
          lane: text("`subscription` or `messaging-status`, for a record of consent."),
          workspace_id,
          of: text(
            "The user or the address that a record of consent is about; empty where the record does not say it. " +
              "An address takes `console.bodies` too, and is absent without it.",
          ),
          at,
          reason,
        }, ["at", "reason"]),
      ),
      away: list(text(), "Services of consent that did not answer: their dead letters are not among these."),
      more: { type: "boolean", description: "As many are listed as an answer holds: more may wait." },
    }),
    examples: [{ name: "nothing waits", answer: { blocked_users: [], dead_letters: [], away: [], more: false, message: "success" } }],
  },
  {
    route: "POST /console/log/records",
    operationId: "showWaitingRecords",
    summary: "What records say that wait for a human",
    description:
      "Of a blocked user the first record. Named as for `POST /console/log/skip`, ten at most. They hold what was sent of people: " +
      "the key needs `console.bodies` too, which `*` does not hold, and that a session looked is in the audit log.",
    body: object({ records: waiting }, ["records"]),
    answer: success({
      records: list(
        object({
          record: object({}, [], { description: "Absent where this build cannot read it, or where it is larger than 1 MiB." }),
          bytes: whole("How large it is."),
          first_bytes: text("The first 256 of them, in hex."),
        }, ["bytes", "first_bytes"]),
        "In the order of the request.",
      ),
    }, ["records"]),
    reasons: ["NOT_FOUND"],
    examples: [{ name: "none", body: { records: [] }, answer: { records: [], message: "success" } }],
  },
  {
    route: "POST /console/log/redrive",
    operationId: "redriveWaitingRecords",
    summary: "Tries all blocked users and dead letters once more",
    description: "As `heddle log redrive`: after a new build, or when what was in the way is mended.",
    body: object({}),
    answer: success({ blocked_users: whole("How many are tried once more."), dead_letters: whole() }),
    examples: [{ name: "nothing waits", body: {}, answer: { blocked_users: 0, dead_letters: 0, message: "success" } }],
  },
  {
    route: "POST /console/log/skip",
    operationId: "skipWaitingRecord",
    summary: "Passes over records that cannot be applied",
    description:
      "As `heddle log skip`: what they would have done is lost. One after the other; the first that is refused ends it. Of a blocked user `workspace_id`, `platform_id` and `at`; of a " +
      "dead letter of the intake `partition` and `at`; of one of consent `lane`, `workspace_id` and `at`, as `GET /console/log` shows them.",
    body: object({ records: waiting }, ["records"]),
    answer: success({ skipped: whole() }),
    reasons: ["NOT_FOUND", "STATE_CONFLICT"],
    examples: [{ name: "none", body: { records: [] }, answer: { skipped: 0, message: "success" } }],
  },
]);
