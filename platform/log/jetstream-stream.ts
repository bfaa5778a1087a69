/** The stream a log lies in: its name and subjects, how it is made, and what makes an existing one unfit. */
import type { Logger } from "../logger.ts";
import { Refusal } from "../refusal.ts";
import { Unusable } from "../unusable.ts";
import type { FoundStream } from "./epoch.ts";
import { askApi, connectJetStream, type ConnectOptions, isAway, type JetStreamConnection } from "./jetstream-connection.ts";
import { sizeProblem } from "./message-size.ts";

export interface StreamShape {
  /** Of the stream, and first token of its subjects: letters, digits and `_`, at most 31. */
  readonly name: string;
  readonly partitions: number;
  readonly replicas: number;
  /** What the stream may hold; beyond it appends are refused. */
  readonly bytesMax: number;
  /** How often the log began anew; the sequences of a stream that is made for it start above epoch x 2^40. Counts only when it is made. */
  readonly epoch?: number;
  /** Where its sequences start, if further on; counts only when it is made. */
  readonly first?: number;
  /** The log that the stream is of; counts only when it is made. */
  readonly logId?: string;
  /** Whether one that is missing is made, which it is unless this is false: what was lost is not begun anew in silence. */
  readonly make?: boolean;
}

export function partitionSubject(name: string, partition: number): string {
  return `${name}.${partition}`;
}

/** Undefined for a subject outside of every partition. */
export function partitionOf(name: string, subject: string): number | undefined {
  const partition = subject.slice(name.length + 1);
  return /^\d+$/.test(partition) ? Number(partition) : undefined;
}

/** Where a fenced step keeps its place; outside of every partition. */
export function checkpointSubject(name: string, checkpoint: number | string): string {
  return `${name}.checkpoint.${checkpoint}`;
}

/** Keeps the tail of a partition that was trimmed to nothing. */
export function trimmedSubject(name: string, partition: number): string {
  return `${name}.trimmed.${partition}`;
}

/** Where the server announces, without its body, that a record was written. */
export function noticeSubject(name: string): string {
  return `${name}-news`;
}

/**
 * Connects, and makes the stream or checks the one that is there, and brings its bytes and replicas to what is asked.
 * Refuses LOG_UNAVAILABLE while no server answers, which may be tried again. Throws Unusable with everything that makes the stream
 * unfit: it drops what is old, it was made for another number of partitions.
 */
export async function connectToStream(options: StreamShape & ConnectOptions): Promise<JetStreamConnection> {
  const { connection } = await connectPrepared(options, (open) => openStream(open, { shape: options, logger: options.logger }));
  return connection;
}

/** Connects, and closes again where `prepare` fails. Refuses LOG_UNAVAILABLE while no server answers. */
export async function connectPrepared<T>(
  options: ConnectOptions,
  prepare: (connection: JetStreamConnection) => Promise<T>,
): Promise<{ readonly connection: JetStreamConnection; readonly prepared: T }> {
  let connection: JetStreamConnection | undefined;
  try {
    connection = await connectJetStream(options);
    return { connection, prepared: await prepare(connection) };
  } catch (error) {
    await connection?.close();
    throw isAway(error) ? new Refusal("LOG_UNAVAILABLE", "No NATS server answers", { cause: error }) : error;
  }
}

async function openStream(connection: JetStreamConnection, deps: { shape: StreamShape; logger: Logger }): Promise<void> {
  const { shape, logger } = deps;
  checkShape(shape, connection);
  const found = await infoOf(connection, shape.name) ?? await makeMissing(connection, shape);
  const problems = streamProblems(found.config, shape);
  if (problems.length > 0) throw new Unusable(`The stream "${shape.name}" cannot be used: ${problems.join("; ")}`);
  if (found.config.max_bytes === shape.bytesMax && found.config.num_replicas === shape.replicas) return;
  const config = { ...found.config, max_bytes: shape.bytesMax, num_replicas: shape.replicas };
  await askApi(connection, { subject: `STREAM.UPDATE.${shape.name}`, body: config });
  logger.info("log_stream_changed", { stream: shape.name, bytesMax: shape.bytesMax, replicas: shape.replicas });
}

function makeMissing(connection: JetStreamConnection, shape: StreamShape): Promise<StreamInfo> {
  if (shape.make === false) throw new Refusal("LOG_UNAVAILABLE", `There is no stream "${shape.name}"`);
  return makeStream(connection, shape);
}

