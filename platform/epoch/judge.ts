/** Whether a log and the rows that come from it are of one history: pure, from what was found to whether to serve. */
import { type Epoch, type FoundStream, type StreamKind, streamKinds } from "../log/epoch.ts";

/** A position that is kept in a stream, of something whose watermark is kept beside the rows too. */
export interface FoundPosition {
  /** Of its watermark. */
  readonly watermark: string;
  readonly of: "intake" | "lanes";
  /** Where the stream has it; 0: nowhere. Undefined: a stream that has it nowhere may still be whole. */
  readonly at: number | undefined;
  /** How far the rows are, as the stream says; 0 where it says nothing, as that of a build without watermarks. */
  readonly rows: number;
}

export interface Found {
  readonly keyspace: string;
  readonly streams: Readonly<Record<StreamKind, FoundStream | undefined>>;
  readonly streamNames: Readonly<Record<StreamKind, string>>;
  /** As the keyspace has it. */
  readonly epoch: Epoch | undefined;
  /** Marks as they were before the streams were looked at, and after: others go on meanwhile. */
  readonly reached: ReadonlyMap<string, number>;
  readonly reachedAfter: ReadonlyMap<string, number>;
  readonly positions: readonly FoundPosition[];
}

export type Verdict =
  /** Of one history; `unnamed` are the streams that are not marked with their log yet. */
  | { readonly kind: "fits"; readonly unnamed: readonly StreamKind[] }
  /** Neither stream nor watermark: the log of a new installation is to be made. */
  | { readonly kind: "new" }
  /** Streams without a watermark anywhere: made by a build without watermarks, and to be taken over. */
  | { readonly kind: "unmarked" }
  | { readonly kind: "broken"; readonly faults: readonly Fault[] };

export interface Fault {
  /** What is not to be gone on with. */
  readonly of: StreamKind | "rows" | "installation";
  readonly text: string;
}

/** Marks of the streams themselves; those of partitions and lanes have longer names. */
export function streamOfWatermark(watermark: string): StreamKind {
  if (watermark === "events") return "events";
  return watermark === "intake" || watermark.startsWith("intake-") ? "intake" : "lanes";
}

export function judge(found: Found): Verdict {
  const { epoch } = found;
  const there = streamKinds.filter((kind) => found.streams[kind] !== undefined);
  if (epoch === undefined) return judgeUnmarked(found, there);
  const faults = streamKinds.flatMap((kind) => faultsOfStream(found, epoch, kind));
  // Nothing was given yet, and nothing can be lost: a first start that stopped half way
  if (there.length === 0 && faults.length === 0) return { kind: "new" };
  if (!faults.some(({ of }) => of !== "rows")) faults.push(...faultsOfPlaces(found, epoch));
  if (faults.length > 0) return { kind: "broken", faults };
  return { kind: "fits", unnamed: there.filter((kind) => found.streams[kind]?.logId === undefined) };
}

/** Stands beside the rows once all streams were there: from then on one that is not there is lost. */
export const madeWatermark = "made";

/** The highest watermark of a stream that is of the epoch which begins at `from`. */
export function reachedIn(reached: ReadonlyMap<string, number>, kind: StreamKind, from: number): number {
  const own = Array.from(
    reached,
    ([watermark, sequence]) => (watermark !== madeWatermark && streamOfWatermark(watermark) === kind && sequence >= from ? sequence : 0),
  );
  return Math.max(0, ...own);
}

