/** Sends the rows of a file that were not taken before, a request at a time for each shard of users. */
import { type Batch, type BatchGatherer, gatherBatches, shardOf } from "./batches.ts";
import type { Entry, SentEntry } from "./entry.ts";
import { type BatchSeal, type Ledger, sentEntries } from "./ledger.ts";
import { isUnsent, sendBatch, type SendOptions, type Sent } from "./send.ts";
import { CommandError } from "../../shell/output.ts";

export interface RunOptions {
  readonly ledger: Ledger;
  readonly send: SendOptions;
  readonly shards: number;
  readonly batch: { readonly objectsMax: number; readonly bytesMax: number };
  /** A row that was taken by an earlier run. */
  takenBefore(entry: SentEntry): void;
  settled(batch: Batch, sent: Sent): void;
  /** Of a request of an earlier run; its rows are met in the file again. */
  settledBefore(sent: Sent): void;
}

/**
 * First what an earlier run sent without getting an answer, as it was then. Each shard has one request under way at most, so
 * the objects of a user keep their order; reading waits for the slowest shard, so memory is bounded.
 */
export async function runImport(entries: AsyncIterable<Entry>, options: RunOptions): Promise<void> {
  const { ledger, send } = options;
  for (const { number, seal, batch } of ledger.pending()) {
    refuseOtherKey(batch, seal, ledger);
    const sent = await sendBatch(batch, seal, { ...send, isRepeat: true });
    ledger.settle(number, sent);
    options.settledBefore(sent);
  }
  const shards = Array.from(
    { length: options.shards },
    (): Shard => ({ gatherer: gatherBatches(options.batch), underWay: Promise.resolve() }),
  );
  let failure: { readonly error: unknown } | undefined;

  async function dispatch(shard: Shard, batch: Batch | undefined): Promise<void> {
    if (!batch) return;
    await shard.underWay;
    // What is under way is still to be remembered
    if (failure) return;
    shard.underWay = settle(batch);
  }

  async function settle(batch: Batch): Promise<void> {
    try {
      options.settled(batch, await sendRemembered(batch, { ledger, send, seal: ledger.seal }));
    } catch (error) {
      failure ??= { error };
    }
  }

  for await (const entry of entries) {
    if (failure) break;
    if ("json" in entry && ledger.isTaken(entry)) {
      options.takenBefore(entry);
      continue;
    }
    const shard = shards[shardOf(entry, shards.length)];
    if (shard) await dispatch(shard, shard.gatherer.add(entry));
  }
  if (!failure) await Promise.all(shards.map((shard) => dispatch(shard, shard.gatherer.flush())));
  await Promise.all(shards.map((shard) => shard.underWay));
  if (failure) throw failure.error;
}

/** To the server the same request with another API key is another one. */
function refuseOtherKey({ entries }: Batch, { key }: BatchSeal, { seal }: Ledger): void {
  if (key === undefined || key === seal.key) return;
  throw new CommandError(
    `It is not known whether lines ${entries[0]?.line} to ${
      entries.at(-1)?.line
    } were taken: they were sent with another API key, and sent with this one they may count twice. Run the same command with the key of before; where that has ended, look which of these rows are missing, and import them with all that follow as a file of their own`,
  );
}

async function sendRemembered(
  batch: Batch,
  { ledger, send, seal }: { readonly ledger: Ledger; readonly send: SendOptions; readonly seal: BatchSeal },
): Promise<Sent> {
  if (sentEntries(batch.entries).length === 0) return await sendBatch(batch, seal, send);
  const number = ledger.begin(batch, seal);
  try {
    const sent = await sendBatch(batch, seal, send);
    ledger.settle(number, sent);
    return sent;
  } catch (error) {
    // What certainly was not taken is read from the file again, as it is by then
    if (isUnsent(error)) ledger.settle(number, { taken: [], inPart: [] });
    throw error;
  }
}

interface Shard {
  readonly gatherer: BatchGatherer;
  underWay: Promise<void>;
}
