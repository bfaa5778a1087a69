/** Use case: who is meant, for services that keep data by user (RPC ResolveUsers). */
import { isBehind, type ReadParts, type ReadRequest } from "./catch-up.ts";
import { findUsers } from "./find-users.ts";
import type { UserRow } from "./identity.ts";
import type { UserKey } from "./user-key.ts";

export interface ResolvedUsers {
  /** The users of each key, in the order of the keys. */
  readonly found: readonly (readonly UserRow[])[];
  readonly behind: boolean;
}

/** Without keys it is only the wait. */
export async function resolveUsers(
  parts: ReadParts,
  request: ReadRequest & { readonly users: readonly UserKey[] },
): Promise<ResolvedUsers> {
  const behind = await isBehind(parts, request);
  const { workspaceId, users } = request;
  if (users.length === 0) return { found: [], behind };
  return { found: await findUsers(parts.identities, workspaceId, users), behind };
}
