/** Use case: aliases for users, and alias-only users (POST /users/alias/new). */
import type { IntakeBody } from "./intake-record.ts";
import { submit, type WriteParts, type WriteRequest, type Written } from "./submit.ts";

/** Refuses as submit does. */
export function createAliases(parts: WriteParts, request: WriteRequest, body: CreateAliases): Promise<Written> {
  return submit(parts, request, { body });
}

type CreateAliases = Extract<IntakeBody, { type: "createAliases" }>;
