/** Use case: attributes, events and purchases into the log (POST /users/track, /users/track/bulk). */
import { type CheckOptions, checkTrack, type TrackReport } from "./check-track.ts";
import type { Idempotency } from "./intake-record.ts";
import { submit, type WriteParts, type WriteRequest, type Written } from "./submit.ts";

export interface TrackInput {
  /** The parsed body. */
  readonly body: unknown;
  readonly limits: CheckOptions;
  /** Waits for requests that are not. */
  readonly bulk: boolean;
  /** For a request with a key: its mark, once the answer is known. */
  readonly markOf?: ((report: TrackReport) => Idempotency) | undefined;
}

/** Refuses as checkTrack and submit do. */
export async function trackUsers(
  parts: WriteParts,
  request: WriteRequest,
  input: TrackInput,
): Promise<Written & { readonly report: TrackReport }> {
  const report = checkTrack(input.body, input.limits);
  const marked = input.markOf === undefined ? request : { ...request, idempotency: input.markOf(report) };
  const priority = input.bulk ? "low" : "normal";
  const written = await submit(parts, marked, { body: { type: "track", objects: report.objects }, priority });
  return { ...written, report };
}
