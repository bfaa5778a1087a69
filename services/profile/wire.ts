/** The profile service put together: store, passes, use cases. The only file of the service that sees all of them. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../platform/clock.ts";
import { openSqliteEvents } from "../../platform/events/sqlite.ts";
import { newId } from "../../platform/identifier.ts";
import { limits } from "../../platform/limits.ts";
import type { Log } from "../../platform/log/log.ts";
import { partitionOf } from "../../platform/log/partition.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import { type Lag, openLagMeter } from "../../platform/telemetry/lag.ts";
import { measuredStore } from "../../platform/telemetry/measured-calls.ts";
import { noTelemetry, type Telemetry } from "../../platform/telemetry/telemetry.ts";
import type { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { freeze, takeBack, takeIn } from "./domain/apply-merge.ts";
import { applyRecord } from "./domain/apply-records.ts";
import { type EmailStatuses, noStatuses, statusesOf, statusOf } from "./domain/email-statuses.ts";
import { findUsers } from "./domain/find-users.ts";
import type { Applied } from "./domain/ports.ts";
import { renderProfile } from "./domain/render-profile.ts";
import { resolveBatch } from "./domain/resolve-batch.ts";
import type { JsonObject } from "./domain/track-object.ts";
import type { UserId, UserKey } from "./domain/user-key.ts";
import { eventsOf } from "./events/profile-events.ts";
import { createIntake } from "./intake/intake-log.ts";
import { decodeRecord } from "./intake/record-message.ts";
import { laneRows } from "./lanes/lane-message.ts";
import { createViews } from "./pass/plan-step.ts";
import type { Resolve } from "./pass/resolve-workspace.ts";
import { type Backlog, type Pass, runPass } from "./pass/run-pass.ts";
import { createUserCache } from "./pass/user-cache.ts";
import { reportedSteps } from "./pass/reported-steps.ts";
import type { PureSteps } from "./pass/workspace-work.ts";
import { lookForRejected } from "./reader/rejected-users.ts";
import { profileRoutes } from "./rpc/routes.ts";
import type { ProfileMove } from "./store/moved-rows.ts";
import { sqliteProfileMove } from "./store/moved-sqlite.ts";
import { type Asked, openSqliteAsked } from "./store/sqlite-asked.ts";
import { openSqliteProfileStore, type ProfileTables } from "./store/sqlite.ts";

export { emailStatusesBy } from "./clients/email-statuses.ts";
export { type EmailStatuses, noStatuses } from "./domain/email-statuses.ts";
export { trackVerdict } from "./domain/track-verdict.ts";
export { type ProfileConfig, readProfileConfig } from "./config.ts";
export { type LogOperation, openLogOperation } from "./log-operation.ts";

export interface ProfileOptions {
  /** Closed by whoever opened them, after this part. */
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
  health(): Health;
  /** How far each pass is behind the log. */
  lags(): Promise<readonly Lag[]>;
  /** What waits for a human, over all passes. */
  backlog(): Backlog;
  /** Resolves when everything appended before the call is applied. */
  settled(): Promise<void>;
  /** Tries the records of held users once more. */
  redrive(): void;
  /** Ends the passes after the steps under way. What is in the log stays there for the next start. */
  close(): Promise<void>;
}

interface Health {
  readonly ready: boolean;
  readonly reason?: string;
}

export async function openProfile(options: ProfileOptions): Promise<ProfilePart> {
  const { database, log, clock, telemetry = noTelemetry } = options;
  const events = await openSqliteEvents({ database, clock });
  const stored = await openSqliteProfileStore({
    database,
    encodeLane: laneRows,
    onCommit: (step) => events.append(step.workspaces.flatMap(({ workspaceId, told = [] }) => eventsOf(workspaceId, told))),
  });
  const opened = tellingOfConsent(stored, options.onConsent);
  const tables = measuredTables(opened, telemetry);
  const asked = await openSqliteAsked(database);
  const passes = Array.from({ length: log.partitions }, (_, partition) => startPass(options, tables, partition));
  const meters = passes.map(({ progress }, partition) =>
    openLagMeter({ lane: `intake-${partition}`, tail: () => log.tail(partition), applied: () => progress.applied }, clock)
  );
  const work = { lags: () => Promise.all(meters.map((meter) => meter.read())), backlog: () => backlogOf(passes) };
  const rejected = await lookForRejected({ ...tables, ...options });
  const service = profileRoutes({
    work,
    rejected,
    intake: createIntake(log, telemetry.tracer),
    applied: appliedOf(passes),
    identities: tables.identities,
    profiles: tables.profiles,
    clock,
    newJobId: () => newId("job_", clock),
    emailStatuses: options.emailStatuses ?? { load: () => Promise.resolve(noStatuses) },
  });
  const stopLooking = lookRegularly(asked, { clock, logger: options.logger }, () => passes.forEach((pass) => pass.redrive()));
  return {
    service,
    health: () => healthOf(passes),
    ...work,
    async settled() {
      await Promise.all(passes.map(async (pass, partition) => pass.progress.wait(await log.tail(partition), Infinity)));
    },
    redrive: () => {
      for (const pass of passes) pass.redrive();
    },
    close: async () => {
      stopLooking();
      rejected.close();
      for (const meter of meters) meter.close();
      await Promise.all(passes.map((pass) => pass.close()));
    },
  };
}