/** Everything about a stream's configuration that would break a promise of the log. */
export function streamProblems(config: StreamConfig, shape: Pick<StreamShape, "name" | "partitions" | "epoch">): string[] {
  const { partitions, epoch } = { partitions: config.metadata?.[partitionsKey], epoch: config.metadata?.[epochKey] };
  const checks: [boolean, string][] = [
    [(config.max_age ?? 0) > 0, "it has a max_age, which drops records silently"],
    [config.discard !== "new", `it discards ${config.discard ?? "old"} records, expected "new"`],
    [config.storage !== "file", `it is kept in "${config.storage}", expected "file"`],
    [config.retention !== "limits", `its retention is "${config.retention}", expected "limits"`],
    [(config.max_msgs ?? -1) > 0, "it has a max_msgs"],
    [(config.max_msgs_per_subject ?? -1) > 0, "it has a max_msgs_per_subject"],
    [config.allow_atomic !== true, "it does not allow atomic batches (allow_atomic)"],
    [config.allow_direct !== true, "it does not allow direct reads (allow_direct)"],
    [config.deny_purge === true, "it denies purging, which trimming needs"],
    [config.sealed === true, "it is sealed"],
    [config.mirror !== undefined || (config.sources?.length ?? 0) > 0, "it mirrors or sources another stream"],
    [config.subjects?.join() !== `${shape.name}.>`, `its subjects are "${config.subjects?.join()}", expected "${shape.name}.>"`],
    [partitions !== String(shape.partitions), `it was made for ${partitions ?? "no"} partitions, expected ${shape.partitions}`],
    [Number(epoch) < (shape.epoch ?? 0), `it was made in epoch ${epoch}, expected ${shape.epoch}`],
  ];
  return checks.filter(([broken]) => broken).map(([, problem]) => problem);
}

/** The last sequence the stream has given; undefined where there is no stream. */
export async function lastSequenceOf(connection: JetStreamConnection, name: string): Promise<number | undefined> {
  return (await infoOf(connection, name))?.state.last_seq;
}

/** The last sequence the stream has given, and who leads its copies; undefined where there is no stream. */
export async function endOfStream(
  connection: JetStreamConnection,
  name: string,
): Promise<{ readonly last: number; readonly leader: string } | undefined> {
  const found = await infoOf(connection, name);
  return found && { last: found.state.last_seq, leader: found.cluster?.leader ?? "" };
}

/** What a stream holds, its room and its copies; undefined where there is no stream. Opening it with these changes nothing. */
export async function roomOf(
  connection: JetStreamConnection,
  name: string,
): Promise<{ readonly bytes: number; readonly bytesMax: number; readonly replicas: number; readonly config: StreamConfig } | undefined> {
  const found = await infoOf(connection, name);
  if (found === undefined) return undefined;
  const { config, state } = found;
  return { bytes: state.bytes, bytesMax: config.max_bytes ?? -1, replicas: config.num_replicas ?? 1, config };
}

/** What a stream says of the log that it is of; undefined where there is no stream. */
export async function lookAtStream(connection: JetStreamConnection, name: string): Promise<FoundStream | undefined> {
  const found = await infoOf(connection, name);
  if (found === undefined) return undefined;
  const { config: { metadata, first_seq: first }, state } = found;
  return { name, logId: metadata?.[logKey], number: Number(metadata?.[epochKey] ?? 0), first: first || 1, last: state.last_seq };
}

/** Marks the stream with its log and epoch. */
export async function nameStream(connection: JetStreamConnection, name: string, log: { logId: string; number: number }): Promise<void> {
  const found = await infoOf(connection, name);
  if (found === undefined) throw new Refusal("LOG_UNAVAILABLE", `There is no stream "${name}"`);
  const metadata = { ...found.config.metadata, ...logMetadata(log) };
  await askApi(connection, { subject: `STREAM.UPDATE.${name}`, body: { ...found.config, metadata } });
}

/** As a stream keeps it. */
export function logMetadata({ logId, number }: { logId: string; number: number }): Readonly<Record<string, string>> {
  return { [logKey]: logId, [epochKey]: String(number) };
}

/** Nothing of it is left; doing it again is harmless. */
export async function deleteStream(connection: JetStreamConnection, name: string): Promise<void> {
  await askApi(connection, { subject: `STREAM.DELETE.${name}`, missing: streamNotFound });
}

