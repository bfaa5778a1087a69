/** Use case: one user into another (POST /users/merge). */
import type { IntakeBody } from "./intake-record.ts";
import { submit, type WriteParts, type WriteRequest, type Written } from "./submit.ts";

/** Refuses as submit does. */
export function mergeUsers(parts: WriteParts, request: WriteRequest, body: MergeUsers): Promise<Written> {
  return submit(parts, request, { body });
}

type MergeUsers = Extract<IntakeBody, { type: "mergeUsers" }>;
