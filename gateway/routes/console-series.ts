/** GET /console/series: what was counted of the workspace, by minute, hour or day, as charts show it. */
import { numbersOf } from "../../platform/enum-names.ts";
import { type Series, SeriesRange } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { invalid } from "../decode/fields.ts";
import { onlyValue, queryOf } from "../decode/query.ts";
import { readReply } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

export async function handleConsoleSeries(call: Call, { profile }: Pick<Deps, "profile">): Promise<Reply> {
  const name = onlyValue(queryOf(call.query), "range") ?? "day";
  const range = ranges.get(name);
  if (range === undefined) throw invalid(`'range' must be ${[...ranges.keys()].join(", ")}`);
  const { from, to, stepMs, series, users, behind } = await profile.getSeries({ scope: call.scope, range }, call.reading);
  return readReply({
    range: name,
    from: new Date(Number(from)).toISOString(),
    to: new Date(Number(to)).toISOString(),
    step_seconds: Number(stepMs) / 1_000,
    series: series.map(seriesOf),
    ...(users && { users: { count: Number(users.count), counted_since: new Date(Number(users.since)).toISOString() } }),
  }, { behind });
}

const ranges = new Map(Object.entries(numbersOf(SeriesRange)));

function seriesOf({ metric, name, total, times, counts }: Series): object {
  const amountOf = metric === "revenue" ? (cents: bigint) => Number(cents) / 100 : Number;
  return {
    metric,
    ...(name !== "" && { name }),
    total: amountOf(total),
    points: times.map((at, place) => [Number(at) / 1_000, amountOf(counts[place] ?? 0n)]),
  };
}