async function makeStream(connection: JetStreamConnection, shape: StreamShape): Promise<StreamInfo> {
  const { name, epoch = 0, logId, first = epoch * sequencesPerEpoch + 1 } = shape;
  const config = {
    name,
    description: "A log of Heddle: never set max_age or discard old on it",
    subjects: [`${name}.>`],
    storage: "file",
    retention: "limits",
    discard: "new",
    max_bytes: shape.bytesMax,
    num_replicas: shape.replicas,
    first_seq: first,
    allow_atomic: true,
    allow_direct: true,
    deny_delete: true,
    republish: { src: `${name}.*`, dest: `${noticeSubject(name)}.{{wildcard(1)}}`, headers_only: true },
    metadata: { [partitionsKey]: String(shape.partitions), [epochKey]: String(epoch), ...(logId !== undefined && { [logKey]: logId }) },
  };
  const found = await createStream(connection, config) ?? await infoOf(connection, name);
  if (!found) throw new Error(`The stream "${name}" was deleted while it was opened`);
  return found;
}

/** Undefined where a stream of the name is there. */
export function createStream(
  connection: JetStreamConnection,
  config: StreamConfig & { readonly name: string },
): Promise<StreamInfo | undefined> {
  return askApi<StreamInfo>(connection, { subject: `STREAM.CREATE.${config.name}`, body: config, missing: nameInUse });
}

/** Undefined where there is no stream. */
export function infoOf(connection: JetStreamConnection, name: string): Promise<StreamInfo | undefined> {
  return askApi<StreamInfo>(connection, { subject: `STREAM.INFO.${name}`, missing: streamNotFound });
}

function checkShape(shape: StreamShape, connection: JetStreamConnection): void {
  const { name, partitions, epoch = 0 } = shape;
  if (!/^\w{1,31}$/.test(name)) throw new RangeError(`Expected a stream name of 1 to 31 letters, digits and "_", got "${name}"`);
  if (!(Number.isInteger(partitions) && partitions > 0)) throw new RangeError(`Expected a number of partitions above 0, got ${partitions}`);
  if (!(Number.isInteger(epoch) && epoch >= 0 && epoch <= epochMax)) {
    throw new RangeError(`Expected an epoch from 0 to ${epochMax}, got ${epoch}`);
  }
  const [major = 0, minor = 0] = connection.serverVersion.split(".").map(Number);
  if (major < 2 || (major === 2 && minor < 12)) throw new Unusable(`Expected nats-server 2.12 or later, got ${connection.serverVersion}`);
  checkMessageSize(connection);
}

/** Throws Unusable where the server takes too little: a setting, which no waiting mends. */
export function checkMessageSize({ messageBytesMax }: Pick<JetStreamConnection, "messageBytesMax">): void {
  const problem = sizeProblem(messageBytesMax);
  if (problem !== undefined) throw new Unusable(problem);
}

const sequencesPerEpoch = 2 ** 40;
/** Sequences stay whole numbers that JavaScript can count. */
const epochMax = 2 ** 13 - 1;
const partitionsKey = "heddle_partitions";
const epochKey = "heddle_epoch";
const logKey = "heddle_log";
const streamNotFound = 10059;
const nameInUse = 10058;

/** What of a stream's configuration matters here; the server's names. */
export interface StreamConfig {
  readonly name?: string;
  readonly description?: string;
  readonly subjects?: readonly string[];
  readonly storage?: string;
  readonly retention?: string;
  readonly discard?: string;
  readonly max_age?: number;
  readonly max_bytes?: number;
  readonly max_msgs?: number;
  readonly max_msgs_per_subject?: number;
  readonly num_replicas?: number;
  readonly first_seq?: number;
  readonly allow_atomic?: boolean;
  readonly allow_direct?: boolean;
  readonly deny_delete?: boolean;
  readonly deny_purge?: boolean;
  readonly sealed?: boolean;
  readonly mirror?: object;
  readonly sources?: readonly object[];
  readonly republish?: object;
  readonly metadata?: Readonly<Record<string, string>>;
}

interface StreamInfo {
  readonly config: StreamConfig;
  readonly state: { readonly last_seq: number; readonly bytes: number };
  readonly cluster?: { readonly leader?: string };
}
