/** Which requests a live view shows: by route, outcome, reason and name of an event. Pure. */
import type { LiveRequest, SeenRequest } from "./seen.ts";

/** What is left out takes all. */
export interface LiveFilter {
  /** The pattern. */
  readonly route?: string;
  /** `taken`, `refused`, or the number of a status. */
  readonly status?: string;
  readonly reason?: string;
  /** Name of a custom event. */
  readonly event?: string;
}

/** Equal filters are one, so that requests are looked at and sampled once for all of their views. */
export function keyOfFilter({ route, status, reason, event }: LiveFilter): string {
  return JSON.stringify([route, status, reason, event]);
}

/** Whether a request may be shown: what a body may hold is looked for as bytes, as nothing is parsed before it is sampled. */
export function mayMatch(filter: LiveFilter, seen: Pick<SeenRequest, "route" | "status" | "reason" | "body">): boolean {
  if (filter.route !== undefined && filter.route !== seen.route) return false;
  if (filter.reason !== undefined && filter.reason !== seen.reason) return false;
  return isOutcome(filter.status, seen.status) && (filter.event === undefined || mayName(seen.body, filter.event));
}

/** As mayMatch(), of what is shown. */
export function matches(
  filter: LiveFilter,
  shown: Pick<LiveRequest, "route" | "status" | "reason" | "events" | "unread">,
): boolean {
  if (filter.route !== undefined && filter.route !== shown.route) return false;
  if (filter.reason !== undefined && filter.reason !== shown.reason) return false;
  return isOutcome(filter.status, shown.status) &&
    (filter.event === undefined || shown.unread === true || shown.events?.includes(filter.event) === true);
}

function isOutcome(wanted: string | undefined, status: number): boolean {
  if (wanted === undefined) return true;
  if (wanted === "taken") return status < refusedFrom;
  return wanted === "refused" ? status >= refusedFrom : String(status) === wanted;
}

const refusedFrom = 400;

/** As JSON has it, and as writers have it that escape all but ASCII. */
function mayName(body: Uint8Array | undefined, name: string): boolean {
  if (body === undefined) return false;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const quoted = JSON.stringify(name);
  if (bytes.includes(quoted)) return true;
  const ascii = quoted.replaceAll(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return ascii !== quoted && bytes.includes(ascii);
}
