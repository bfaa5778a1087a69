/** The profile service put together: store, resolvers, use cases. The only file of the service that sees all of them. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../platform/clock.ts";
import { openSqliteEvents } from "../../platform/events/sqlite.ts";
import { newId } from "../../platform/identifier.ts";
import type { Progress } from "../../platform/lane/progress.ts";
import { limits } from "../../platform/limits.ts";
import type { Log } from "../../platform/log/log.ts";
import { partitionOf } from "../../platform/log/partition.ts";
import type { Logger } from "../../platform/logger.ts";
import { pagesBehind } from "../../platform/pages-behind.ts";
import { repeatedly } from "../../platform/repeatedly.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import { createLagLook, type Lag, openLagMeter } from "../../platform/telemetry/lag.ts";
import { watchLags } from "../../platform/telemetry/lag-history.ts";
import { measuredStore } from "../../platform/telemetry/measured-calls.ts";
import type { Readiness } from "../../platform/telemetry/metrics-server.ts";
import { noTelemetry, type Telemetry } from "../../platform/telemetry/telemetry.ts";
import type { Backlog } from "../../platform/telemetry/work-metrics.ts";
import type { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { type EmailStatuses, noStatuses, renderUsers } from "./domain/read/email-statuses.ts";
import { findUsers } from "./domain/read/find-users.ts";
import type { Applied, Position } from "./domain/ports.ts";
import type { Profile } from "./domain/profile/profile.ts";
import { resolveBatch } from "./domain/resolve/batch.ts";
import type { JsonObject } from "./domain/record/track-object.ts";
import { lastChangedOf } from "./events/last-changed.ts";
import { eventsOf } from "./events/profile-events.ts";
import { createIntake } from "./intake/intake-log.ts";
import { decodeRecord } from "./intake/record-message.ts";
import { userKeyToRead } from "./intake/user-key-message.ts";
import { laneRows } from "./lanes/lane-message.ts";
import { createUserCache, userCacheOptions } from "./apply/user-cache.ts";
import { type PureSteps, reportedSteps } from "./apply/pure-steps.ts";
import { CommittedSteps } from "./resolve/commit-steps.ts";
import { resolvePartition } from "./resolve/resolve-partition.ts";
import type { Resolve } from "./resolve/resolve-workspace.ts";
import { createViews, type Views } from "./resolve/views.ts";
import { lookForRejected } from "./reader/rejected-users.ts";
import { readThroughMemory } from "./reader/rows-in-memory.ts";
import { profileRoutes } from "./rpc/routes.ts";
import { foundToMessage } from "./rpc/status-routes.ts";
import type { ProfileMove } from "./store/moved-rows.ts";
import { profileFromRow, profileToRow } from "./store/rows.ts";
import { sqliteProfileMove } from "./store/moved-sqlite.ts";
import type { Redriven } from "./resolve/redriving.ts";
import { type Asked, openSqliteAsked } from "./store/sqlite-asked.ts";
import { openSqliteProfileStore, type ProfileTables } from "./store/sqlite.ts";

export { emailStatusesBy } from "./clients/email-statuses.ts";
export { type EmailStatuses, noStatuses } from "./domain/read/email-statuses.ts";
export { trackVerdict } from "./domain/track/track-verdict.ts";
export { type ProfileConfig, readProfileConfig } from "./config.ts";
export { logService } from "./lanes/log-operator.ts";
export { openLogOperation } from "./log-operation.ts";

export interface ProfileOptions {
  /** Closed by the caller that opened them, after this part. */
  readonly database: Database;
  readonly log: Log;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly undoWindowMs: number;
  /** Asked for exports; without it no status is known. */
  readonly emailStatuses?: EmailStatuses;
  /** Called after every step that sent something to the services that own consent. */
  readonly onConsent?: () => void;
  readonly telemetry?: Telemetry;
  /** A test makes pure steps fail here. */
  readonly steps?: Partial<PureSteps>;
  readonly resolve?: Resolve;
}

export interface ProfilePart {
  readonly service: ServiceImpl<typeof ProfileService>;
  /** Ready with a reason: some records are set aside or held back, all others are applied. */
  health(): Readiness;
  /** How far each partition is behind the log. */
  lags(): Promise<readonly Lag[]>;
  /** What waits for a human, over all partitions. */
  backlog(): Backlog;
  /** Resolves when everything appended before the call is applied. */
  settled(): Promise<void>;
  /** Tries the records of blocked users once more. */
  redrive(): void;
  /** Ends after the steps under way. What is in the log stays there for the next start. */
  close(): Promise<void>;
}

