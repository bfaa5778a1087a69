/** Use case: a merge taken back (POST /users/merge/undo). */
import { Refusal } from "../../../platform/refusal.ts";
import { submitDecided, type WriteParts, type WriteRequest, type Written } from "./submit.ts";

/** Refuses STATE_CONFLICT with the resolver's reason where the merge cannot be taken back, else as submitDecided does. */
export async function undoMerge(
  parts: WriteParts,
  request: WriteRequest,
  merge: { readonly jobId: string; readonly index: number },
): Promise<Written> {
  const decided = await submitDecided(parts, request, { type: "undoMerge", ...merge });
  const refused = decided.outcome.items?.find((item) => !item.ok);
  if (refused !== undefined) throw new Refusal("STATE_CONFLICT", refused.reason);
  return decided;
}
