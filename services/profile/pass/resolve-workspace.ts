/** Loads what the resolver asks for until every record of a workspace is resolved or found to be poison. */
import type { Identities } from "../domain/identities.ts";
import type { IntakeRecord } from "../domain/intake-record.ts";
import type { IdentityStore } from "../domain/ports.ts";
import type { Resolution, ResolvedRecord } from "../domain/resolve-batch.ts";
import type { ResolveOptions } from "../domain/resolve-effects.ts";

export type Resolve = (view: Identities, records: readonly IntakeRecord[], options: ResolveOptions) => Resolution;

export interface ResolveParts {
  readonly resolve: Resolve;
  readonly identities: IdentityStore;
  readonly options: ResolveOptions;
}

export interface WorkspaceResolution {
  readonly resolved: readonly ResolvedRecord[];
  readonly failed: readonly { readonly sequence: number; readonly error: unknown }[];
}

/** A record whose resolving throws is passed over whole; the records around it keep their order. */
export async function resolveWorkspace(
  view: Identities,
  records: readonly IntakeRecord[],
  parts: ResolveParts,
): Promise<WorkspaceResolution> {
  const resolved: ResolvedRecord[] = [];
  const failed: { sequence: number; error: unknown }[] = [];
  let rest = records;
  while (rest.length > 0) {
    const part = tryResolve(view, rest, parts);
    if ("error" in part) {
      failed.push({ sequence: rest[0]?.sequence ?? 0, error: part.error });
      rest = rest.slice(1);
      continue;
    }
    for (const record of part.resolved) resolved.push(record);
    rest = rest.slice(part.resolved.length);
    if (part.need !== undefined) await loadRows(view, part.need, parts.identities);
  }
  return { resolved, failed };
}

function tryResolve(view: Identities, records: readonly IntakeRecord[], parts: ResolveParts): Resolution | { error: unknown } {
  try {
    return parts.resolve(view, records, parts.options);
  } catch (error) {
    return { error };
  }
}

async function loadRows(view: Identities, keys: NonNullable<Resolution["need"]>, store: IdentityStore): Promise<void> {
  if (keys.length === 0) throw new Error("Expected the names of missing identity rows, got none");
  const found = await store.load(view.workspaceId, keys);
  view.load(keys.map((key) => [key, found.get(key)] as const));
}
