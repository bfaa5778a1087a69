/** Lists over many users: a workspace in pages, who is blocked, dead letters. Each is kept in a fixed number of partitions. */
import { allBuckets } from "../../../platform/cassandra/buckets.ts";
import { inFlight } from "../../../platform/in-flight.ts";
import { pagesOf, type Row, type Session, type Statement } from "../../../platform/cassandra/session.ts";
import { limits } from "../../../platform/limits.ts";
import type { BlockedEntry, DeadLetter, ProfileStore, RequestOrigin } from "../domain/ports.ts";
import { markOf, noLimit } from "./cassandra-profiles.ts";
import { originBucket } from "./cassandra-values.ts";
import { originsFromRow } from "./origin-rows.ts";
import { type PageDeps, pageDown, pageUp } from "./cassandra-pages.ts";
import { listEntry } from "./cassandra-writer.ts";
import {
  deleteBlockedUser,
  selectAllBlocked,
  selectBlockedUsers,
  selectDeadLetter,
  selectDeadLetters,
  selectOrigins,
} from "./statements.ts";
import { locationOf, statementAt } from "./user-row-location.ts";

export type ProfileLists = Pick<
  ProfileStore,
  "page" | "pageBack" | "listBlocked" | "allBlocked" | "pageBlocked" | "listSetAside" | "loadDeadLetter" | "loadOrigins"
>;

export function cassandraProfileLists(
  { partitions, ...pages }: PageDeps & { readonly partitions: number },
): ProfileLists {
  const { session } = pages;
  async function blockedIn(list: Statement): Promise<BlockedEntry[]> {
    return await stillBlocked(pages, await session.execute(list));
  }

  return {
    page: (workspaceId, after, max) => pageUp(pages, { workspaceId, from: after, max }),
    pageBack: (workspaceId, before, max) => pageDown(pages, { workspaceId, from: before, max }),
    async listBlocked(max) {
      const perBucket = await inFlight(allBuckets, limits.cassandraInFlightMax, (bucket) => {
        return blockedIn({ cql: selectAllBlocked, values: { bucket, max } });
      });
      return perBucket.flat().slice(0, max);
    },
    allBlocked: () => allBlocked(pages),
    async pageBlocked(workspaceId, after, max) {
      const perBucket = await inFlight(allBuckets, limits.cassandraInFlightMax, (bucket) => {
        const values = { bucket, workspace_id: workspaceId, after, max };
        return blockedIn({ cql: selectBlockedUsers, values });
      });
      return perBucket.flat().sort((left, right) => left.userId < right.userId ? -1 : 1).slice(0, max);
    },
    async loadOrigins(workspaceId, partition, sequences) {
      const found = await inFlight([...new Set(sequences)], limits.cassandraInFlightMax, (sequence) => {
        return originAt(session, { workspaceId, partition, sequence });
      });
      return new Map(found.flatMap((origin) => origin === undefined ? [] : [[origin.sequence, origin]]));
    },
    async listSetAside(max, after = { partition: 0, sequence: -1 }) {
      const found: DeadLetter[] = [];
      for (let { partition, sequence } = after; partition < partitions && found.length < max; partition += 1, sequence = -1) {
        const values = { log_partition: partition, after: BigInt(sequence), max: max - found.length };
        const rows = await session.execute({ cql: selectDeadLetters, values });
        for (const row of rows) found.push({ partition, sequence: Number(row["sequence"]), reason: String(row["reason"]) });
      }
      return found;
    },
    async loadDeadLetter({ partition, sequence }) {
      const values = { log_partition: partition, sequence: BigInt(sequence) };
      const [row] = await session.execute({ cql: selectDeadLetter, values });
      if (row === undefined) return undefined;
      return { partition, sequence, reason: String(row["reason"]), body: new Uint8Array(row["body"] as Uint8Array) };
    },
  };
}

async function* allBlocked(deps: BlockedDeps): AsyncGenerator<readonly BlockedEntry[]> {
  for (const bucket of allBuckets) {
    const list = { cql: selectAllBlocked, values: { bucket, max: noLimit } };
    for await (const rows of pagesOf(deps.session, list, limits.heldRedriveMax)) yield await stillBlocked(deps, rows);
  }
}

/** The step that holds a place ends at or soon after it; two resolvers may have cut their steps in different ways. */
async function originAt(
  session: Session,
  { workspaceId, partition, sequence }: { workspaceId: string; partition: number; sequence: number },
): Promise<RequestOrigin | undefined> {
  const bucket = originBucket(sequence);
  for (const near of [bucket, bucket + 1]) {
    const values = { log_partition: partition, bucket: near, after: BigInt(sequence - 1), max: stepsLookedAt };
    const rows = await session.execute({ cql: selectOrigins, values });
    const [origin] = rows.flatMap((row) => originsFromRow(String(row["body"]), workspaceId, new Set([sequence])));
    if (origin !== undefined) return origin;
  }
  return undefined;
}

const stepsLookedAt = 4;

/**
 * The list may name users that were let go since, as it is written beside their rows: where a row shows that, the list forgets them. Who is held
 * again meanwhile is listed with a later age.
 */
async function stillBlocked({ session, bucketOf }: BlockedDeps, rows: readonly Row[]): Promise<BlockedEntry[]> {
  const entries: BlockedEntry[] = [];
  for (const row of rows) {
    const workspaceId = String(row["workspace_id"]);
    const userId = String(row["user_id"]);
    const location = locationOf(workspaceId, userId, bucketOf);
    const [state] = await session.execute(statementAt(location.tables.selectMark, location));
    // Who has no row yet is about to be blocked
    if (state === undefined) continue;
    const mark = markOf(state);
    if (state["held_reason"] !== null) entries.push({ workspaceId, userId, reason: String(state["held_reason"]) });
    // What fails is done by who reads the list next
    else if (mark) await session.execute(listEntry(deleteBlockedUser, [workspaceId, userId], mark)).catch(() => {});
  }
  return entries;
}

type BlockedDeps = Pick<PageDeps, "session" | "bucketOf">;
