/**
 * Applies records of a lane of the mesh, where each address's row is a write of its own. What they caused is published
 * after it is written, and again where a record turns out to be in already.
 */
import type { SetAside } from "../../../platform/lane/lane.ts";
import type { LaneBody } from "../../../platform/lane/lane-applier.ts";
import type { LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { limits } from "../../../platform/limits.ts";
import type { Logger } from "../../../platform/logger.ts";
import { type TracedLane, tracedRecords } from "../../../platform/telemetry/traced-records.ts";
import type { StatusRecord } from "../domain/status-record.ts";
import { type LaneStep, reportSetAside } from "./apply-lane.ts";
import { decodeLaneBody } from "./lane-message.ts";
import { type PlanParts, planWorkspace } from "./plan-step.ts";

export interface MeshApplyParts extends PlanParts {
  readonly commit: (step: LaneStep) => Promise<void>;
  /** Entries of these addresses whose cause lies at `sequence` or later. */
  readonly entriesSince: (workspaceId: string, addresses: readonly string[], sequence: number) => Promise<readonly LedgerEntry[]>;
  /** Resolves when they are durable; harmless to do again. */
  readonly publish: (workspaceId: string, entries: readonly LedgerEntry[]) => Promise<void>;
  readonly logger: Logger;
  readonly traced: TracedLane;
}

/** Everything is saved and published when it resolves. Throws what store and log throw; doing it again is harmless. */
export async function applyMessages(parts: MeshApplyParts, bodies: readonly LaneBody[]): Promise<void> {
  const setAside: SetAside[] = [];
  const workspaces = decoded(bodies, setAside);
  if (setAside.length > 0) await parts.commit({ workspaces: [], setAside, taken: [] });
  reportSetAside(parts.logger, setAside);
  for (const [workspaceId, records] of workspaces) {
    for (let at = 0; at < records.length; at += limits.consentRunRecordsMax) {
      await applyRun(parts, workspaceId, records.slice(at, at + limits.consentRunRecordsMax));
    }
  }
}

function decoded(bodies: readonly LaneBody[], setAside: SetAside[]): Map<string, StatusRecord[]> {
  const workspaces = new Map<string, StatusRecord[]>();
  for (const { body, place: [sequence, part] } of bodies) {
    try {
      const { workspaceId, record } = decodeLaneBody(body);
      const records = workspaces.get(workspaceId);
      if (records === undefined) workspaces.set(workspaceId, [record]);
      else records.push(record);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      setAside.push({ record: { workspaceId: "", sequence, part, key: "", body }, reason });
    }
  }
  return workspaces;
}

async function applyRun(parts: MeshApplyParts, workspaceId: string, run: readonly StatusRecord[]): Promise<void> {
  await tracedRecords(parts.traced, run, async (writing) => {
    const { step, stale } = await planWorkspace(parts, workspaceId, run);
    await publishAgain(parts, workspaceId, stale);
    await writing(() => parts.commit({ workspaces: [step], setAside: [], taken: [] }));
    await parts.publish(workspaceId, step.entries);
  });
}

/** Whoever wrote these entries may have died before they were published. */
async function publishAgain(parts: MeshApplyParts, workspaceId: string, stale: readonly StatusRecord[]): Promise<void> {
  if (stale.length === 0) return;
  const places = new Set(stale.map(({ mark }) => mark.join(".")));
  const addresses = [...new Set(stale.map(({ address }) => address))];
  const entries = await parts.entriesSince(workspaceId, addresses, Math.min(...stale.map(({ mark }) => mark[0])));
  await parts.publish(workspaceId, entries.filter((entry) => places.has(`${entry.sequence}.${entry.part}`)));
}
