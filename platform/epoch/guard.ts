/**
 * What stands before the log of a part: nothing is read of it or written to it unless it is of one history with the rows of
 * the part's keyspace. Looked at when the part starts, whenever NATS was away, and again and again.
 */
import type { Session, WatchedSession } from "../cassandra/session.ts";
import type { Clock } from "../clock.ts";
import { newId } from "../identifier.ts";
import { limits } from "../limits.ts";
import type { RowWatermarks } from "../lane/row-watermarks.ts";
import type { JetStreamConnection } from "../log/jetstream-connection.ts";
import { connectPrepared, nameStream } from "../log/jetstream-stream.ts";
import type { Logger } from "../logger.ts";
import type { EventsConfig, StreamsConfig } from "../mesh-config.ts";
import { Refusal } from "../refusal.ts";
import { repeatedly } from "../repeatedly.ts";
import { type Epoch, type StreamKind, streamKinds } from "../log/epoch.ts";
import { type Found, type FoundPosition, judge, madeWatermark, streamOfWatermark, textOf, type Verdict } from "./judge.ts";
import { type EpochWatermarks, openEpochWatermarks } from "./watermarks.ts";
import { type EpochService, lookAtPositions, lookAtStreams, makeStreams, streamNamesOf } from "./streams.ts";
import { type FoundRows, WatchedRows } from "./watched-rows.ts";

export interface EpochGuardOptions {
  /** The profile service makes the streams of a new installation; the others wait for it. */
  readonly service: EpochService;
  readonly keyspace: string;
  readonly session: WatchedSession;
  readonly streams: StreamsConfig;
  readonly events: EventsConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Log and rows do not fit any more. From now on nothing gets through. Called once at most. */
  readonly onMismatch: (refusal: Refusal) => void;
}

type GuardedWatermarks = EpochWatermarks & RowWatermarks;

export interface EpochGuard {
  readonly epoch: Epoch;
  readonly watermarks: GuardedWatermarks;
  /** That of the options: after a node came or went, nothing goes through it before the rows were looked at. Refuses EPOCH_MISMATCH too. */
  readonly session: Session;
  /**
   * Resolves at once unless NATS, or a node of Cassandra, was away since the last look. Refuses EPOCH_MISMATCH, and LOG_UNAVAILABLE
   * where it cannot look.
   */
  pass(): Promise<void>;
  /** Looks, as `pass` would if NATS had been away. */
  look(): Promise<void>;
  /** Calls back when NATS came back, or a node of Cassandra came or went; returns how to stop that. */
  onBack(listener: () => void): () => void;
  close(): Promise<void>;
}

/**
 * Refuses EPOCH_MISMATCH where log and rows do not fit; LOG_UNAVAILABLE while no server answers or the log is not made yet;
 * STORE_UNAVAILABLE.
 */
export async function openEpochGuard(options: EpochGuardOptions): Promise<EpochGuard> {
  const { streams: { nats }, logger } = options;
  const { connection, prepared } = await connectPrepared({ ...nats, logger }, (open) => begin(options, open));
  return new Guard(options, connection, prepared);
}

/** All that is to be judged of a service, without changing anything. */
export async function findAll(
  connection: JetStreamConnection,
  { service, keyspace, session, streams }: Pick<EpochGuardOptions, "service" | "keyspace" | "streams"> & { readonly session: Session },
): Promise<Found> {
  const watermarks = openEpochWatermarks(session, streams.logName);
  const reached = await watermarks.reached();
  const found = await lookAtStreams(connection, streams.logName);
  const positions = found.lanes === undefined || found.intake === undefined ? [] : await lookAtPositions(connection, streams, service);
  return {
    keyspace,
    streams: found,
    streamNames: streamNamesOf(streams.logName),
    positions,
    reached,
    reachedAfter: await watermarks.reached(),
    epoch: await watermarks.epoch(),
  };
}

/** What is found may be made whole on the way: a first start, one that stopped half way, or streams of a build without epochs. */
async function begin(options: EpochGuardOptions, connection: JetStreamConnection): Promise<Begun> {
  const { service, streams: { logName }, clock, logger, session, keyspace } = options;
  const found = await findAll(connection, options);
  const verdict = judge(found);
  const watermarks = openEpochWatermarks(session, logName);
  if (verdict.kind === "broken") throw new Refusal("EPOCH_MISMATCH", textOf(verdict.faults), { retryAfterSeconds: 1 });
  if (verdict.kind === "new" && service !== "profile") {
    throw new Refusal("LOG_UNAVAILABLE", `The profile service has not made the streams of "${logName}" yet`);
  }
  const epoch = found.epoch ?? await firstEpoch(watermarks, found, newId("log_", clock));
  if (found.epoch === undefined) logger.info("epoch_begun", { keyspace, ...epoch });
  if (service === "profile") {
    await makeStreams(options, epoch);
    for (const kind of unnamed(found, verdict.kind === "new" ? [] : streamKinds)) {
      await nameStream(connection, streamNamesOf(logName)[kind], epoch);
    }
  }
  const { intake, lanes, events } = await lookAtStreams(connection, logName);
  if (intake === undefined || lanes === undefined || events === undefined) {
    throw new Refusal("LOG_UNAVAILABLE", `The profile service has not made all streams of "${logName}" yet`);
  }
  await watermarks.reach(new Map([[madeWatermark, 1]]));
  return { epoch, reached: found.reachedAfter };
}

