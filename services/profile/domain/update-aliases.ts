/** Use case: new names for aliases (POST /users/alias/update). */
import type { IntakeBody } from "./intake-record.ts";
import { type Decided, submitDecided, type WriteParts, type WriteRequest } from "./submit.ts";

/** Refuses as submitDecided does. */
export function updateAliases(parts: WriteParts, request: WriteRequest, body: RenameAliases): Promise<Decided> {
  return submitDecided(parts, request, body);
}

type RenameAliases = Extract<IntakeBody, { type: "renameAliases" }>;
