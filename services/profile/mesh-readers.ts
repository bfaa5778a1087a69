/** The readers of the mesh put together: resolvers and appliers over a log with lanes, shared out among the living processes. */
import type { Clock } from "../../platform/clock.ts";
import { limits } from "../../platform/limits.ts";
import type { FencedSteps } from "../../platform/log/fenced-step.ts";
import type { Log } from "../../platform/log/log.ts";
import { packRecords } from "../../platform/log/packed-records.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Tracer } from "../../platform/telemetry/tracer.ts";
import { applyLane, type LaneApplier } from "./apply/apply-lane.ts";
import { createLanePositions } from "../../platform/lane/lane-positions.ts";
import type { LaneLayout } from "../../platform/lane/layout.ts";
import type { IdentityStore, IdentityWriter, ProfileStore, ProfileWriter } from "./domain/ports.ts";
import type { Events } from "../../platform/events/events.ts";
import { lingering, type Publish } from "./events/lingering.ts";
import { createOutgoing } from "./events/outgoing.ts";
import { eventsOf } from "./events/profile-events.ts";
import { resolveBatch } from "./domain/resolve/batch.ts";
import type { Numbering } from "../../platform/user-number.ts";
import { decodeRecord } from "./intake/record-message.ts";
import { laneRows } from "./lanes/lane-message.ts";
import { packItem, packLaneMessage, readLaneMessage } from "./lanes/profile-lane.ts";
import { createUserCache, userCacheOptions } from "./apply/user-cache.ts";
import { type PureSteps, reportedSteps } from "./apply/pure-steps.ts";
import { createGate, type Gate } from "../../platform/gate.ts";
import { createTimeSlices, type TimeSlices } from "../../platform/time-slices.ts";
import { firstTrouble, type Members, type Ownership, ownWork } from "../../platform/lane/ownership.ts";
import { createProgressPublisher, type ProgressNotices, type ProgressPublisher } from "../../platform/lane/progress-notices.ts";
import type { Reading } from "../../platform/lane/read-on.ts";
import type { RowWatermarks } from "../../platform/lane/row-watermarks.ts";
import type { RowsOf } from "./reader/rows-in-memory.ts";
import { type LaneResolver, resolveToLanes } from "./resolve/publish-steps.ts";
import { createViews, type Views } from "./resolve/views.ts";
import { profileFromRow, profileToRow } from "./store/rows.ts";

export interface MeshReaderOptions {
  /** Names this process among all of them, anew at each start. */
  readonly id: string;
  readonly intake: Log;
  /** The lane log, with the partitions of `layout`, and the steps of the same stream. */
  readonly lanes: Log;
  readonly steps: FencedSteps;
  readonly layout: LaneLayout;
  readonly subjects: {
    readonly partition: (partition: number) => string;
    readonly checkpoint: (name: string) => string;
  };
  readonly identities: IdentityStore & IdentityWriter;
  readonly profiles: ProfileStore & ProfileWriter;
  readonly notices: ProgressNotices;
  readonly members: Members;
  /** Without them only the log records how far the rows come from it. */
  readonly watermarks?: RowWatermarks;
  /** Where the events of what was applied are published. */
  readonly events: Pick<Events, "publish">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly undoWindowMs: number;
  /** New users get a number, by which their rows live together. */
  readonly numbering?: () => Numbering | undefined;
  /** See `laneTrimBytes`. */
  readonly trimBytes: number;
  readonly tracer?: Tracer;
  /** A test makes pure steps fail here. */
  readonly pureSteps?: Partial<PureSteps>;
}

export interface MeshReaders {
  readonly owned: Ownership["owned"];
  /** What the resolver of a partition has in memory; undefined: another process resolves it. */
  readonly rowsOf: RowsOf;
  /** Why something owned does not get on; undefined while all is well. */
  trouble(): string | undefined;
  readonly retry: Ownership["retry"];
  /** Ends after the turns under way, and gives everything to the others. */
  close(): Promise<void>;
}

