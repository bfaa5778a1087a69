/** What people did in the console: a list for each workspace in a partition of its own, whose entries go by themselves after a while. */
import type { Clock } from "../../../platform/clock.ts";
import { type Documents, idsAboveAll, idsBelowAll } from "../../../platform/documents/documents.ts";
import { newId } from "../../../platform/identifier.ts";
import { limits } from "../../../platform/limits.ts";

export interface Actions {
  note(workspaceId: string, action: Action): Promise<void>;
  /** The newest first, at most `consoleActionsMax`. */
  list(workspaceId: string): Promise<readonly Action[]>;
}

export interface Action {
  /** Unix milliseconds. */
  readonly at: number;
  readonly keyId: string;
  readonly keyName: string;
  readonly requestId: string;
  readonly method: string;
  /** The pattern; never a name of a user. */
  readonly route: string;
  readonly status: number;
  /** Why it was refused; empty for a success. */
  readonly reason: string;
}

export function openActions(
  { documents, installation, clock }: { readonly documents: Documents; readonly installation: string; readonly clock: Clock },
): Actions {
  function partitionOf(workspaceId: string): string {
    return `${installation} actions ${workspaceId}`;
  }
  return {
    async note(workspaceId, action) {
      const value = { ...action, expiresAt: clock.now() + limits.consoleActionsKeepMs };
      await documents.changeIf(partitionOf(workspaceId), { reads: [], plan: () => [{ key: { kind, id: newId("act_", clock) }, value }] });
    },
    async list(workspaceId) {
      const range = { above: idsBelowAll, below: idsAboveAll, limit: limits.consoleActionsMax, descending: true };
      return (await documents.between(partitionOf(workspaceId), kind, range)).map(({ value }) => value as Action);
    },
  };
}

const kind = "action";
