/** Which requests of a run are worth remembering: those that set a field of a profile. */
import type { IntakeRecord } from "../domain/intake-record.ts";
import type { RequestOrigin } from "../domain/ports.ts";
import type { ProfileRecord } from "../domain/profile-record.ts";
import type { ResolvedRecord } from "../domain/resolve-batch.ts";

/** In the order of the log. `records` holds all that are resolved. */
export function originsOf(records: readonly IntakeRecord[], resolved: readonly ResolvedRecord[]): RequestOrigin[] {
  const setting = new Set<number>();
  for (const { sequence, profiles } of resolved) if (profiles.some(setsFields)) setting.add(sequence);
  if (setting.size === 0) return [];
  return records.flatMap(({ sequence, requestId, actor, receivedAt, body }) =>
    setting.has(sequence) ? [{ sequence, requestId, actor, receivedAt, what: body.type }] : []
  );
}

/** Events, purchases and engagements only count. */
function setsFields({ change: { type } }: ProfileRecord): boolean {
  return type !== "event" && type !== "purchase" && type !== "engagement";
}
