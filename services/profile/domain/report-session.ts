/** Use case: an app session, from the service that learns of it. */
import type { IntakeBody } from "./intake-record.ts";
import { submit, type WriteParts, type WriteRequest, type Written } from "./submit.ts";

/** Refuses as submit does. */
export function reportSession(parts: WriteParts, request: WriteRequest, body: SessionReport): Promise<Written> {
  return submit(parts, request, { body });
}

type SessionReport = Extract<IntakeBody, { type: "reportSession" }>;
