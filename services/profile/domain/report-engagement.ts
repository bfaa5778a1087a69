/** Use case: a message interaction, from the service that sends. */
import type { IntakeBody } from "./intake-record.ts";
import { submit, type WriteParts, type WriteRequest, type Written } from "./submit.ts";

/** Refuses as submit does. */
export function reportEngagement(parts: WriteParts, request: WriteRequest, body: EngagementReport): Promise<Written> {
  return submit(parts, request, { body });
}

type EngagementReport = Extract<IntakeBody, { type: "reportEngagement" }>;
