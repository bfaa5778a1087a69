/** The port through which the command line and the declaration change who may call. */
import type { Actions } from "./actions.ts";
import type { LastDeclaration } from "./last-declaration.ts";
import type { KeyUses } from "./key-uses.ts";
import type { RequestCounts } from "./request-counts.ts";
import type { AccessRows, AccessWrite, DeclaredKind, DeclaredRow } from "../rows.ts";

export interface AccessAdmin {
  /** Everything as it was last read from the store; after `refresh()` and `transact()` that is how it stands. */
  rows(): AccessRows;
  /**
   * Plans on the rows as they stand and writes the result, whole or not at all and durably; other processes see
   * it within `accessRefreshMs`, and before they answer where they rest. `plan` may run several times, so it keeps no state and throws to write nothing.
   * Refuses: ALREADY_EXISTS (a name, id or secret that must be unique is taken), STORE_UNAVAILABLE (nothing was
   * written), OUTCOME_UNKNOWN (it may have been: look before it is done again).
   */
  transact<T>(plan: AccessPlan<T>): Promise<T>;
  /** What people did by keys. */
  readonly actions: Actions;
  readonly lastDeclaration: LastDeclaration;
  /** When keys were used. */
  readonly uses: KeyUses;
  readonly requests: RequestCounts;
  /** Things of a kind that the declaration names, for the service that owns the kind. */
  declared(workspaceId: string, kind: DeclaredKind): readonly DeclaredRow[];
}

/** `now` is Unix milliseconds. */
export type AccessPlan<T> = (rows: AccessRows, now: number) => { readonly writes: readonly AccessWrite[]; readonly result: T };
