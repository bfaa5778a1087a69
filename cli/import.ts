/** heddle import: sends a file to /users/track over HTTP, in order, each row once, with a report of what was refused. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename } from "node:path";

import { errorText } from "../platform/error-text.ts";
import { systemClock } from "../platform/clock.ts";
import { limits } from "../platform/limits.ts";
import type { Batch } from "./import-batches.ts";
import type { Entry } from "./import-entry.ts";
import { fileIdentity, type Format, formatOf, type FormatOptions, readEntries } from "./import-format.ts";
import { type Ledger, openLedger } from "./import-ledger.ts";
import { countTaken, openTally, type Tally } from "./import-tally.ts";
import { openReport } from "./import-report.ts";
import { runImport } from "./import-run.ts";
import type { SendOptions, Sent } from "./import-send.ts";
import { CommandError, exitCodes, type JsonOption, printError, printResult, UsageError } from "./output.ts";
import { httpAddress } from "./option-values.ts";
import { openProgressBar, type ProgressBar } from "./progress-bar.ts";
import { readStandardInput } from "./standard-input.ts";

export interface ImportOptions extends FormatOptions, JsonOption {
  readonly url?: string;
  readonly key?: string;
  readonly keyFile?: string;
  readonly batchSize: number;
  readonly concurrency: number;
  /** Seconds. */
  readonly deadline: number;
  readonly run?: string;
  readonly quiet?: boolean;
  readonly dryRun?: boolean;
  readonly env: NodeJS.ProcessEnv;
}

export async function importFile(file: string, options: ImportOptions): Promise<number> {
  const { dryRun = false } = options;
  const url = serverUrl(options);
  const apiKey = dryRun ? "" : serverKey(options);
  const format = formatOf(file, options);
  const size = sizeOf(file);
  const identity = fileIdentity(file, [format, options.run ?? ""]);
  const ledger = openLedger({
    file,
    server: new URL(url).origin,
    identity,
    byRowId: options.rowId !== undefined,
    run: options.run ?? "",
    dryRun,
  });
  try {
    const tally = openTally();
    if (dryRun) return await tryFile(file, { format, ledger, tally, options });
    return await sendFile(file, { format, ledger, tally, options, size, server: { url, apiKey } });
  } finally {
    ledger.close();
  }
}

interface Import {
  readonly format: Format;
  readonly ledger: Ledger;
  readonly tally: Tally;
  readonly options: ImportOptions;
}

/** Reads everything and checks each object as the server would; sends and writes nothing. */
async function tryFile(file: string, { format, ledger, tally, options }: Import): Promise<number> {
  const { trackVerdict } = await import("../services/profile/wire.ts");
  for await (const entry of readEntries(file, format, tally)) {
    if ("json" in entry && ledger.isTaken(entry)) {
      tally.before[entry.array] += 1;
      continue;
    }
    const text = "error" in entry ? entry.error : trackVerdict(entry.array, JSON.parse(entry.json));
    if (text !== undefined) tally.refuse([{ entry, text }]);
    else if ("json" in entry) countTaken(tally.taken, [entry]);
  }
  printResult(options, { file, dryRun: true, ...tally.json() }, tally.trial(basename(file)));
  return tally.refused > 0 ? exitCodes.failure : exitCodes.ok;
}

interface Sending extends Import {
  readonly size: number;
  readonly server: { readonly url: string; readonly apiKey: string };
}

