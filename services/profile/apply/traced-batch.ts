/** A batch of lane items whose rows are written in the spans of their requests. */
import type { Tracer } from "../../../platform/telemetry/tracer.ts";
import { tracedRecords } from "../../../platform/telemetry/traced-records.ts";
import type { Addressed } from "../domain/lane-item.ts";
import type { UserTables } from "../domain/ports.ts";

export interface TracedParts {
  readonly tracer?: Tracer;
  readonly lane: number;
  readonly profiles: UserTables;
}

/** `work` gets the profiles to write with. */
export async function tracedBatch<T>(
  { tracer, lane, profiles }: TracedParts,
  items: readonly Addressed[],
  work: (profiles: UserTables) => Promise<T>,
): Promise<T> {
  if (!tracer?.on) return await work(profiles);
  return await tracedRecords({ tracer, lane: `profile-${lane}` }, items, (writing) => {
    return work({ ...profiles, save: (changes) => writing(() => profiles.save(changes)) });
  });
}
