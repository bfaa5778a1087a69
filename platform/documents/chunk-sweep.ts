/** Takes away chunks that nothing points at: what is left where a change was interrupted, or could not take away what it replaced. */
import { errorText } from "../error-text.ts";
import { scanTable, type Session } from "../cassandra/session.ts";
import type { Clock } from "../clock.ts";
import { madeAt } from "../identifier.ts";
import { limits } from "../limits.ts";
import type { Logger } from "../logger.ts";
import { repeatedly } from "../repeatedly.ts";
import { openCassandraDocuments } from "./cassandra.ts";
import { chunkStatements, openChunks, versionIn } from "./chunks.ts";
import { type Chunks, keyOf, type Layout, partitionColumn, statementsOf, textBody } from "./layout.ts";

export interface SweepDeps {
  readonly session: Session;
  readonly clock: Clock;
  readonly layout: Layout & { readonly chunks: Chunks };
}

/** Looks at every version there is, one after the other; gives how many went. A version is a UUIDv7. */
export async function sweepChunks({ session, clock, layout }: SweepDeps): Promise<number> {
  const { chunks } = layout;
  const large = openChunks({ session, layout, chunks, clock });
  const { selectOne } = statementsOf(layout, textBody);
  /** A serial read where the first does not find the version: it ends a change that is half done, either way. */
  async function counts(partition: string, id: string, version: string): Promise<boolean> {
    for (const serial of [false, true]) {
      const values = keyOf(layout, partition, { kind: chunks.kind, id });
      const [row] = await session.execute({ cql: selectOne, values, serial });
      if (row !== undefined && versionIn(String(row["body"])) === version) return true;
    }
    return false;
  }
  let dropped = 0;
  for await (const rows of scanTable(session, chunkStatements(layout, chunks).scan, limits.cassandraPageRows)) {
    for (const row of rows) {
      const [partition, version] = [String(row[partitionColumn(layout)]), String(row["version"])];
      const id = chunks.names.map((name) => String(row[name])).join("/");
      // What is younger may still be on its way to count
      if (madeAt(version) > clock.now() - limits.chunkSweepAgeMs || await counts(partition, id, version)) continue;
      await large.drop(partition, id, version);
      dropped += 1;
    }
  }
  return dropped;
}

/** Sweeps once a day, in one of the processes that share the tables. The returned function ends it. */
export function sweepChunksDaily(deps: SweepDeps & { readonly logger: Logger }): () => void {
  const { clock, logger } = deps;
  let closed = false;
  const end = repeatedly(clock, limits.chunkSweepLookMs, async () => {
    try {
      if (await claimed(deps)) logger.info("texts_swept", { dropped: await sweepChunks(deps) });
    } catch (error) {
      // Also where the store is closed meanwhile: the next day, or the next process, does it
      if (!closed) logger.warn("texts_not_swept", { reason: errorText(error) });
    }
  });
  return () => {
    closed = true;
    end();
  };
}

/** True for the first that asks in a day. */
async function claimed(deps: SweepDeps): Promise<boolean> {
  const key = { kind: "mark", id: "sweep" };
  const outcome = await openCassandraDocuments(deps).changeIf(everyPartition, {
    reads: [key],
    plan: ([known]) =>
      known !== undefined ? "claimed" : [{ key, value: { bodyHash: "", expiresAt: deps.clock.now() + limits.chunkSweepMs } }],
  });
  return outcome === "committed";
}

const everyPartition = "*";