export async function openProfile(options: ProfileOptions): Promise<ProfilePart> {
  const { database, log, clock, telemetry = noTelemetry } = options;
  const events = await openSqliteEvents({ database, clock });
  const tables = measuredTables(
    await openSqliteProfileStore({
      database,
      encodeLane: laneRows,
      keepEvents: (some) => events.append(some),
      observed: (profiles) => measuredStore(profiles, { store: "profiles", operations: ["load", "loadUsers"] }, telemetry.metrics),
    }),
    telemetry,
  );
  const asked = await openSqliteAsked(database);
  const views = Array.from({ length: log.partitions }, () => createViews(log.partitions));
  const partitions = views.map((own, partition) => startPartition(options, { tables, views: own }, partition));
  const applied = appliedOf(partitions);
  const looks = partitions.map(({ steps: { progress } }, partition) =>
    createLagLook({ lane: `intake-${partition}`, tail: () => log.tail(partition), applied: () => progress.reached }, clock)
  );
  const watched = watchLags(looks.map((look) => openLagMeter(look, clock)), clock);
  const work = { lags: watched.lags, history: watched.history, backlog: () => backlogOf(partitions) };
  const rejected = await lookForRejected({ ...tables, ...options });
  const service = profileRoutes({
    work,
    rejected,
    intake: createIntake(log),
    tracer: telemetry.tracer,
    applied,
    identities: readThroughMemory({
      identities: tables.identities,
      rowsOf: (partition) => views[partition],
      applied,
      partitionOf: (workspaceId) => partitionOf(workspaceId, log.partitions),
    }),
    profiles: tables.profiles,
    clock,
    newJobId: () => newId("job_", clock),
    lastChanged: lastChangedOf(events),
    emailStatuses: options.emailStatuses ?? { load: () => Promise.resolve(noStatuses) },
  });
  async function redrive(asks: Redriven): Promise<void> {
    await Promise.all(partitions.map((partition) => partition.redrive(asks)));
  }
  const stopLooking = lookRegularly(asked, { clock, logger: options.logger }, redrive);
  return {
    service,
    health: () => healthOf(partitions),
    ...work,
    async settled() {
      await Promise.all(partitions.map(async (_, partition) => applied.wait({ partition, sequence: await log.tail(partition) }, Infinity)));
    },
    redrive: () => void redrive({ skips: [], deadLetters: true }),
    close: async () => {
      stopLooking();
      rejected.close();
      watched.close();
      await Promise.all(partitions.map((partition) => partition.close()));
    },
  };
}

type Redrive = (asks: Redriven) => Promise<void>;

/** What `heddle log` asked for beside this process: one thing after the other. */
function lookRegularly(asked: Asked, { clock, logger }: Pick<ProfileOptions, "clock" | "logger">, redrive: Redrive): () => void {
  return repeatedly(clock, limits.askedLookMs, async () => {
    try {
      const found = asked.look();
      if (found !== undefined) {
        await redrive(found);
        await asked.done(found.through);
      }
    } catch (error) {
      logger.error("asked_not_read", error);
    }
  });
}

/** What the tables do while requests wait for it. */
function measuredTables({ identities, profiles, steps }: ProfileTables, { metrics }: Telemetry): ProfileTables {
  return {
    identities: measuredStore(identities, { store: "identities", operations: ["load"] }, metrics),
    profiles,
    steps: measuredStore(steps, { store: "steps", operations: ["commit"] }, metrics),
  };
}

function healthOf(partitions: readonly Partition[]): Readiness {
  const trouble = partitions.map((partition) => partition.trouble()).find((reason) => reason !== undefined);
  if (trouble !== undefined) return { ready: false, reason: trouble };
  const { blockedUsers, deadLetters } = backlogOf(partitions);
  if (blockedUsers + deadLetters === 0) return { ready: true };
  return { ready: true, reason: `Blocked users: ${blockedUsers}, dead letters: ${deadLetters}` };
}

function backlogOf(partitions: readonly Partition[]): Backlog {
  return {
    blockedUsers: partitions.reduce((sum, { steps }) => sum + steps.backlog.blockedUsers, 0),
    deadLetters: partitions.reduce((sum, { steps }) => sum + steps.backlog.deadLetters, 0),
  };
}

