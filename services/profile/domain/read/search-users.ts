/** Use case: people found by how a name of theirs begins. */
import { limits } from "../../../../platform/limits.ts";
import { catchUp, type ReadDeps, type ReadRequest } from "./catch-up.ts";
import { holdersOf } from "./find-users.ts";
import type { IdentityKey } from "../identity/identity.ts";
import type { NameIndex, NameKind } from "../ports.ts";
import type { Profile } from "../profile/profile.ts";

export interface FoundNames {
  readonly names: readonly FoundName[];
  /** Undefined at the end. */
  readonly next: string | undefined;
  readonly behind: boolean;
}

interface FoundName {
  readonly name: string;
  /** The first `sharersShownMax`, the one that data for the address goes to first. */
  readonly profiles: readonly Profile[];
  readonly count: number;
}

export interface SearchPorts extends ReadDeps {
  readonly identities: ReadDeps["identities"] & NameIndex;
}

export type SearchRequest = ReadRequest & {
  readonly kind: NameKind;
  readonly prefix: string;
  readonly after?: string;
  readonly size: number;
};

/**
 * A name that is listed and means no user is passed over: one that was just taken away, or that keeps its place while a merge can
 * be undone. Where a page holds such names alone the next is looked at, `searchRoundsMax` at most, so an empty page may have a next one.
 */
export async function searchUsers(ports: SearchPorts, request: SearchRequest): Promise<FoundNames> {
  const { behind } = await catchUp(ports, request);
  const { workspaceId, kind, prefix, signal } = request;
  const max = Math.min(request.size || limits.namesPerPageMax, limits.namesPerPageMax);
  let after = request.after;
  for (let round = 1;; round += 1) {
    const listed = await ports.identities.listNames(workspaceId, kind, { prefix, max, ...(after !== undefined && { after }) });
    const names = await whoHas(ports, workspaceId, listed.map((name) => [name, `${kind}:${name}`] as const));
    signal?.throwIfAborted();
    after = listed.length < max ? undefined : listed.at(-1);
    if (names.length > 0 || after === undefined || round === limits.searchRoundsMax) return { names, next: after, behind };
  }
}

async function whoHas(
  { identities, profiles }: SearchPorts,
  workspaceId: string,
  names: readonly (readonly [name: string, key: IdentityKey])[],
): Promise<FoundName[]> {
  const rows = await identities.load(workspaceId, names.map(([, key]) => key));
  const found = names.map(([name, key]) => ({ name, ids: holdersOf(key, rows.get(key)) }));
  const shown = new Set(found.flatMap(({ ids }) => ids.slice(0, limits.sharersShownMax)));
  const living = await profiles.load(workspaceId, [...shown]);
  return found.flatMap(({ name, ids }) => {
    const some = ids.slice(0, limits.sharersShownMax).flatMap((id) => living.get(id) ?? []);
    return some.length === 0 ? [] : [{ name, profiles: some, count: ids.length > limits.sharersShownMax ? ids.length : some.length }];
  });
}
