/** Use case: new names for aliases (POST /users/alias/update). */
import type { IntakeBody } from "./intake-record.ts";
import { submit, type WriteParts, type WriteRequest, type Written } from "./submit.ts";

/** Refuses as submit does. */
export function updateAliases(parts: WriteParts, request: WriteRequest, body: RenameAliases): Promise<Written> {
  return submit(parts, request, { body });
}

type RenameAliases = Extract<IntakeBody, { type: "renameAliases" }>;
