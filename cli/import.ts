/** heddle import: sends a file to /users/track over HTTP, in order, resumable, with a report of what was refused. */
import { appendFileSync, createReadStream, statSync } from "node:fs";
import { basename } from "node:path";

import { systemClock } from "../platform/clock.ts";
import { limits } from "../platform/limits.ts";
import { type Batch, type BatchGatherer, gatherBatches, lastPlace, shardOf } from "./import-batches.ts";
import { entriesOfLine, type Entry, isBefore, type ObjectArray, objectArrays, objectTypes } from "./import-entry.ts";
import { readLines } from "./import-lines.ts";
import { parseMappings } from "./import-mapping.ts";
import { cutReport, fileIdentity, forgetProgress, openProgress, type Progress, saveProgress } from "./import-progress.ts";
import { type LineError, sendBatch, type SendOptions, type Sent } from "./import-send.ts";
import { readTable, type TableFormat } from "./import-table.ts";
import { CommandError, exitCodes, print, printError, UsageError } from "./output.ts";
import { openProgressBar, type ProgressBar } from "./progress-bar.ts";

export interface ImportOptions {
  readonly url?: string;
  readonly key?: string;
  readonly format?: string;
  readonly type?: string;
  readonly map: readonly string[];
  readonly delimiter: string;
  readonly batchSize: number;
  readonly concurrency: number;
  /** Seconds. */
  readonly deadline: number;
  readonly run?: string;
  readonly quiet?: boolean;
  readonly env: NodeJS.ProcessEnv;
}

const lineBytesMax = limits.requestBytesMax;
const bodyBytesMax = limits.requestBytesMax - limits.requestBytesMax / 8;
const saveEveryMs = 250;

