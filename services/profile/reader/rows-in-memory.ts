/** Reads of identity rows that a resolver of this process has in memory: they ask the store for the others alone. */
import type { IdentityKey, IdentityKind } from "../domain/identity/identity.ts";
import type { Applied, IdentityStore } from "../domain/ports.ts";

/** What a resolver has of its partition (Views). */
interface ResolverRows {
  /** What was resolved up to this place of the log is in the rows. */
  readonly through: number;
  /** As the store has it, null where it has none; undefined: not in memory, or about to be changed. */
  stored(workspaceId: string, key: IdentityKey): unknown;
}

/** Of the resolver of a partition; undefined: another process resolves it. */
export type RowsOf = (partition: number) => ResolverRows | undefined;

export interface MemoryOptions<Store extends IdentityStore> {
  /** Keeps its other functions. */
  readonly identities: Store;
  readonly rowsOf: RowsOf;
  readonly applied: Pick<Applied, "decidedThrough">;
  readonly partitionOf: (workspaceId: string) => number;
}

/**
 * Another process may have taken over the partition: the resolver's rows count only where it has decided all that is known to be decided, and so all
 * that a read has waited for.
 */
export function readThroughMemory<Store extends IdentityStore>(
  { identities, rowsOf, applied, partitionOf }: MemoryOptions<Store>,
): Store {
  return {
    ...identities,
    async load(workspaceId, keys) {
      const partition = partitionOf(workspaceId);
      const rows = rowsOf(partition);
      if (rows === undefined || rows.through < applied.decidedThrough({ partition, sequence: 0 })) {
        return await identities.load(workspaceId, keys);
      }
      const found = new Map<IdentityKey, unknown>();
      const others = keys.filter((key) => {
        const row = isOfUsers(key) ? rows.stored(workspaceId, key) : undefined;
        if (row !== undefined && row !== null) found.set(key, row);
        return row === undefined;
      });
      if (others.length > 0) { for (const [key, row] of await identities.load(workspaceId, others)) found.set(key, row); }
      return found;
    },
  };
}

/** Names, addresses, devices and users: rows that end by a record alone. Others the store may forget at their time, unnoticed by the resolver. */
function isOfUsers(key: IdentityKey): boolean {
  return userKinds.has(key.slice(0, 1));
}

const userKinds: ReadonlySet<string> = new Set(["x", "a", "e", "p", "d", "t", "u"] satisfies IdentityKind[]);
