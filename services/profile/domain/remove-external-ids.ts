/** Use case: former external ids forgotten (POST /users/external_ids/remove). */
import type { IntakeBody } from "./intake-record.ts";
import { type Decided, submitDecided, type WriteParts, type WriteRequest } from "./submit.ts";

/** Refuses as submitDecided does. */
export function removeExternalIds(parts: WriteParts, request: WriteRequest, body: RemoveExternalIds): Promise<Decided> {
  return submitDecided(parts, request, body);
}

type RemoveExternalIds = Extract<IntakeBody, { type: "removeExternalIds" }>;