/** What `heddle log` asked for beside this process. */
function lookRegularly(asked: Asked, { clock, logger }: Pick<ProfileOptions, "clock" | "logger">, redrive: () => void): () => void {
  let cancel = clock.after(limits.askedLookMs, look);
  function look(): void {
    asked.take().then((found) => found && redrive(), (error: unknown) => logger.error("asked_not_read", error));
    cancel = clock.after(limits.askedLookMs, look);
  }
  return () => cancel();
}

/** What the tables do while requests wait for it. */
function measuredTables({ identities, profiles, steps }: ProfileTables, { metrics }: Telemetry): ProfileTables {
  return {
    identities: measuredStore(identities, { store: "identities", operations: ["load"] }, metrics),
    profiles: measuredStore(profiles, { store: "profiles", operations: ["load", "loadUsers"] }, metrics),
    steps: measuredStore(steps, { store: "steps", operations: ["commit"] }, metrics),
  };
}

function tellingOfConsent(tables: ProfileTables, onConsent: () => void = () => {}): ProfileTables {
  return {
    ...tables,
    steps: {
      ...tables.steps,
      async commit(step) {
        const committed = await tables.steps.commit(step);
        if (step.workspaces.some(({ consent }) => consent.length > 0)) onConsent();
        return committed;
      },
    },
  };
}

function healthOf(passes: readonly Pass[]): Health {
  const trouble = passes.map((pass) => pass.trouble()).find((reason) => reason !== undefined);
  if (trouble !== undefined) return { ready: false, reason: trouble };
  const { heldUsers, setAside } = backlogOf(passes);
  if (heldUsers + setAside === 0) return { ready: true };
  return { ready: true, reason: `Held users: ${heldUsers}, records set aside: ${setAside}` };
}

function backlogOf(passes: readonly Pass[]): Backlog {
  return {
    heldUsers: passes.reduce((sum, pass) => sum + pass.backlog.heldUsers, 0),
    setAside: passes.reduce((sum, pass) => sum + pass.backlog.setAside, 0),
  };
}

/**
 * All users of a workspace in pages, as clients read them, by id: what the tables hold, without the log and its passes, so
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
    let page = await profiles.page(of.workspaceId, "", limits.usersPerPageMax);
    while (page.length > 0) {
      const statuses = await statusesOf({ emailStatuses: of.emailStatuses, identities }, page, of);
      yield page.map((profile) => renderProfile(profile, { currencyRates: of.currencyRates, ...statusOf(statuses, profile) }));
      page = await profiles.page(of.workspaceId, page.at(-1)?.id ?? "", limits.usersPerPageMax);
    }
  } finally {
    database.handle.exec("COMMIT");
  }
}

function startPass(options: ProfileOptions, tables: ProfileTables, partition: number): Pass {
  const { log, clock, logger, undoWindowMs, steps } = options;
  return runPass({
    partition,
    log,
    clock,
    logger,
    undoWindowMs,
    tracer: options.telemetry?.tracer ?? noTelemetry.tracer,
    decode: decodeRecord,
    resolve: options.resolve ?? resolveBatch,
    steps: reportedSteps({ applyRecord, freeze, takeIn, takeBack, ...steps }, logger),
    identities: tables.identities,
    profiles: tables.profiles,
    store: tables.steps,
    cache: createUserCache({
      bytesMax: limits.profileCacheBytesMax / log.partitions,
      entryBytes: limits.profileCacheEntryBytes,
    }),
    views: createViews(),
    owns: (workspaceId) => partitionOf(workspaceId, log.partitions) === partition,
  });
}

function appliedOf(passes: readonly Pass[]): Applied {
  function passOf(partition: number): Pass {
    const pass = passes[partition];
    if (pass === undefined) throw new Error(`Expected a partition below ${passes.length}, got ${partition}`);
    return pass;
  }
  return {
    wait: ({ partition, sequence }, ms) => passOf(partition).progress.wait(sequence, ms),
    through: ({ partition }) => passOf(partition).progress.applied,
    outcome: ({ partition, sequence }) => passOf(partition).outcomes.take(sequence),
  };
}

/** The users whom a name means, by the data folder. For `heddle consent`. */
export async function findUserIds(
  database: Database,
  workspaceId: string,
  key: UserKey,
): Promise<readonly UserId[]> {
  const { identities } = await openSqliteProfileStore({ database, encodeLane: laneRows });
  return (await findUsers(identities, workspaceId, [key])).flat().map(({ id }) => id);
}

/** The rows of the data folder, for `heddle backup` and `heddle restore` between the shapes. */
export async function moveProfiles(database: Database): Promise<ProfileMove> {
  return sqliteProfileMove(database, await openSqliteProfileStore({ database, encodeLane: laneRows }));
}
