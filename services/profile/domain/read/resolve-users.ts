/** Use case: who is meant, for services that keep data by user (RPC ResolveUsers). */
import { catchUpNames, type ReadDeps, type ReadRequest } from "./catch-up.ts";
import { findUsers } from "./find-users.ts";
import type { UserRow } from "../identity/identity.ts";
import type { Position } from "../ports.ts";
import type { UserKey } from "../record/user-key.ts";

export interface ResolvedUsers {
  /** The users of each key, in the order of the keys. */
  readonly found: readonly (readonly UserRow[])[];
  readonly behind: boolean;
  /** As CaughtUp. */
  readonly end: Position;
}

/** Without keys it is only the wait, until what the log held is decided: consent is not in profiles. */
export async function resolveUsers(
  deps: ReadDeps,
  request: ReadRequest & { readonly users: readonly UserKey[] },
): Promise<ResolvedUsers> {
  const { workspaceId, users } = request;
  function find(): Promise<UserRow[][]> {
    return findUsers(deps.identities, workspaceId, users);
  }
  if (users.length === 0 || deps.readAhead === undefined) {
    const { behind, end } = await catchUpNames(deps, request);
    return { found: await find(), behind, end };
  }
  const { value: found, behind, end } = await deps.readAhead.run(workspaceId, () => catchUpNames(deps, request), find);
  return { found, behind, end };
}
