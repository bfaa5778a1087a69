/** The filter of lists with dates: `start_date`, `end_date`, `limit`, `offset` (api-facts 5). */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { limits } from "../../platform/limits.ts";
import type { AddressFilterSchema } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { takeAll } from "./elements.ts";
import { invalid } from "./fields.ts";
import { checkCount } from "./lists.ts";
import { offsetOf, onlyValue, type Query, wholeOf } from "./query.ts";

export type AddressFilter = MessageInitShape<typeof AddressFilterSchema>;

/**
 * By the addresses under `name`, or by dates: days are midnight UTC, so the end date itself is no longer in. Addresses win over dates.
 * Throws INPUT_INVALID, BATCH_TOO_LARGE.
 */
export function addressFilterOf(query: Query, name: string, decode: (address: string, name: string) => string): AddressFilter {
  const sent = query.get(name) ?? [];
  checkCount(sent);
  const addresses = takeAll(sent, name, (address) => decode(address, name));
  const page = {
    limit: wholeOf(query, "limit", { min: 1, max: limits.addressesPageMax, fallback: limits.addressesPageDefault }),
    offset: offsetOf(query),
  };
  if (addresses.length > 0) return { ...page, addresses };
  const from = dayOf(query, "start_date");
  const to = dayOf(query, "end_date");
  if (from === undefined || to === undefined) throw invalid(`'start_date' and 'end_date', or '${name}', are required`);
  if (from > to) throw invalid("'start_date' must not be after 'end_date'");
  return { ...page, from: BigInt(from), to: BigInt(to) };
}

/** Unix milliseconds of a `YYYY-MM-DD`. */
function dayOf(query: Query, name: string): number | undefined {
  const text = onlyValue(query, name);
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (!Number.isFinite(time) || !new Date(time).toISOString().startsWith(text)) throw invalid(`'${name}' must be a date as YYYY-MM-DD`);
  return time;
}

/** `asc` or `desc`, which is the default. */
export function isAscending(query: Query): boolean {
  const direction = onlyValue(query, "sort_direction") ?? "desc";
  if (direction !== "asc" && direction !== "desc") throw invalid("'sort_direction' must be 'asc' or 'desc'");
  return direction === "asc";
}

/** `2020-06-17 19:27:44 +0000`, as it was recorded (api-facts 5). */
export function timeText(at: bigint): string {
  return `${new Date(Number(at)).toISOString().slice(0, "yyyy-mm-ddThh:mm:ss".length).replace("T", " ")} +0000`;
}