/**
 * All users of a workspace in pages, as clients read them, by id: what the tables hold, without the log and its readers, so
 * also from the files of a server that runs. For `heddle export`. The rates are USD per unit, as decimal text.
 */
export async function* readUsers(
  database: Database,
  of: {
    readonly workspaceId: string;
    readonly currencyRates: Readonly<Record<string, string>>;
    readonly emailStatuses: EmailStatuses;
  },
): AsyncGenerator<readonly JsonObject[]> {
  const { profiles, identities } = await openSqliteProfileStore({ database, encodeLane: laneRows });
  // One read transaction for all pages: a server that writes meanwhile changes nothing of what is read here
  database.handle.exec("BEGIN");
  try {
    for await (const page of pagesBehind<Profile>((last) => profiles.page(of.workspaceId, last?.id ?? "", limits.usersPerPageMax))) {
      yield (await renderUsers({ emailStatuses: of.emailStatuses, identities }, page, of)).users;
    }
  } finally {
    database.handle.exec("COMMIT");
  }
}

/** A partition of the log with its resolver, whose steps are transactions. */
interface Partition {
  readonly steps: CommittedSteps;
  readonly redrive: Redrive;
  /** Somebody waits for a step: there is no rest before the next one. */
  hurry(): void;
  /** Why nothing is applied at the moment; undefined while all is well. */
  trouble(): string | undefined;
  /** Ends after the step under way. */
  close(): Promise<void>;
}

function startPartition(options: ProfileOptions, { tables, views }: { tables: ProfileTables; views: Views }, partition: number): Partition {
  const { log, clock, logger, undoWindowMs, onConsent = () => {}, telemetry = noTelemetry } = options;
  const shared = { partition, clock, logger, identities: tables.identities, views };
  const steps = new CommittedSteps({
    ...shared,
    log,
    eventsOf,
    onConsent,
    tracer: telemetry.tracer,
    pureSteps: reportedSteps(logger, options.steps),
    profiles: tables.profiles,
    store: tables.steps,
    cache: createUserCache(userCacheOptions(log.partitions, { profileFromRow, profileToRow })),
    owns: (workspaceId) => partitionOf(workspaceId, log.partitions) === partition,
  });
  const resolve = options.resolve ?? resolveBatch;
  const reading = resolvePartition({ ...shared, intake: log, steps, undoWindowMs, decode: decodeRecord, resolve });
  return {
    steps,
    redrive(asks) {
      const done = steps.redrive(asks);
      reading.hurry();
      reading.wake();
      return done;
    },
    trouble() {
      const reason = reading.trouble();
      return reason === undefined ? undefined : `Cannot apply partition ${partition}: ${reason}`;
    },
    hurry: reading.hurry,
    close: () => reading.close(),
  };
}

function appliedOf(partitions: readonly Partition[]): Applied {
  function of(partition: number): Partition {
    const found = partitions[partition];
    if (found === undefined) throw new Error(`Expected a partition below ${partitions.length}, got ${partition}`);
    return found;
  }
  /** Who waits for it ends the rest before the next step. */
  function awaited({ partition, sequence }: Position): Progress {
    const { steps: { progress }, hurry } = of(partition);
    if (progress.reached < sequence) hurry();
    return progress;
  }
  // A step is a transaction: what is decided is applied
  return {
    wait: (position, ms) => awaited(position).wait(position.sequence, ms),
    through: ({ partition }) => of(partition).steps.progress.reached,
    waitDecided: (position, ms) => awaited(position).waitLeft(position.sequence, ms),
    decidedThrough: ({ partition }) => of(partition).steps.progress.reached,
    waitUsers: (_position, _users, ms) => Promise.resolve(ms),
    outcome: ({ partition, sequence }) => of(partition).steps.outcomes.take(sequence),
  };
}

/** Who is meant, by the data folder: nothing is waited for. For commands. */
export function usersBeside(database: Database): Pick<ServiceImpl<typeof ProfileService>, "resolveUsers"> {
  return {
    async resolveUsers({ scope, users }) {
      const { identities } = await openSqliteProfileStore({ database, encodeLane: laneRows });
      return { keys: (await findUsers(identities, scope?.workspaceId ?? "", users.map(userKeyToRead))).map(foundToMessage) };
    },
  };
}

/** The rows of the data folder, for `heddle backup` and `heddle restore` between the shapes. */
export async function moveProfiles(database: Database): Promise<ProfileMove> {
  return sqliteProfileMove(database, await openSqliteProfileStore({ database, encodeLane: laneRows }));
}