function judgeUnmarked({ keyspace, streams, streamNames, positions }: Found, there: readonly StreamKind[]): Verdict {
  if (there.length === 0) return { kind: "new" };
  const named = there.map((kind) => streams[kind]).find((stream) => stream?.logId !== undefined);
  // Streams have the name of a log only since the rows had it: a log that was resolved came to rows, whether a step noted them yet or not
  const isResolved = streams.lanes?.logId !== undefined &&
    positions.some(({ watermark, at = 0 }) => watermark.startsWith("resolve-") && at > 0);
  if (isResolved || positions.some(({ rows }) => rows > 0)) {
    const text = `the keyspace "${keyspace}" knows nothing of the log ${named?.logId ?? ""} that was applied to it: ` +
      "it was lost and made anew, or it is another one";
    return { kind: "broken", faults: [{ of: "rows", text }] };
  }
  const { intake, lanes } = streams;
  if (intake === undefined && lanes !== undefined) return { kind: "broken", faults: [gone("intake", streamNames.intake, "")] };
  if (lanes === undefined && intake !== undefined && intake.last >= intake.first) {
    return { kind: "broken", faults: [gone("lanes", streamNames.lanes, "")] };
  }
  return { kind: "unmarked" };
}

function faultsOfStream({ keyspace, streams, streamNames, reached }: Found, epoch: Epoch, kind: StreamKind): Fault[] {
  const stream = streams[kind];
  const from = epoch.from[kind];
  const wanted = Math.max(reachedIn(reached, kind, from), epoch.number > 0 ? from - 1 : 0);
  const rows = `, and the rows of "${keyspace}" come from it${wanted > 0 ? ` up to ${wanted}` : ""}`;
  if (stream === undefined) return wanted > 0 || reached.has(madeWatermark) ? [gone(kind, streamNames[kind], rows)] : [];
  const { name, logId, number, last } = stream;
  if (logId !== undefined && logId !== epoch.logId) {
    const text = `the stream "${name}" is of the log ${logId}, and the rows of "${keyspace}" are of ${epoch.logId}: ` +
      "this is another installation's NATS, Cassandra or HEDDLE_LOG_NAME";
    return [{ of: "installation", text }];
  }
  if (number > epoch.number && logId !== undefined) {
    const text = `the stream "${name}" is of epoch ${number}, and the rows of "${keyspace}" are of epoch ${epoch.number}: ` +
      "Cassandra was put back from an older copy, or a new epoch was begun half way";
    return [{ of: "rows", text }];
  }
  if (last >= wanted) return [];
  return [{ of: kind, text: `the stream "${name}" ends at ${last}${rows}: it was lost and made anew, or put back from an older copy` }];
}

function gone(kind: StreamKind, name: string, rows: string): Fault {
  return { of: kind, text: `the stream "${name}" is gone${rows}` };
}

function faultsOfPlaces({ keyspace, streams, positions, reached, reachedAfter }: Found, epoch: Epoch): Fault[] {
  const faults: Fault[] = [];
  for (const { watermark, of, at, rows } of positions) {
    const from = epoch.from[of];
    const before = reached.get(watermark) ?? 0;
    const after = reachedAfter.get(watermark) ?? 0;
    if (at !== undefined && before >= from && at < before) {
      const text = `the stream "${streams[of]?.name}" has ${watermark} at ${at}, and the rows of "${keyspace}" have it at ${before}: ` +
        "it was emptied, or put back from an older copy";
      faults.push({ of, text });
    }
    if (rows >= from && after < rows) {
      const text =
        `the rows of "${keyspace}" have ${watermark} at ${after}, and the stream "${streams[of]?.name}" was trimmed up to ${rows}: ` +
        "Cassandra was put back from an older copy, or emptied";
      faults.push({ of: "rows", text });
    }
  }
  return oneOfEach(faults);
}

/** A stream that was emptied misses all positions: the first says enough. */
function oneOfEach(faults: readonly Fault[]): Fault[] {
  return faults.filter(({ of }, at) => faults.findIndex((fault) => fault.of === of) === at);
}

export function textOf(faults: readonly Fault[]): string {
  const what = faults.map(({ text }) => text).join("; ");
  const advice = faults.some(({ of }) => of === "installation")
    ? "Give this part the servers of its own installation"
    : "Put back what is missing, or begin a new epoch with heddle log adopt, which says what is lost (docs/lost-servers.md)";
  return `The log and the rows do not fit: ${what}. Nothing is taken, applied or read until they do. ${advice}`;
}
