/** Use case: the users of a workspace for whom /users/track takes no more objects, and why. */
import { limits } from "../../../platform/limits.ts";
import { catchUp, type ReadParts, type ReadRequest } from "./catch-up.ts";
import type { RejectedUser } from "./ports.ts";

export async function listRejected(
  parts: ReadParts,
  request: ReadRequest,
): Promise<{ readonly users: readonly RejectedUser[]; readonly behind: boolean }> {
  const { behind } = await catchUp(parts, request);
  const users = await parts.profiles.listRejected(limits.rejectedUsersMax);
  return { users: users.filter(({ workspaceId }) => workspaceId === request.workspaceId), behind };
}