interface Begun {
  readonly epoch: Epoch;
  /** How far the rows were. */
  readonly reached: ReadonlyMap<string, number>;
}

function unnamed({ streams }: Found, kinds: readonly StreamKind[]): StreamKind[] {
  return kinds.filter((kind) => streams[kind] !== undefined && streams[kind].logId === undefined);
}

/** Of a new installation, or as streams say that were there before: the first process writes it. */
async function firstEpoch(watermarks: EpochWatermarks, { streams }: Found, newLogId: string): Promise<Epoch> {
  const { intake, lanes, events } = streams;
  const logId = intake?.logId ?? lanes?.logId ?? newLogId;
  // Streams that a restore made began further on
  const from = { intake: intake?.first ?? 1, lanes: lanes?.first ?? 1, events: events?.first ?? 1 };
  for (let attempt = 1; attempt <= firstEpochAttempts; attempt += 1) {
    await watermarks.begin({ logId, number: intake?.number ?? 0, from }, undefined).catch(refuseUnlessLate);
    const written = await watermarks.epoch();
    if (written !== undefined) return written;
  }
  throw new Refusal("STORE_UNAVAILABLE", "The epoch of the log cannot be read back");
}

const firstEpochAttempts = 5;

/** A Cassandra that has just started may be late: what it wrote, if anything, can be read. */
function refuseUnlessLate(error: unknown): void {
  if (!(error instanceof Refusal) || error.reason !== "OUTCOME_UNKNOWN") throw error;
}

class Guard implements EpochGuard {
  readonly epoch: Epoch;
  readonly watermarks: GuardedWatermarks;
  readonly session: Session;
  readonly #options: EpochGuardOptions;
  readonly #connection: JetStreamConnection;
  readonly #rows: WatchedRows;
  readonly #stopWaiting: () => void;
  readonly #stopLooking: () => void;
  /** How far this process has seen everything; rows and streams that say less were put back. */
  readonly #seen = new Map<string, number>([[madeWatermark, 1]]);
  /** How often NATS came back, or a node of Cassandra came or went; and how often it had when the last look began. */
  #changes = 0;
  #lookedAfter = 0;
  #mismatch: Refusal | undefined;
  #looking: Promise<void> | undefined;
  readonly #listeners = new Set<() => void>();
  /** Something went through since the last regular look began. */
  #isUsed = true;
  #streamsLookedAt: number;

