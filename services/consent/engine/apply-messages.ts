/**
 * Applies records of a lane of consent. Records are taken in runs, in which a user is party to one merge or undo at most: so it is
 * always known whose row has to be durable first. What a run caused is published before the next one is written, and again
 * where a record turns out to be in already.
 */
import { errorText } from "../../../platform/error-text.ts";
import type { Aged } from "../../../platform/age.ts";
import { halved } from "../../../platform/lane/halve.ts";
import { pagesBehind } from "../../../platform/pages-behind.ts";
import { createHolds, type DecodedRecord, type Holds, planAround, type Planned } from "../../../platform/lane/hold-back.ts";
import type { DeadLetter } from "../../../platform/lane/lane.ts";
import type { LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { limits } from "../../../platform/limits.ts";
import { slicesBySize } from "../../../platform/slices-by-size.ts";
import type { Logger } from "../../../platform/logger.ts";
import { isPassing } from "../../../platform/faults/passing.ts";
import { type TracedLane, tracedRecords } from "../../../platform/telemetry/traced-records.ts";
import type { ConsentTables } from "./tables.ts";
import { areRecords, type LaneBody, type LaneContent, type LaneMessages, type Redrive } from "./lane-message.ts";
import { type ConsentKind, type ConsentRecord, type PlanDeps, planWorkspace, Skew } from "./plan-step.ts";

/** The rows that an applier works on. */
export type AppliedTables<State> = Pick<
  ConsentTables<State>,
  "loadForStep" | "commit" | "entriesSince" | "waiting" | "deadLettersOf" | "forgetSetAside"
>;

export interface ApplyEnds {
  /** Resolves when they are durable; harmless to do again. */
  readonly publish: (workspaceId: string, entries: readonly LedgerEntry[]) => Promise<void>;
  readonly logger: Logger;
  readonly traced: TracedLane;
}

export interface ApplyDeps<State extends Aged, Payload extends ConsentRecord, OfWorkspace = never> extends AppliedTables<State>, ApplyEnds {
  readonly kind: ConsentKind<State, Payload>;
  readonly service: string;
  readonly messages: Pick<LaneMessages<Payload, OfWorkspace>, "readLaneBody" | "decodedFromRow">;
  /** A delete begins a run: the entries of earlier records have to be published before it erases them. */
  readonly isDelete?: (record: Payload) => boolean;
  /** Records behind it are read and judged after it is written; records before it are judged by what held then. */
  readonly applyOfWorkspace?: (workspaceId: string, content: OfWorkspace) => Promise<void>;
}

type Run<Payload> = readonly DecodedRecord<Payload>[];
type AppliedRun<Payload> = Pick<Planned<Payload, unknown>, "free" | "holds">;

/** Everything is saved and published when it resolves. Throws what store and log throw; doing it again is harmless. */
export async function applyLane<State extends Aged, Payload extends ConsentRecord, OfWorkspace = never>(
  deps: ApplyDeps<State, Payload, OfWorkspace>,
  bodies: readonly LaneBody[],
): Promise<void> {
  // What one request says of very many users is not unpacked all at once
  const slices = slicesBySize(bodies, ({ body }) => body.byteLength, { bytesMax: limits.consentSliceBytesMax });
  for (const some of slices) await applySlice(deps, some);
}

async function applySlice<State extends Aged, Payload extends ConsentRecord, OfWorkspace>(
  deps: ApplyDeps<State, Payload, OfWorkspace>,
  bodies: readonly LaneBody[],
): Promise<void> {
  const all = bodies.map(({ body, place }) => deps.messages.readLaneBody(body, place));
  for (const [workspaceId, contents] of Map.groupBy(all, (one) => one.workspaceId)) {
    let holds = createHolds(workspaceId === "" ? [] : await deps.waiting(workspaceId));
    for (const work of worksOf(deps, contents)) {
      if (areRecords<Payload>(work)) holds = (await applyAround(deps, workspaceId, { run: work, holds })).holds;
      else if (isRedrive(work)) holds = await redriveOrReport(deps, workspaceId, { asked: work, holds });
      else await deps.applyOfWorkspace?.(workspaceId, work as OfWorkspace);
    }
  }
}

function isRedrive(work: unknown): work is Redrive {
  return typeof work === "object" && work !== null && "skipped" in work;
}

type Work<Payload, OfWorkspace> = LaneContent<Payload, OfWorkspace>["content"];

function worksOf<Payload extends ConsentRecord, OfWorkspace>(
  deps: Pick<ApplyDeps<Aged, Payload, OfWorkspace>, "isDelete">,
  all: readonly LaneContent<Payload, OfWorkspace>[],
): Work<Payload, OfWorkspace>[] {
  const works: Work<Payload, OfWorkspace>[] = [];
  let records: DecodedRecord<Payload>[] = [];
  for (const { content } of all) {
    if (areRecords<Payload>(content)) {
      for (const one of content) records.push(one);
      continue;
    }
    works.push(...runsOf(deps, records), content);
    records = [];
  }
  return [...works, ...runsOf(deps, records)];
}

function runsOf<Payload>(
  { isDelete }: { readonly isDelete?: (record: Payload) => boolean },
  records: Run<Payload>,
): DecodedRecord<Payload>[][] {
  function erases(record: DecodedRecord<Payload> | undefined): boolean {
    return record?.payload !== undefined && (isDelete?.(record.payload) ?? false);
  }
  const runs: DecodedRecord<Payload>[][] = [];
  let run: DecodedRecord<Payload>[] = [];
  const party = new Set<string>();
  for (const record of records) {
    const { keys } = record;
    const isMerge = keys.length > 1;
    const cuts = run.length >= limits.consentRunRecordsMax || (isMerge && keys.some((key) => party.has(key))) ||
      (erases(record) && !erases(run.at(-1)) && run.length > 0);
    if (cuts) {
      runs.push(run);
      run = [];
      party.clear();
    }
    run.push(record);
    if (isMerge) { for (const key of keys) party.add(key); }
  }
  if (run.length > 0) runs.push(run);
  return runs;
}

/**
 * What fails and does not pass comes from one of the records: halved down to that one, it waits with all that comes later of
 * the same, and the others go on.
 */
async function applyAround<State extends Aged, Payload extends ConsentRecord, OfWorkspace>(
  deps: ApplyDeps<State, Payload, OfWorkspace>,
  workspaceId: string,
  { run, holds }: { readonly run: Run<Payload>; readonly holds: Holds },
): Promise<AppliedRun<Payload>> {
  let after = holds;
  const applied = await halved(run, {
    async work(some) {
      const { free, holds: next } = await applyRun(deps, workspaceId, { run: some, holds: after });
      after = next;
      return free;
    },
    async alone(record, error) {
      const deadLetters = [{ record: record.toRow(), reason: errorText(error) }];
      await deps.commit({ workspaces: [], deadLetters });
      reportDeadLetters(deps.logger, deps.service, deadLetters);
      after = after.copy();
      after.add(record);
      return [];
    },
  });
  return { free: applied.flat(), holds: after };
}

async function applyRun<State extends Aged, Payload extends ConsentRecord, OfWorkspace>(
  deps: ApplyDeps<State, Payload, OfWorkspace>,
  workspaceId: string,
  { run, holds }: { readonly run: Run<Payload>; readonly holds: Holds },
): Promise<AppliedRun<Payload>> {
  const records = run.flatMap(({ payload }) => payload ?? []);
  return await tracedRecords(deps.traced, records, async (writing) => {
    const { plan: { step, stale }, free, deadLetters, holds: after } = await planRun(deps, workspaceId, { run, holds });
    await publishAgain(deps, workspaceId, stale);
    await writing(() => deps.commit({ workspaces: [step], deadLetters }));
    reportDeadLetters(deps.logger, deps.service, deadLetters);
    await deps.publish(workspaceId, step.entries);
    return { free, holds: after };
  });
}

const attemptsMax = 3;

/** Two rows that are read while another applier writes them may not fit each other: then they are read again. */
async function planRun<State extends Aged, Payload extends ConsentRecord>(
  deps: PlanDeps<State, Payload>,
  workspaceId: string,
  { run, holds }: { readonly run: Run<Payload>; readonly holds: Holds },
) {
  function plan(more: { readonly onSkew?: () => void }) {
    return planAround(run, holds, (records, blame) => planWorkspace(deps, workspaceId, { records, blame, ...more }));
  }
  function onSkew(): void {
    throw new Skew("Two states of one record were not read as of one moment");
  }
  for (let attempt = 1; attempt < attemptsMax; attempt += 1) {
    try {
      return await plan({ onSkew });
    } catch (error) {
      if (!(error instanceof Skew)) throw error;
    }
  }
  return await plan({});
}

/**
 * What waits is applied where the request for it stands in the lane: everything of those users or addresses that was sent before
 * waits too. Each is forgotten once it is applied; an applier that stops in between applies it again. No keys: all of the workspace.
 */
async function redrive<State extends Aged, Payload extends ConsentRecord, OfWorkspace>(
  deps: ApplyDeps<State, Payload, OfWorkspace>,
  workspaceId: string,
  { keys, skipped }: Redrive,
): Promise<Holds> {
  await deps.forgetSetAside(
    skipped.map(({ sequence, part, key }) => ({ workspaceId, sequence: Number(sequence), part, key, body: new Uint8Array() })),
  );
  const asked = new Set(keys);
  let holds = createHolds([]);
  const pages = pagesBehind<DeadLetter>((last) => deps.deadLettersOf(workspaceId, limits.setAsideRedrivePage, last?.record));
  for await (const page of pages) {
    const meant = page.map(({ record }) => record).filter(({ key }) => keys.length === 0 || asked.has(key));
    for (const run of runsOf(deps, meant.flatMap((record) => deps.messages.decodedFromRow(record)))) {
      const { free, holds: after } = await applyAround(deps, workspaceId, { run, holds });
      holds = after;
      await deps.forgetSetAside(free.map((record) => record.toRow()));
    }
  }
  return createHolds(await deps.waiting(workspaceId));
}

/** What an operator asked for is asked for again where it fails: the lane goes on. */
async function redriveOrReport<State extends Aged, Payload extends ConsentRecord, OfWorkspace>(
  deps: ApplyDeps<State, Payload, OfWorkspace>,
  workspaceId: string,
  { asked, holds }: { readonly asked: Redrive; readonly holds: Holds },
): Promise<Holds> {
  try {
    return await redrive(deps, workspaceId, asked);
  } catch (error) {
    if (isPassing(error)) throw error;
    deps.logger.error("lane_not_redriven", error, { lane: deps.service, workspaceId });
    return holds;
  }
}

/** The applier that wrote these entries may have died before it published them. */
async function publishAgain<State extends Aged, Payload extends ConsentRecord>(
  { kind, entriesSince, publish }: PlanDeps<State, Payload> & Pick<AppliedTables<State>, "entriesSince"> & Pick<ApplyEnds, "publish">,
  workspaceId: string,
  stale: readonly Payload[],
): Promise<void> {
  if (stale.length === 0) return;
  const places = new Set(stale.map(({ mark }) => mark.join(".")));
  const subjects = [...new Set(stale.flatMap((record) => kind.keysOf(record)))];
  const entries = await entriesSince(workspaceId, subjects, Math.min(...stale.map(({ mark }) => mark[0])));
  await publish(workspaceId, entries.filter((entry) => places.has(`${entry.sequence}.${entry.part}`)));
}

function reportDeadLetters(logger: Logger, lane: string, deadLetters: readonly DeadLetter[]): void {
  for (const { record: { workspaceId, sequence, part }, reason } of deadLetters) {
    logger.error("lane_record_set_aside", new Error(reason), { lane, workspaceId, sequence, part });
  }
}
