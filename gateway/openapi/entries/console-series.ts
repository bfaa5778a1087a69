/** DATA: what is written by hand about the series that the console's charts show. */
import { limits } from "../../../platform/limits.ts";
import { entriesOf, type Parameter } from "./entry.ts";
import { list, object, oneOfTexts, type Schema, success, text, whole } from "../schemas/schema.ts";

const number: Schema = { type: "number" };
const time = text("ISO 8601, UTC.");

const range: Parameter = {
  in: "query",
  name: "range",
  description: "`day`: the last 24 hours by minute (the default); `week`: 7 days by hour; `year`: 366 days by day, UTC.",
  schema: oneOfTexts(["day", "week", "year"]),
};
const steps = {
  range: text(),
  from: time,
  to: text("ISO 8601, UTC: the end of the last point, which is still being counted."),
  step_seconds: whole("From one point to the next."),
};
const points = list(list(number), "Unix time of its beginning and the number; where there is none it was 0.");
const examples = [{ name: "the last 24 hours", parameters: { range: "day" } }];

export const consoleSeriesEntries = entriesOf({ tag: "Service", extension: true }, [
  {
    route: "GET /console/series",
    operationId: "getSeries",
    summary: "What was counted in the workspace, as series for charts",
    description:
      "Counted in the step that decides what a request does, with its effects: once, also where a request is repeated with its " +
      "`Idempotency-Key` or a server dies. A count has the time when it was applied, not that of the event, and stays what it was: a merge moves none, and a " +
      "delete takes none back.",
    parameters: [range],
    answer: success({
      ...steps,
      series: list(object({
        metric: text(
          "`objects` of /users/track that reached a user; `users` by what became of them; `events` by name; `purchases` by quantity; `revenue` by " +
            "currency; `consent` by what was set, a fan-out as often as it has users.",
        ),
        name: text(
          `Absent where a metric has one series, and on \`events\` beyond the ${limits.countedEventNamesMax} names that are counted in an hour.`,
        ),
        total: number,
        points,
      }, ["metric", "total", "points"])),
      users: object({
        count: whole("How many users there are now: `new` - `deleted` - `merged` + `unmerged`."),
        counted_since: text("ISO 8601, UTC: who was there before, by a build that did not count, is not among them."),
      }),
    }),
    examples,
  },
  {
    route: "GET /console/requests",
    operationId: "getRequestSeries",
    summary: "How often requests took from each limit of the workspace, and what was refused, as series for charts",
    description: "What gateways answered to keys of the workspace, SCIM apart. Each gateway writes its counts every " +
      `${
        limits.requestCountsWriteMs / 1_000
      } seconds, and what it counted since is lost where it is killed; others see it as soon as it is written.`,
    parameters: [range],
    answer: success({
      ...steps,
      series: list(object({
        metric: text("`requests` and `limited` (those beyond the limit, answered with 429) by limit; `refused` by reason."),
        name: text("Of the limit or the reason."),
        total: whole(),
        points,
      }, ["metric", "name", "total", "points"])),
    }),
    examples,
  },
]);