async function sendFile(file: string, { format, ledger, tally, options, size, server }: Sending): Promise<number> {
  const report = openReport(`${file}.errors.${format.kind === "table" ? "csv" : "ndjson"}`, {
    ledger,
    kind: format.kind,
    rowId: format.rowId,
  });
  const interrupted = new AbortController();
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  const bar = openProgressBar(process.stderr, systemClock.monotonic);
  if (ledger.resumed) printError(`Going on with ${basename(file)}: rows that were taken before are not sent again`);
  const began = systemClock.monotonic();
  const notes = {
    onLeft: tally.onLeft,
    onHead(head: Parameters<typeof tally.onHead>[0]): void {
      tally.onHead(head);
      report.header(head);
    },
  };
  const send = { ...server, ...sendingOf(options, { signal: interrupted.signal, bar }) };
  try {
    await runImport(readEntries(file, format, notes), {
      ledger,
      send,
      shards: options.concurrency,
      batch: { objectsMax: options.batchSize, bytesMax: limits.importBatchBytesMax },
      takenBefore(entry) {
        tally.before[entry.array] += 1;
        show(entry);
      },
      settled,
    });
    ledger.finish(file);
  } finally {
    report.done();
    bar.clear();
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
  const seconds = (systemClock.monotonic() - began) / 1000;
  tally.reported(ledger.parts().length);
  const reported = existsSync(report.path) ? report.path : null;
  const summary = tally.summary(file, { seconds, report: report.path });
  printResult(options, { file, dryRun: false, ...tally.json(), report: reported, seconds }, summary);
  return tally.refused > 0 || tally.inPart > 0 ? exitCodes.failure : exitCodes.ok;

  function interrupt(): void {
    interrupted.abort(new CommandError("Interrupted: run the same command again to go on"));
  }

  function settled(batch: Batch, sent: Sent): void {
    tally.sent(sent);
    report.add(sent.refused);
    const last = batch.entries.at(-1);
    if (last !== undefined) show(last);
  }

  function show({ end }: Entry): void {
    if (!options.quiet) showProgress(bar, { tally, part: end, size, began });
  }
}

function sendingOf(
  options: ImportOptions,
  { signal, bar }: { signal: AbortSignal; bar: ProgressBar },
): Omit<SendOptions, "url" | "apiKey"> {
  return {
    deadlineMs: options.deadline * 1000,
    signal,
    wait: (ms) => abortableWait(ms, signal),
    now: systemClock.now,
    onRetry(reason, waitMs) {
      bar.clear();
      printError(`Waiting ${(waitMs / 1000).toFixed(1)} s: ${reason}`);
    },
  };
}

/** Address of the server, from the option, the environment or the default. */
export function serverUrl(options: { readonly url?: string; readonly env: NodeJS.ProcessEnv }): string {
  if (options.url !== undefined) return httpAddress(options.url, "--url");
  return httpAddress(options.env["HEDDLE_URL"] || "http://127.0.0.1:8080", "HEDDLE_URL");
}

/** A file keeps the key out of the list of processes, and out of the shell's history. */
export function serverKey(options: { readonly key?: string; readonly keyFile?: string; readonly env: NodeJS.ProcessEnv }): string {
  if (options.key !== undefined && options.keyFile !== undefined) throw new UsageError("Give --key-file or --key, not both");
  if (options.keyFile !== undefined) return keyOf(options.keyFile);
  const key = options.key ?? (options.env["HEDDLE_KEY"] || options.env["HEDDLE_API_KEY"]);
  if (!key) {
    throw new UsageError("Give an API key with --key-file, in HEDDLE_KEY, or with --key, which other users of this machine can see");
  }
  return key;
}

function keyOf(file: string): string {
  const name = file === "-" ? "standard input" : `"${file}"`;
  const text = file === "-" ? readStandardInput().toString() : readKeyFile(file);
  const key = text.trim();
  if (key === "" || /\s/.test(key)) throw new CommandError(`There must be an API key and nothing else in ${name}`);
  return key;
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new CommandError(`Cannot read the key in "${file}": ${errorText(cause)}`, { cause });
  }
}

function sizeOf(file: string): number {
  try {
    const found = statSync(file);
    if (!found.isFile()) throw new CommandError(`"${file}" is not a file`);
    return found.size;
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(`Cannot read "${file}": ${errorText(cause)}`, { cause });
  }
}

function showProgress(bar: ProgressBar, at: { tally: Tally; part: number; size: number; began: number }): void {
  const seconds = (systemClock.monotonic() - at.began) / 1000;
  const left = at.part > 0 ? (seconds * (at.size - at.part)) / at.part : 0;
  const refused = at.tally.refused > 0 ? `, ${at.tally.refused} refused` : "";
  bar.show(at.part, at.size, `${at.tally.total()} objects${refused}, about ${Math.ceil(left)} s left`);
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
