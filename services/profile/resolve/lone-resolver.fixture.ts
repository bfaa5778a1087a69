/** A resolver of one partition whose servers are in memory: one process after the other, each may stop after any step. */
import { Buffer } from "node:buffer";
import { expect } from "vitest";
import { type Clock, systemClock } from "../../../platform/clock.ts";
import { laneLayout } from "../../../platform/lane/layout.ts";
import { checkpointFromBytes, checkpointToBytes, type ResolverCheckpoint } from "../../../platform/lane/resolver-checkpoint.ts";
import type { FencedSteps, Step, StepOutcome } from "../../../platform/log/fenced-step.ts";
import type { LogRecord } from "../../../platform/log/log.ts";
import { joinParts } from "../../../platform/log/message-size.ts";
import { packRecords } from "../../../platform/log/packed-records.ts";
import { checkVersion } from "../../../platform/record-version.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { silentLogger } from "../../../platform/logger.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import type { IntakeBody, IntakeRecord } from "../domain/record/intake-record.ts";
import type { ConsentRecord, DeadLetterRecord, IdentityStore, IdentityWriter } from "../domain/ports.ts";
import { resolveBatch } from "../domain/resolve/batch.ts";
import { laneRows } from "../lanes/lane-message.ts";
import { packItem, packLaneMessage } from "../lanes/profile-lane.ts";
import { resolveToLanes } from "./publish-steps.ts";
import type { Resolve } from "./resolve-workspace.ts";
import { createViews, type Views } from "./views.ts";

export const layout = laneLayout(1, 1);
export const checkpointSubject = "checkpoint";

/** What the resolvers share: the intake, what they sent, and the identity rows. */
export function createServers(records: readonly IntakeBody[]) {
  const intake: LogRecord[] = [];
  function add(body: IntakeBody, rest: Partial<IntakeRecord> = {}): void {
    const entry = { workspaceId: "w", requestId: `r${intake.length}`, actor: "key", receivedAt: 0, body, ...rest };
    intake.push({ sequence: intake.length + 1, body: Buffer.from(JSON.stringify(entry)) });
  }
  for (const body of records) add(body);
  const sent: (LogRecord & { readonly subject: string })[] = [];
  const rows = new Map<IdentityKey, unknown>();
  function of(subject: string) {
    return sent.filter((message) => message.subject === subject);
  }
  const trimmed = new Map<string, number>();
  return {
    trim(name: string, through: number) {
      trimmed.set(name, Math.max(trimmed.get(name) ?? 0, through));
      return Promise.resolve();
    },
    /** What is behind the place, and not trimmed. */
    left: (name: string, records: readonly LogRecord[], after: number) =>
      records.filter(({ sequence }) => sequence > Math.max(after, trimmed.get(name) ?? 0)),
    last: 0,
    /** Tells the resolver of new records. */
    wake: () => {},
    isWatched: false,
    intake,
    setAside: [] as DeadLetterRecord[],
    add,
    sent,
    rows,
    of,
    place: () => checkpointFromBytes(of(checkpointSubject).at(-1)?.body ?? checkpointToBytes({ ...none })),
  };
}
const none: ResolverCheckpoint = { through: 0, now: 0, written: 0, tails: [], touched: [] };

export type Servers = ReturnType<typeof createServers>;

export interface Build {
  /** How many users a record has; absent: as this build has it. */
  readonly usersPerRecord?: number;
  /** Whether it numbers what goes to profiles together with consent. */
  readonly partsInCommon?: boolean;
  /** As the build writes its checkpoints. */
  readonly checkpoint?: (place: ResolverCheckpoint) => ResolverCheckpoint;
  /** The last step that it gets through. */
  readonly stepsMax?: number;
  readonly clock?: Clock;
  readonly undoWindowMs?: number;
  /** Absent: each step is followed by a trim. */
  readonly trimBytes?: number;
  /** Reads records of any version. */
  readonly isNewer?: true;
  /** A record that a read waits for. */
  readonly awaited?: number;
  /** When rows are written; absent: at once. */
  readonly save?: (write: () => void) => Promise<void>;
  readonly views?: Views;
  readonly resolve?: Resolve;
  /** Called before each step and each read of the store; throws where that is to fail. */
  readonly plant?: (call: "publishStep" | "load") => void;
  /** When the intake is trimmed; absent: at once. */
  readonly trim?: () => Promise<void>;
  /** Absent: all that was there at the start is resolved. */
  readonly isDone?: () => boolean;
}

