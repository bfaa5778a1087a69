/** Use case: aliases for users, and alias-only users (POST /users/alias/new). */
import type { IntakeBody } from "./intake-record.ts";
import { type Decided, submitDecided, type WriteParts, type WriteRequest } from "./submit.ts";

/** Refuses as submitDecided does. */
export function createAliases(parts: WriteParts, request: WriteRequest, body: CreateAliases): Promise<Decided> {
  return submitDecided(parts, request, body);
}

type CreateAliases = Extract<IntakeBody, { type: "createAliases" }>;