export async function importFile(file: string, options: ImportOptions): Promise<number> {
  const { url, apiKey } = serverOf(options);
  const format = formatOf(file, options);
  const size = sizeOf(file);
  const identity = fileIdentity(file, [format, options.run ?? ""]);
  const paths = { progress: `${file}.heddle-progress`, errors: `${file}.errors.ndjson` };
  const { progress, resumed } = openProgress(paths.progress, {
    identity,
    server: new URL(url).origin,
    batchSize: options.batchSize,
    concurrency: options.concurrency,
  });
  cutReport(paths.errors, progress.errorBytes);

  const interrupted = new AbortController();
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  const bar = openProgressBar(process.stderr, systemClock.monotonic);
  if (resumed) printError(`Going on with ${basename(file)}: ${total(progress)} objects were sent before`);
  const began = systemClock.monotonic();
  const before = total(progress);
  const report = openReport(progress, paths);
  try {
    const send: SendOptions = {
      url,
      apiKey,
      identity,
      deadlineMs: options.deadline * 1000,
      signal: interrupted.signal,
      wait: (ms) => abortableWait(ms, interrupted.signal),
      now: systemClock.now,
      onRetry(reason, waitMs) {
        bar.clear();
        printError(`Waiting ${(waitMs / 1000).toFixed(1)} s: ${reason}`);
      },
    };
    await runImport(readEntries(file, format), { progress, send, settled });
    report.save();
    forgetProgress(paths.progress);
  } catch (error) {
    report.save();
    throw error;
  } finally {
    bar.clear();
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
  print(
    summary(file, progress, { sent: total(progress) - before, seconds: (systemClock.monotonic() - began) / 1000, errors: paths.errors }),
  );
  return progress.errors > 0 ? exitCodes.failure : exitCodes.ok;

  function interrupt(): void {
    interrupted.abort(new CommandError("Interrupted: run the same command again to go on"));
  }

  function settled(batch: Batch, sent: Sent): void {
    report.add(sent);
    if (!options.quiet) showProgress(bar, { progress, part: batch.entries.at(-1)?.end ?? 0, size, began });
  }
}

/** Writes what was refused, and now and then how far the import is; the two always fit each other. */
function openReport(progress: Progress, paths: { readonly progress: string; readonly errors: string }) {
  let savedAt = Number.NEGATIVE_INFINITY;
  function save(): void {
    savedAt = systemClock.monotonic();
    saveProgress(paths.progress, progress);
  }
  return {
    save,
    add(sent: Sent): void {
      for (const array of objectArrays) progress.taken[array] += sent.taken[array];
      const lines = sent.errors.map((error: LineError) => `${JSON.stringify(error)}\n`).join("");
      if (lines !== "") appendFileSync(paths.errors, lines);
      progress.errors += sent.errors.length;
      progress.errorBytes += Buffer.byteLength(lines);
      if (systemClock.monotonic() - savedAt >= saveEveryMs) save();
    },
  };
}

/**
 * Sends all entries that are not settled yet. Each shard has one request under way at most, so the objects of a user
 * keep their order; reading waits for the slowest shard, so memory is bounded.
 */
export async function runImport(
  entries: AsyncIterable<Entry>,
  options: { readonly progress: Progress; readonly send: SendOptions; settled(batch: Batch, sent: Sent): void },
): Promise<void> {
  const { progress, send } = options;
  const shards = progress.done.map((): Shard => ({
    gatherer: gatherBatches({ objectsMax: progress.batchSize, bytesMax: bodyBytesMax }),
    underWay: Promise.resolve(),
  }));
  let failure: { readonly error: unknown } | undefined;

  async function dispatch(shard: Shard, at: number, batch: Batch | undefined): Promise<void> {
    if (!batch) return;
    await shard.underWay;
    if (failure) throw failure.error;
    shard.underWay = settle(at, batch);
  }

  async function settle(at: number, batch: Batch): Promise<void> {
    try {
      const sent = await sendBatch(batch, send);
      progress.done[at] = lastPlace(batch);
      options.settled(batch, sent);
    } catch (error) {
      failure ??= { error };
    }
  }

  for await (const entry of entries) {
    if (failure) break;
    const at = shardOf(entry, shards.length);
    const shard = shards[at];
    const done = progress.done[at];
    if (!shard || (done && !isBefore(done, entry.place))) continue;
    await dispatch(shard, at, shard.gatherer.add(entry));
  }
  if (!failure) await Promise.all(shards.map((shard, at) => dispatch(shard, at, shard.gatherer.flush())));
  await Promise.all(shards.map((shard) => shard.underWay));
  if (failure) throw failure.error;
}

interface Shard {
  readonly gatherer: BatchGatherer;
  underWay: Promise<void>;
}

type Format = { readonly kind: "ndjson" } | ({ readonly kind: "table" } & TableFormat);

async function* readEntries(file: string, format: Format): AsyncGenerator<Entry> {
  const chunks = createReadStream(file, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Uint8Array>;
  if (format.kind === "table") {
    yield* readTable(chunks, format);
    return;
  }
  for await (const line of readLines(chunks, lineBytesMax)) {
    if (line.error === undefined) yield* entriesOfLine(line);
    else yield { place: [line.offset, 0], line: line.line, end: line.end, error: line.error };
  }
}

function formatOf(file: string, options: ImportOptions): Format {
  const isTable = options.type !== undefined || options.map.length > 0 || options.delimiter !== "," || /\.(csv|tsv|txt)$/i.test(file);
  const format = options.format ?? (isTable ? "csv" : "ndjson");
  if (format === "ndjson") return { kind: "ndjson" };
  if (format !== "csv") throw new UsageError(`--format is ndjson or csv, not "${format}"`);
  const array = objectTypes.get(options.type ?? "");
  if (!array) {
    throw new UsageError(`A table needs --type attribute, event or purchase${options.type === undefined ? "" : `, not "${options.type}"`}`);
  }
  const sources = parseMappings(options.map);
  if (sources.length === 0) {
    throw new UsageError("A table needs --map to say which column becomes which field, for example --map external_id=customer");
  }
  return { kind: "table", array, sources, delimiter: delimiterOf(options.delimiter), rowBytesMax: lineBytesMax };
}

function delimiterOf(text: string): string {
  if (text === "tab" || text === "\\t") return "\t";
  if (text === "whitespace" || [...text].length === 1) return text;
  throw new UsageError(`--delimiter is one character, tab or whitespace, not "${text}"`);
}

function serverOf(options: ImportOptions): { url: string; apiKey: string } {
  return { url: serverUrl(options), apiKey: serverKey(options) };
}

/** Address of the server, from the option, the environment or the default. */
export function serverUrl(options: { readonly url?: string; readonly env: NodeJS.ProcessEnv }): string {
  const url = options.url ?? (options.env["HEDDLE_URL"] || "http://127.0.0.1:8080");
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError(`--url must be an http or https address, not "${url}"`);
  }
  return url;
}

export function serverKey(options: { readonly key?: string; readonly env: NodeJS.ProcessEnv }): string {
  const key = options.key ?? options.env["HEDDLE_API_KEY"];
  if (!key) throw new UsageError("Give an API key with --key or in HEDDLE_API_KEY");
  return key;
}

function sizeOf(file: string): number {
  try {
    const found = statSync(file);
    if (!found.isFile()) throw new CommandError(`"${file}" is not a file`);
    return found.size;
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(`Cannot read "${file}": ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function showProgress(bar: ProgressBar, at: { progress: Progress; part: number; size: number; began: number }): void {
  const seconds = (systemClock.monotonic() - at.began) / 1000;
  const left = at.part > 0 ? (seconds * (at.size - at.part)) / at.part : 0;
  const refused = at.progress.errors > 0 ? `, ${at.progress.errors} refused` : "";
  bar.show(at.part, at.size, `${total(at.progress)} objects${refused}, about ${Math.ceil(left)} s left`);
}

function total(progress: Progress): number {
  return objectArrays.reduce((sum, array: ObjectArray) => sum + progress.taken[array], 0);
}

function summary(file: string, progress: Progress, run: { sent: number; seconds: number; errors: string }): string {
  const { attributes, events, purchases } = progress.taken;
  const rate = Math.round(run.sent / Math.max(run.seconds, 0.001));
  const parts = [
    `Imported ${basename(file)}: ${total(progress)} objects (${attributes} attributes, ${events} events, ${purchases} purchases)`,
    `in ${run.seconds.toFixed(1)} s (${rate} a second)`,
  ];
  const refused = progress.errors === 0 ? "nothing was refused" : `${progress.errors} refused, see ${run.errors}`;
  return `${parts.join(" ")}; ${refused}`;
}

function abortableWait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const timer = setTimeout(finish, ms);
    signal.addEventListener("abort", finish, { once: true });
    function finish(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      if (signal.aborted) reject(signal.reason as Error);
      else resolve();
    }
  });
}