/** Resolves until all is done, until the process is stopped, or until it meets a record that it does not know. Gives why it does not get on. */
export async function resolveAll(servers: Servers, build: Build): Promise<string | undefined> {
  const { stepsMax = Infinity, isDone = () => servers.place().through === servers.intake.length } = build;
  const fenced = fencedSteps(servers, build);
  const reading = resolveToLanes({
    ...depsOf(servers, build),
    fenced,
    // Three steps for the fan-out, or more
    sizes: () => ({ messageBytesMax: fenced.bodyBytesMax, stepBytesMax: 3_000 }),
  });
  reading.awaited(build.awaited ?? 0);
  await expect.poll(() => fenced.steps() >= stepsMax || isDone() || reading.trouble()?.includes("of version"), { interval: 2 }).toBe(true);
  await reading.close();
  return reading.trouble();
}

/** With how many there were of this process. */
function fencedSteps(
  servers: Servers,
  { stepsMax = Infinity, checkpoint = (place) => place, plant }: Build,
): FencedSteps & { steps(): number } {
  let steps = 0;
  function publish({ messages, expectedLast }: Step): StepOutcome {
    if (steps >= stepsMax) throw new Refusal("LOG_UNAVAILABLE", "The process is gone");
    plant?.("publishStep");
    if ((servers.of(checkpointSubject).at(-1)?.sequence ?? 0) !== expectedLast) return { kind: "refused" };
    steps += 1;
    let open: Uint8Array[] = [];
    const sequences = messages.map(({ subject, body, part: [index, count] = [0, 1] }) => {
      const sent = subject === checkpointSubject ? checkpointToBytes(checkpoint(checkpointFromBytes(body))) : body;
      open = index === 0 ? [sent] : [...open, sent];
      servers.last += 1;
      if (index + 1 === count) servers.sent.push({ subject, body: joinParts(open), sequence: servers.last });
      return servers.last;
    });
    return { kind: "accepted", sequence: servers.last, sequences };
  }
  return {
    steps: () => steps,
    bodyBytesMax: 2_000,
    publishStep: (step) => Promise.resolve().then(() => publish(step)),
    checkpoint: (subject) => Promise.resolve(servers.of(subject).at(-1)),
    trimCheckpoints: done,
    close: done,
  };
}

function depsOf(servers: Servers, build: Build) {
  const { usersPerRecord, partsInCommon, clock = systemClock, undoWindowMs = 0, trimBytes = 1, resolve = resolveBatch } = build;
  return {
    partition: 0,
    layout,
    checkpointSubject,
    subjectOf: (partition: number) => `lane.${partition}`,
    intake: {
      partitions: 1,
      read: (_: number, after: number) => Promise.resolve(servers.left("intake", servers.intake, after)),
      async trim(_: number, through: number) {
        await build.trim?.();
        await servers.trim("intake", through);
      },
      watch(notify: (partition: number) => void) {
        servers.isWatched = true;
        servers.wake = () => notify(0);
        return () => void (servers.isWatched = false);
      },
    },
    lanes: {
      read(partition: number, after: number) {
        const subject = `lane.${partition}`;
        return Promise.resolve(servers.left(subject, servers.of(subject), after));
      },
      trim: (partition: number, through: number) => servers.trim(`lane.${partition}`, through),
    },
    identities: identitiesOf(servers, build),
    decode(sequence: number, body: Uint8Array) {
      const { version = 0, ...record } = JSON.parse(Buffer.from(body).toString());
      if (!build.isNewer) checkVersion(version);
      return { ...record, sequence } as IntakeRecord;
    },
    resolve: (...[view, records, options]: Parameters<Resolve>) =>
      resolve(view, records, partsInCommon ? { ...options, partsInCommon } : options),
    views: build.views ?? createViews(),
    packItem,
    packItems: packLaneMessage,
    packConsent: packRecords,
    encodeConsent: (workspaceId: string, all: readonly ConsentRecord[], usersMax: number) =>
      laneRows(workspaceId, all, usersPerRecord ?? usersMax),
    undoWindowMs,
    trimBytes,
    clock,
    logger: silentLogger,
    onWritten: () => {},
  };
}

function identitiesOf({ rows, setAside: deadLetters }: Servers, { save = atOnce, plant }: Build): IdentityStore & IdentityWriter {
  return {
    async load(_, keys) {
      plant?.("load");
      return new Map(keys.flatMap((key) => rows.has(key) ? [[key, rows.get(key)]] : []));
    },
    save: (_, changes) =>
      save(() => {
        for (const [key, row] of changes) {
          if (row === undefined) rows.delete(key);
          else rows.set(key, row);
        }
      }),
    saveOrigins: done,
    async forgetSetAside({ sequence }) {
      const at = deadLetters.findIndex((record) => record.sequence === sequence);
      if (at >= 0) deadLetters.splice(at, 1);
    },
    setAside(records) {
      deadLetters.push(...records);
      return Promise.resolve();
    },
  };
}

function atOnce(write: () => void): Promise<void> {
  write();
  return Promise.resolve();
}

function done(): Promise<void> {
  return Promise.resolve();
}
