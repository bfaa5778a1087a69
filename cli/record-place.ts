/** The record that `heddle log show` and `heddle log skip` mean, by their options. */
import type { WorkspaceOptions } from "./access-place.ts";
import type { LedgerPlace } from "./consent-place.ts";
import { UsageError } from "./output.ts";

export interface RecordOptions extends WorkspaceOptions {
  readonly user?: string;
  readonly lane?: string;
  readonly partition?: string;
  readonly at: string;
}

/** Of a lane of consent, of a blocked user, or of the intake. */
type RecordPlace =
  | { readonly lane: LedgerPlace["ledger"]; readonly workspaceId: string; readonly sequence: number; readonly part: number }
  | { readonly workspaceId: string; readonly userId: string; readonly mark: readonly [sequence: number, part: number] }
  | { readonly partition: number; readonly sequence: number };

/** Throws UsageError. */
export function placeOf({ workspace: workspaceId, user: userId, lane, partition, at }: RecordOptions): RecordPlace {
  if (partition !== undefined) {
    const isPlace = /^\d{1,5}$/.test(partition) && /^\d{1,15}$/.test(at);
    if (!isPlace) throw new UsageError(`Expected numbers as in --partition 3 --at 17, got "${partition}" and "${at}"`);
    return { partition: Number(partition), sequence: Number(at) };
  }
  const [, sequence = "", part = ""] = /^(\d{1,15})[.](\d{1,9})$/.exec(at) ?? [];
  if (sequence === "") throw new UsageError(`Expected a place such as 17.0, got "${at}"`);
  if (workspaceId === undefined) throw new UsageError("Expected --workspace, or --partition for a dead letter");
  if (lane !== undefined) return { lane: laneOf(lane), workspaceId, sequence: Number(sequence), part: Number(part) };
  if (userId === undefined) throw new UsageError("Expected --user, or --lane for a record of consent");
  return { workspaceId, userId, mark: [Number(sequence), Number(part)] };
}

function laneOf(name: string): LedgerPlace["ledger"] {
  if (name === "subscription" || name === "messaging-status") return name;
  throw new UsageError(`Expected subscription or messaging-status, got "${name}"`);
}
