/** GET /console/requests: how often requests took from each limit and what was refused, by minute, hour or day, as charts show it. */
import { invalid } from "../decode/fields.ts";
import { onlyValue, queryOf } from "../decode/query.ts";
import { success } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

export async function handleConsoleRequests(call: Call, { console }: Pick<Deps, "console">): Promise<Reply> {
  const name = onlyValue(queryOf(call.query), "range") ?? "day";
  const range = ranges.get(name);
  if (range === undefined) throw invalid(`'range' must be ${[...ranges.keys()].join(", ")}`);
  const { stepMs, steps, by } = range;
  const to = (Math.floor(console.now() / stepMs) + 1) * stepMs;
  const from = to - steps * stepMs;
  const series = new Map<string, Map<number, number>>();
  for (const { at, counts } of await console.requests(call.spent.permit.caller.holder, by, from)) {
    const step = Math.floor(at / stepMs) * stepMs;
    for (const [counted, count] of counts) {
      const points = series.get(counted) ?? new Map<number, number>();
      series.set(counted, points.set(step, (points.get(step) ?? 0) + count));
    }
  }
  return success({
    range: name,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    step_seconds: stepMs / 1_000,
    series: [...series].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([counted, points]) => {
      const end = counted.indexOf(":");
      return {
        metric: counted.slice(0, end),
        name: counted.slice(end + 1),
        total: [...points.values()].reduce((sum, count) => sum + count, 0),
        points: [...points].toSorted(([a], [b]) => a - b).map(([at, count]) => [at / 1_000, count]),
      };
    }),
  });
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const ranges: ReadonlyMap<string, { readonly stepMs: number; readonly steps: number; readonly by: "minute" | "hour" }> = new Map([
  ["day", { stepMs: minuteMs, steps: 1_440, by: "minute" }],
  ["week", { stepMs: hourMs, steps: 168, by: "hour" }],
  ["year", { stepMs: 24 * hourMs, steps: 366, by: "hour" }],
]);
