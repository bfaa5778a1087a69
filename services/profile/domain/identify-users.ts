/** Use case: external ids for users without one (POST /users/identify). */
import type { IntakeBody } from "./intake-record.ts";
import { submit, type WriteParts, type WriteRequest, type Written } from "./submit.ts";

/** Refuses as submit does. */
export function identifyUsers(parts: WriteParts, request: WriteRequest, body: IdentifyUsers): Promise<Written> {
  return submit(parts, request, { body });
}

type IdentifyUsers = Extract<IntakeBody, { type: "identifyUsers" }>;
