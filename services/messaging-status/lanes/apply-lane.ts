/** Applies records of the lane: loads the addresses, applies, chains the ledger, and writes it all at once. */
import type { LaneRecord } from "../../../platform/lane/lane.ts";
import { chained, type ChainHead, emptyChain, type LedgerEntry } from "../../../platform/ledger/ledger.ts";
import type { Logger } from "../../../platform/logger.ts";
import { type AddressState, unknownAddress } from "../domain/address-state.ts";
import { applyRecord } from "../domain/apply-record.ts";
import type { AddressStore } from "../domain/ports.ts";
import type { StatusRecord } from "../domain/status-record.ts";
import { decodeLaneRecord } from "./lane-message.ts";

/** What a step writes, whole or not at all. */
export interface LaneStep {
  readonly workspaces: readonly WorkspaceStep[];
  /** Records that could not be read: kept, shown, and passed over. */
  readonly setAside: readonly { readonly record: LaneRecord; readonly reason: string }[];
  /** All that the step read; they leave the lane. */
  readonly taken: readonly LaneRecord[];
}

export interface WorkspaceStep {
  readonly workspaceId: string;
  readonly states: ReadonlyMap<string, AddressState>;
  readonly entries: readonly LedgerEntry[];
}

export interface ApplyParts {
  readonly store: Pick<AddressStore, "load">;
  /** The ends of the addresses' chains. */
  readonly heads: (workspaceId: string, subjects: readonly string[]) => Promise<Map<string, ChainHead>>;
  readonly commit: (step: LaneStep) => Promise<void>;
  readonly logger: Logger;
}

export async function applyLane(parts: ApplyParts, taken: readonly LaneRecord[]): Promise<void> {
  const setAside: { record: LaneRecord; reason: string }[] = [];
  const workspaces: WorkspaceStep[] = [];
  for (const [workspaceId, records] of Map.groupBy(taken, (record) => record.workspaceId)) {
    const decoded = records.flatMap((record) => decodedOrAside(record, setAside));
    workspaces.push(await applyWorkspace(parts, workspaceId, decoded));
  }
  await parts.commit({ workspaces, setAside, taken });
  for (const { record: { workspaceId, sequence, part }, reason } of setAside) {
    parts.logger.error("lane_record_set_aside", new Error(reason), { lane: "messaging-status", workspaceId, sequence, part });
  }
}

function decodedOrAside(record: LaneRecord, setAside: { record: LaneRecord; reason: string }[]): StatusRecord[] {
  try {
    return [decodeLaneRecord(record)];
  } catch (error) {
    setAside.push({ record, reason: error instanceof Error ? error.message : String(error) });
    return [];
  }
}

async function applyWorkspace(parts: ApplyParts, workspaceId: string, records: readonly StatusRecord[]): Promise<WorkspaceStep> {
  const addresses = [...new Set(records.map(({ address }) => address))];
  const states = await parts.store.load(workspaceId, addresses);
  const ends = await parts.heads(workspaceId, addresses);
  const entries: LedgerEntry[] = [];
  for (const record of records) {
    const { address: subject, at, requestId, actor, mark: [sequence, part] } = record;
    const state = states.get(subject) ?? unknownAddress(subject);
    states.set(subject, state);
    for (const change of applyRecord(state, record)) {
      const next = chained({ workspaceId, head: ends.get(subject) ?? emptyChain }, {
        subject,
        ...change,
        at,
        actor,
        requestId,
        sequence,
        part,
      });
      ends.set(subject, next.head);
      entries.push(next.entry);
    }
  }
  return { workspaceId, states, entries };
}
