/** Use case: users out, with all that is known of them (POST /users/delete). */
import type { IntakeBody } from "./intake-record.ts";
import { submit, type WriteParts, type WriteRequest, type Written } from "./submit.ts";

/** Refuses as submit does. */
export function deleteUsers(parts: WriteParts, request: WriteRequest, body: DeleteUsers): Promise<Written> {
  return submit(parts, request, { body });
}

type DeleteUsers = Extract<IntakeBody, { type: "deleteUsers" }>;