  constructor(options: EpochGuardOptions, connection: JetStreamConnection, { epoch, reached }: Begun) {
    this.epoch = epoch;
    this.#options = options;
    this.#connection = connection;
    this.#streamsLookedAt = options.clock.monotonic();
    this.#noteRows(reached);
    this.#rows = new WatchedRows({
      ...options,
      logName: options.streams.logName,
      seen: () => this.#seen,
      learn: () => this.#learn(),
      judge: (found) => this.#areOurs(found),
      onOthers: () => this.look(),
      onNodeChange: () => this.#changed(),
    });
    this.session = this.#rows.session;
    this.watermarks = this.#noting(openEpochWatermarks(this.session, options.streams.logName));
    this.#stopWaiting = connection.onBack(() => {
      this.#changed();
      void this.look().catch(() => {});
    });
    this.#stopLooking = repeatedly(options.clock, limits.epochLookMs, () => this.#lookRegularly().catch(() => {}));
  }

  async pass(): Promise<void> {
    if (this.#mismatch) throw this.#mismatch;
    this.#isUsed = true;
    if (!this.#connection.up) await this.look();
    while (this.#lookedAfter < this.#changes) await this.look();
  }

  look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  onBack(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #changed(): void {
    this.#changes += 1;
    for (const listener of this.#listeners) listener();
  }

  async close(): Promise<void> {
    this.#stopLooking();
    this.#stopWaiting();
    this.#rows.close();
    await this.#looking?.catch(() => {});
    await this.#connection.close();
  }

  /**
   * At the streams rarely while nothing goes through. At the rows always: what another part has written beside them may be all that
   * shows, once they are put back, that they are old.
   */
  async #lookRegularly(): Promise<void> {
    const now = this.#options.clock.monotonic();
    const all = this.#isUsed || now - this.#streamsLookedAt >= limits.epochLookIdleMs;
    this.#isUsed = false;
    if (!all) return this.#rows.look();
    this.#streamsLookedAt = now;
    return this.look();
  }

  /** A server that is away says nothing of what it has: only what was found counts. */
  async #lookOnce(): Promise<void> {
    if (this.#mismatch) throw this.#mismatch;
    const changes = this.#changes;
    const seen = new Map(this.#seen);
    const { keyspace, streams: { logName } } = this.#options;
    let streams: Found["streams"];
    try {
      streams = await lookAtStreams(this.#connection, logName);
    } catch (error) {
      throw new Refusal("LOG_UNAVAILABLE", "The log cannot be looked at", { cause: error });
    }
    const rows = await this.#rows.read();
    const verdict = judge({
      keyspace,
      streams,
      streamNames: streamNamesOf(logName),
      epoch: rows?.epoch ?? this.epoch,
      reached: seen,
      reachedAfter: rows?.reached ?? seen,
      positions: positionsOf(rows?.seen ?? new Map()),
    });
    if (rows !== undefined && rows.epoch?.number !== this.epoch.number) this.#fail(beganMeanwhile);
    if (verdict.kind !== "fits") this.#fail(whyNot(verdict));
    this.#lookedAfter = changes;
    if (rows !== undefined) {
      this.#rows.saw(rows);
      this.#noteRows(rows.reached);
    }
    this.#noteStreams(streams, rows?.reached);
  }

  /** Of every process: one that takes over another's lane knows too how far its rows were. */
  #noteRows(reached: ReadonlyMap<string, number>): void {
    for (const [watermark, at] of reached) {
      if (!isStream(watermark) && at > (this.#seen.get(watermark) ?? 0)) this.#seen.set(watermark, at);
    }
  }

  /** How far the log says that rows were; whether this process knew less. What is of an epoch before does not count. */
  #noteExpected(reached: Iterable<readonly [watermark: string, at: number]>): boolean {
    const further = [...reached].filter(([watermark, at]) =>
      at >= this.epoch.from[laneOrIntake(watermark)] && at > (this.#seen.get(watermark) ?? 0)
    );
    for (const [watermark, at] of further) this.#seen.set(watermark, at);
    return further.length > 0;
  }

  /** What other processes have reached may not have been read here before the rows were put back. */
  async #learn(): Promise<void> {
    if (!this.#connection.up) return;
    const { streams, service } = this.#options;
    const positions = await lookAtPositions(this.#connection, streams, service).catch(() => []);
    this.#noteExpected(positions.map(({ watermark, rows }) => [watermark, rows]));
  }

  /** Whether rows are those that this process has seen, with its watermarks; without the log, which may be away. */
  #areOurs({ epoch, reached, seen }: FoundRows): boolean {
    if (this.#mismatch) throw this.#mismatch;
    if (epoch?.number !== this.epoch.number) return false;
    const own = [...seen].filter(([watermark, at]) => !isStream(watermark) && at >= this.epoch.from[laneOrIntake(watermark)]);
    if (own.some(([watermark, at]) => (reached.get(watermark) ?? 0) < at)) return false;
    this.#noteRows(reached);
    return true;
  }

  /** How far the streams are, also of what is not resolved yet: in memory, and beside rows that could be read. */
  #noteStreams(streams: Found["streams"], reached: ReadonlyMap<string, number> | undefined): void {
    const ends = streamKinds.flatMap((kind) => {
      const last = streams[kind]?.last ?? 0;
      return last >= this.epoch.from[kind] ? [[kind, last] as const] : [];
    });
    for (const [kind, last] of ends) this.#seen.set(kind, Math.max(last, this.#seen.get(kind) ?? 0));
    const further = ends.filter(([kind, last]) => last > (reached?.get(kind) ?? 0));
    if (this.#options.service !== "profile" || reached === undefined || further.length === 0) return;
    // What fails is noted by the next look
    void openEpochWatermarks(this.session, this.#options.streams.logName).reach(new Map(further)).catch(() => {});
  }

  #noting(watermarks: EpochWatermarks): GuardedWatermarks {
    return {
      ...watermarks,
      expect: (reached) => {
        if (this.#noteExpected(reached)) this.#rows.doubt();
      },
      reach: async (reached) => {
        await this.pass();
        await this.#rows.checkLately();
        await watermarks.reach(reached);
        for (const [watermark, sequence] of reached) this.#seen.set(watermark, Math.max(sequence, this.#seen.get(watermark) ?? 0));
      },
    };
  }

  #fail(text: string): never {
    const mismatch = new Refusal("EPOCH_MISMATCH", text, { retryAfterSeconds: 1 });
    this.#mismatch = mismatch;
    this.#options.logger.error("epoch_mismatch", mismatch);
    this.#options.onMismatch(mismatch);
    throw mismatch;
  }
}

const beganMeanwhile =
  "The log and the rows do not fit what this process knows: a new epoch was begun, or the rows were lost, while it ran";

function laneOrIntake(watermark: string): "intake" | "lanes" {
  return streamOfWatermark(watermark) === "intake" ? "intake" : "lanes";
}

function whyNot(verdict: Verdict): string {
  return verdict.kind === "broken" ? textOf(verdict.faults) : beganMeanwhile;
}

/** As this process knows them. */
function positionsOf(seen: ReadonlyMap<string, number>): FoundPosition[] {
  const reached = [...seen].filter(([watermark]) => !isStream(watermark));
  return reached.map(([watermark, at]) => ({ watermark, of: laneOrIntake(watermark), at: undefined, rows: at }));
}

function isStream(watermark: string): boolean {
  return streamKinds.some((kind) => kind === watermark);
}
