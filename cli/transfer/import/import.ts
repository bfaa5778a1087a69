/** heddle import: sends a file to /users/track over HTTP, in order, each row once, with a report of what was refused. */
import { existsSync, statSync } from "node:fs";
import { basename } from "node:path";

import { errorText } from "../../../platform/error-text.ts";
import { systemClock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import type { Batch } from "./batches.ts";
import type { Entry } from "./entry.ts";
import { serverKey, type ServerOptions, serverUrl } from "../../target/http-call.ts";
import { fileIdentity, type Format, formatOf, type FormatOptions, readEntries } from "./format.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import { countTaken, openTally, type Tally } from "./tally.ts";
import { openReport } from "./report.ts";
import { runImport } from "./run.ts";
import type { SendOptions, Sent } from "./send.ts";
import { CommandError, exitCodes, type JsonOption, printError, printResult } from "../../shell/output.ts";
import { openProgressBar, type ProgressBar } from "../../shell/progress-bar.ts";

export interface ImportOptions extends FormatOptions, ServerOptions, JsonOption {
  readonly batchSize: number;
  readonly concurrency: number;
  /** Seconds. */
  readonly deadline: number;
  readonly run?: string;
  readonly quiet?: boolean;
  readonly dryRun?: boolean;
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
    apiKey,
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
  const { trackVerdict } = await import("../../../services/profile/wire.ts");
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
  let isWhole = false;
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
      settledBefore: ({ inPart }) => tally.partOf(inPart),
    });
    ledger.finish(file);
    isWhole = true;
  } finally {
    report.done(isWhole);
    bar.clear();
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
  const seconds = (systemClock.monotonic() - began) / 1000;
  tally.reported(ledger.parts().length);
  const reported = existsSync(report.path) ? report.path : null;
  const summary = tally.summary(file, { seconds, report: report.path });
  if (ledger.isOfOtherKey && tally.isAllBefore()) sayNothingSent(server.url);
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

/** With a key of another workspace that is perhaps not what was meant. */
function sayNothingSent(url: string): void {
  const { origin } = new URL(url);
  printError(`Nothing was sent: all rows were taken before by ${origin}, with another API key. --run NAME sends them as something new`);
}

function sendingOf(
  options: ImportOptions,
  { signal, bar }: { signal: AbortSignal; bar: ProgressBar },
): Omit<SendOptions, "url" | "apiKey"> {
  return {
    deadlineMs: options.deadline * 1000,
    signal,
    onRetry(reason, waitMs) {
      bar.clear();
      printError(`Waiting ${(waitMs / 1000).toFixed(1)} s: ${reason}`);
    },
  };
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
