/** What an operator reads of a record that waits: one of the intake as it was sent, that of a held user as it was resolved. */
import { Buffer } from "node:buffer";
import { type ShownRecord, shownRecord } from "../../../platform/lane/shown-record.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { DeadLetterId, DeadLetterRecord, ProfileStore } from "../domain/ports.ts";
import type { RecordId } from "../../../platform/age.ts";
import { recordJson } from "../intake/record-json.ts";

export interface BlockedRecordId {
  readonly workspaceId: string;
  readonly userId: string;
  readonly mark: RecordId;
}

/** Refuses NOT_FOUND where no record waits at the place, or the user's first one waits at another. */
export async function showRecord(
  profiles: Pick<ProfileStore, "loadBlocked" | "loadDeadLetter">,
  place: BlockedRecordId | DeadLetterId,
): Promise<ShownRecord> {
  if (!("userId" in place)) {
    return shownRecord((await foundDeadLetter(profiles, place)).body, recordJson);
  }
  const { workspaceId, userId, mark: [sequence, part] } = place;
  const [first] = (await profiles.loadBlocked(workspaceId, [userId], 1)).get(userId)?.records ?? [];
  if (first?.mark[0] !== sequence || first.mark[1] !== part) {
    throw new Refusal("NOT_FOUND", `Expected a record that holds "${userId}" back at ${sequence}.${part}, got none`);
  }
  return shownRecord(Buffer.from(JSON.stringify(first)), () => first);
}

/** Refuses NOT_FOUND where nothing was set aside at the place. */
export async function foundDeadLetter(
  profiles: Pick<ProfileStore, "loadDeadLetter">,
  place: DeadLetterId,
): Promise<DeadLetterRecord> {
  const found = await profiles.loadDeadLetter(place);
  if (found !== undefined) return found;
  throw new Refusal("NOT_FOUND", `Expected a dead letter at ${place.sequence} of partition ${place.partition}, got none`);
}
