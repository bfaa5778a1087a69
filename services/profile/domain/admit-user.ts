/** Use case: a rejected user back in, by an operator. */
import { Refusal } from "../../../platform/refusal.ts";
import type { RejectedUsers } from "./rejection.ts";
import { submitDecided, type WriteParts, type WriteRequest, type Written } from "./submit.ts";
import type { UserKey } from "./user-key.ts";

/** Resolves when this process takes data of the user again. Refuses NOT_FOUND, and as submit does. */
export async function admitUser(
  parts: WriteParts & { readonly rejected: RejectedUsers },
  request: WriteRequest,
  user: UserKey,
): Promise<Written> {
  const { outcome, ...written } = await submitDecided(parts, request, { type: "admitUser", user });
  const [item] = outcome.items ?? [];
  if (item !== undefined && !item.ok) throw new Refusal("NOT_FOUND", item.reason);
  await parts.rejected.look();
  return written;
}
