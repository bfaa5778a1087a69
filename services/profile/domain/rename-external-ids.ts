/** Use case: new external ids, the old ones still resolve (POST /users/external_ids/rename). */
import type { IntakeBody } from "./intake-record.ts";
import { type Decided, submitDecided, type WriteParts, type WriteRequest } from "./submit.ts";

/** Refuses as submitDecided does. */
export function renameExternalIds(parts: WriteParts, request: WriteRequest, body: RenameExternalIds): Promise<Decided> {
  return submitDecided(parts, request, body);
}

type RenameExternalIds = Extract<IntakeBody, { type: "renameExternalIds" }>;
