/** A service of consent in one process: the engine over a lane and tables of the shared file, what reads wait for, and what waits for a human. */
import type { DescService } from "@bufbuild/protobuf";
import type { Client, ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../platform/clock.ts";
import { createGate } from "../../platform/gate.ts";
import { openBlocked } from "./lane/blocked.ts";
import { startLaneApplier } from "./lane/lane-applier.ts";
import { laneKey } from "./lane/lane-window.ts";
import { openLanesLag } from "./lane/lanes-lag.ts";
import { watchLags } from "../../platform/telemetry/lag-history.ts";
import { createProgress } from "../../platform/lane/progress.ts";
import { type RedriveMessages, type Redriving, redriving } from "./lane/redrive.ts";
import { limits } from "../../platform/limits.ts";
import type { Log } from "../../platform/log/log.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import type { Readiness } from "../../platform/telemetry/metrics-server.ts";
import type { LaneWork } from "../../platform/telemetry/work-metrics.ts";
import type { Tracer } from "../../platform/telemetry/tracer.ts";
import type { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ApplyEnds } from "./engine/apply-messages.ts";
import type { LaneBody, LaneMessages } from "./engine/lane-message.ts";
import type { SqliteConsent } from "./store/sqlite.ts";

export interface ConsentOptions {
  /** Closed by the caller, after this part. */
  readonly database: Database;
  readonly log: Log;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly profile: Client<typeof ProfileService>;
  readonly tracer?: Tracer;
}

export interface ConsentPart<Service extends DescService> {
  readonly service: ServiceImpl<Service>;
  /** The resolver wrote a step. */
  notify(): void;
  health(): Readiness;
  /** What waits in its lane, and for a human. */
  readonly work: LaneWork;
  close(): Promise<void>;
}

export interface EmbeddedConsentDeps {
  /** As in "messaging-status"; and as a sentence begins with it. */
  readonly service: string;
  readonly title: string;
  readonly tables: SqliteConsent<unknown>;
  readonly messages: RedriveMessages & Pick<LaneMessages<unknown>, "concernOf">;
  readonly apply: (ends: ApplyEnds, bodies: readonly LaneBody[]) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tracer: Tracer;
}

/** Whom a read is about; absent keys: all of them. */
interface Whose {
  readonly workspaceId: string;
  readonly keys?: readonly string[];
}

export function openEmbeddedConsent({ service, title, tables, messages, apply, clock, logger, tracer }: EmbeddedConsentDeps) {
  const { lane, waiting } = tables;
  const progress = createProgress(clock);
  // A step writes its events with its rows
  const ends: ApplyEnds = { publish: () => Promise.resolve(), logger, traced: { tracer, lane: service } };
  const applying = startLaneApplier({
    lane: 0,
    name: service,
    lanes: lane.log,
    positions: lane.positions,
    trimBytes: Infinity,
    concernOf: messages.concernOf,
    apply: (bodies) => apply(ends, bodies),
    pace: {
      usersMax: limits.embeddedBatchUsersMax,
      fanOutUsersMax: limits.embeddedBatchUsersMax,
      idleMs: limits.embeddedLaneLookMs,
      saveMs: limits.embeddedLaneSaveMs,
    },
    gate: createGate(1),
    room: { users: 0, bytes: 0 },
    clock,
    logger,
    onApplied: (position) => progress.advance(position),
  });
  const lag = openLanesLag({ service, lanes: [0], heard: () => ({ tail: lane.tail(), applied: progress.reached }) }, clock);
  const watched = watchLags([lag], clock);
  const work: LaneWork = { ...watched, backlog: () => ({ deadLetters: tables.setAsideCount() }) };
  /** What a process beside this one sent is not heard of. */
  function tail(): number {
    const through = lane.tail();
    if (through > progress.reached) lane.notify();
    return through;
  }
  return {
    /** What the service's RPCs ask of the lane. */
    asked: {
      /** As soon as what the lane holds now is applied, of these users or addresses; bounded. */
      async caughtUp({ workspaceId, keys }: Whose): Promise<boolean> {
        if (keys?.length === 0) return true;
        const through = tail();
        const until = clock.monotonic() + limits.consentWaitMs;
        const named = keys?.map((key) => laneKey(workspaceId, key));
        if (named !== undefined && await applying.ask({ through, keys: named, ms: limits.consentWaitMs })) return true;
        return await progress.wait(through, until - clock.monotonic());
      },
      isBlocked: openBlocked({ waiting, clock, keepMs: 0 }),
      work,
      deadLetters: deadLettersIn(tables, messages),
    },
    notify: () => lane.notify(),
    health() {
      const trouble = applying.trouble();
      if (trouble !== undefined) return { ready: false, reason: `Cannot apply its lane: ${trouble}` };
      const count = tables.setAsideCount();
      return count === 0 ? { ready: true } : { ready: true, reason: `${title} dead letters: ${count}` };
    },
    close() {
      watched.close();
      return applying.close();
    },
  };
}

function deadLettersIn(tables: SqliteConsent<unknown>, messages: RedriveMessages): Redriving {
  return redriving({ ...messages, tables, laneOf: () => 0, append: (_, body) => tables.lane.append(body) });
}

/** What the RPCs of a service ask where a command reads the data folder, also beside a server that runs: nothing is waited for. */
export function consentBeside(
  { service, tables, messages, clock }: Pick<EmbeddedConsentDeps, "service" | "tables" | "clock"> & { readonly messages: RedriveMessages },
) {
  /** By the file: a server that runs keeps its place a moment after it has got there. */
  async function behind(): Promise<number> {
    return Math.max(0, tables.lane.tail() - await tables.lane.positions.load(0));
  }
  return {
    ledger: tables,
    deadLetters: deadLettersIn(tables, messages),
    barrier: { ask: () => () => Promise.resolve(true) },
    isBlocked: openBlocked({ waiting: tables.waiting, clock, keepMs: 0 }),
    work: {
      lags: async () => [{ lane: service, records: await behind(), seconds: 0 }],
      history: () => [],
      backlog: () => ({ deadLetters: tables.setAsideCount() }),
    },
  };
}