export function startMeshReaders(options: MeshReaderOptions): MeshReaders {
  const publisher = createProgressPublisher(options);
  const gate = createGate(limits.lanesAppliedAtOnceMax);
  const slices = createTimeSlices(options.clock, limits.timeSliceMs);
  const publishEvents = lingering(options.events.publish, options.clock);
  const partitions = Array.from({ length: options.intake.partitions }, (_, partition) => `${resolving}${partition}`);
  const lanes = Array.from({ length: options.layout.lanes }, (_, lane) => `${applying}${lane}`);
  const resolvers: Resolvers = new Map();
  const appliers: Appliers = new Map();
  const stopListening = options.notices.listen((notice) => {
    if (notice.kind === "awaited") resolvers.get(notice.partition)?.reading.awaited(notice.sequence);
    else if (notice.kind === "laneAwaited") appliers.get(notice.lane)?.awaited(notice.position);
  });
  const ownership = ownWork({
    ...options,
    work: [...partitions, ...lanes],
    start: (work) =>
      work.startsWith(resolving)
        ? startResolver(options, { publisher, slices, resolvers }, Number(work.slice(resolving.length)))
        : startApplier(options, { publisher, slices, gate, publishEvents, appliers }, Number(work.slice(applying.length))),
  });
  return {
    owned: ownership.owned,
    rowsOf: (partition) => resolvers.get(partition)?.views,
    trouble: () => firstTrouble(ownership.owned),
    retry: ownership.retry,
    async close() {
      stopListening();
      await ownership.close();
      publisher.close();
    },
  };
}

const resolving = "resolve-";
const applying = "apply-";

/** By partition, of this process. */
type Resolvers = Map<number, { readonly views: Views; readonly reading: LaneResolver }>;

function startResolver(
  options: MeshReaderOptions,
  { publisher, slices, resolvers }: { publisher: ProgressPublisher; slices: TimeSlices; resolvers: Resolvers },
  partition: number,
): Reading {
  const views = createViews(options.intake.partitions);
  const reading = resolveToLanes({
    ...options,
    partition,
    fenced: options.steps,
    checkpointSubject: options.subjects.checkpoint(`${resolving}${partition}`),
    subjectOf: options.subjects.partition,
    packItem,
    encodeConsent: laneRows,
    packItems: packLaneMessage,
    packConsent: packRecords,
    sizes: () => ({
      messageBytesMax: Math.min(limits.stepMessageBytesMax, options.steps.bodyBytesMax),
      stepBytesMax: limits.stepBytesMax,
    }),
    onWritten: (sequence) => publisher.written(partition, sequence),
    decode: decodeRecord,
    resolve: resolveBatch,
    slices,
    views,
  });
  resolvers.set(partition, { views, reading });
  return {
    ...reading,
    async close() {
      resolvers.delete(partition);
      await reading.close();
    },
  };
}

type Appliers = Map<number, Pick<LaneApplier, "awaited">>;

/** What the appliers of a process have in common. */
interface ApplierShares {
  readonly publisher: ProgressPublisher;
  readonly slices: TimeSlices;
  readonly gate: Gate;
  readonly publishEvents: Publish;
  readonly appliers: Appliers;
}

function startApplier(
  options: MeshReaderOptions,
  { publisher, slices, gate, publishEvents, appliers }: ApplierShares,
  lane: number,
): Reading {
  const outgoing = createOutgoing(publishEvents, options.logger);
  const applier = applyLane({
    ...options,
    lane,
    outgoing,
    eventsOf,
    publish: outgoing.send,
    gate,
    slices,
    steps: reportedSteps(options.logger, options.pureSteps),
    positions: createLanePositions(options.steps, {
      nameOf: (at) => `${applying}${at}`,
      subjectOf: options.subjects.checkpoint,
      ...(options.watermarks && { watermarks: options.watermarks }),
    }),
    cache: createUserCache(userCacheOptions(options.layout.lanes, { profileFromRow, profileToRow })),
    pack: (items) => packLaneMessage(items.map(packItem)),
    unpack: readLaneMessage,
    onApplied: (position) => publisher.applied(lane, position),
  });
  appliers.set(lane, applier);
  return {
    ...applier,
    async close() {
      appliers.delete(lane);
      await applier.close();
    },
  };
}
