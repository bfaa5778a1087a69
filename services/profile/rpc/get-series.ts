/** RPC GetSeries. */
import { create } from "@bufbuild/protobuf";
import type { Clock } from "../../../platform/clock.ts";
import { Refusal } from "../../../platform/refusal.ts";
import {
  type GetSeriesRequest,
  type GetSeriesResponse,
  GetSeriesResponseSchema,
  SeriesRange,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ReadParts } from "../domain/catch-up.ts";
import { readSeries, type SeriesRange as Range } from "../domain/read-series.ts";
import { readOf } from "./request.ts";

export async function handleGetSeries(deps: ReadParts & { readonly clock: Clock }, message: GetSeriesRequest): Promise<GetSeriesResponse> {
  const range = ranges.get(message.range);
  if (range === undefined) throw new Refusal("INPUT_INVALID", "Expected a range, got none");
  const { from, to, stepMs, series, users, behind } = await readSeries(deps, { ...readOf(message), range, now: deps.clock.now() });
  return create(GetSeriesResponseSchema, {
    from: BigInt(from),
    to: BigInt(to),
    stepMs: BigInt(stepMs),
    series: series.map(({ name, total, points }) => {
      const end = name.indexOf(":");
      return {
        metric: name.slice(0, end),
        name: name.slice(end + 1),
        total: BigInt(total),
        times: points.map(([at]) => BigInt(at)),
        counts: points.map(([, count]) => BigInt(count)),
      };
    }),
    behind,
    // More may be deleted than were counted, where some were there before
    ...(users && users.count >= 0 && { users: { count: BigInt(users.count), since: BigInt(users.since) } }),
  });
}

const ranges: ReadonlyMap<SeriesRange, Range> = new Map([
  [SeriesRange.DAY, "day"],
  [SeriesRange.WEEK, "week"],
  [SeriesRange.YEAR, "year"],
]);
