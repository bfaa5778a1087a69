/** Loads what the resolver asks for until every record of a workspace is resolved or found to be a dead letter. */
import { setImmediate } from "node:timers/promises";
import { limits } from "../../../platform/limits.ts";
import { slicesOf } from "../../../platform/slices-by-size.ts";
import type { Identities } from "../domain/identity/identities.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import type { IntakeRecord } from "../domain/record/intake-record.ts";
import type { IdentityStore } from "../domain/ports.ts";
import type { Resolution, ResolvedRecord } from "../domain/resolve/batch.ts";
import type { ResolveOptions } from "../domain/resolve/effects.ts";
import { wantedKeys } from "../domain/resolve/keys.ts";

export type Resolve = (view: Identities, records: readonly IntakeRecord[], options: ResolveOptions) => Resolution;

export interface ResolveDeps {
  readonly resolve: Resolve;
  readonly identities: IdentityStore;
  readonly options: ResolveOptions;
}

export interface WorkspaceResolution {
  readonly resolved: readonly ResolvedRecord[];
  readonly failed: readonly { readonly sequence: number; readonly error: unknown }[];
}

/**
 * A record whose resolving throws is passed over whole; the records around it keep their order. Others get their turn
 * where the resolver stops between two records.
 */
export async function resolveWorkspace(
  view: Identities,
  records: readonly IntakeRecord[],
  deps: ResolveDeps,
): Promise<WorkspaceResolution> {
  const resolved: ResolvedRecord[] = [];
  const failed: { sequence: number; error: unknown }[] = [];
  let rest = records;
  while (rest.length > 0) {
    const part = tryResolve(view, rest, deps);
    if ("error" in part) {
      failed.push({ sequence: rest[0]?.sequence ?? 0, error: part.error });
      rest = rest.slice(1);
      continue;
    }
    for (const record of part.resolved) resolved.push(record);
    rest = rest.slice(part.resolved.length);
    if (part.need !== undefined) await loadAhead(view, rest, { need: part.need, store: deps.identities });
    else if (rest.length > 0) await setImmediate();
  }
  return { resolved, failed };
}

function tryResolve(view: Identities, records: readonly IntakeRecord[], deps: ResolveDeps): Resolution | { error: unknown } {
  try {
    return deps.resolve(view, records, deps.options);
  } catch (error) {
    return { error };
  }
}

/** Loads what is needed and what it leads to (a name to its user, a user to its addresses) before any record is tried again. */
async function loadAhead(
  view: Identities,
  records: readonly IntakeRecord[],
  { need, store }: { readonly need: readonly IdentityKey[]; readonly store: IdentityStore },
): Promise<void> {
  if (need.length === 0) throw new Error("Expected the names of missing identity rows, got none");
  for (let keys = need; keys.length > 0; keys = wantedKeys(view, records)) {
    await loadKeys(view, keys, store);
  }
}

/**
 * So many at once that others get their turn: a fan-out needs the rows of all users who share an address. To find out
 * which took about as long, and so does reading that address.
 */
async function loadKeys(view: Identities, keys: readonly IdentityKey[], store: IdentityStore): Promise<void> {
  const isFanOut = keys.length > limits.identityRowsPerLoad;
  if (isFanOut) await setImmediate();
  for (const some of slicesOf(keys, limits.identityRowsPerLoad)) {
    const found = await store.load(view.workspaceId, some);
    view.load(some, found);
    if (isFanOut || found.values().some(isLong)) await setImmediate();
  }
}

/** Of an address that very many share. */
function isLong(row: unknown): boolean {
  return Array.isArray(row) && row.length > limits.identityRowsPerLoad;
}
