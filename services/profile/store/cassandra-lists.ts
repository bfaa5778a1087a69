/** Lists over many users: a workspace in pages, who is held, what was set aside. Each is kept in a fixed number of partitions. */
import { allBuckets } from "../../../platform/cassandra/buckets.ts";
import { mayBeTooMuch } from "../../../platform/cassandra/outcome.ts";
import { inFlight } from "../../../platform/in-flight.ts";
import { pagesOf, type Row, type Session, type Statement } from "../../../platform/cassandra/session.ts";
import { limits } from "../../../platform/limits.ts";
import type { HeldEntry, ProfileStore, RequestOrigin } from "../domain/ports.ts";
import type { Profile } from "../domain/profile.ts";
import type { UserId } from "../domain/user-key.ts";
import type { ProfileReads } from "./cassandra-profiles.ts";
import { originBucket, profileFromBlob } from "./cassandra-values.ts";
import { originsFromRow } from "./origin-rows.ts";
import { pageBack } from "./cassandra-newest.ts";
import { listEntry } from "./cassandra-writer.ts";
import {
  deleteHeldUser,
  selectBlockedUsers,
  selectBuckets,
  selectHeldUsers,
  selectNextUsers,
  selectOrigins,
  selectSetAside,
  selectUserIds,
} from "./statements.ts";
import type { BucketOf } from "./user-place.ts";

export type ProfileLists = Pick<
  ProfileStore,
  "page" | "pageBack" | "listHeld" | "allBlocked" | "pageBlocked" | "listExpired" | "listSetAside" | "loadOrigins"
>;

/**
 * A page gives users who lie alone by id, then those who lie together by bucket and id: ids and buckets rise together where numbers were
 * given out without a break. Of those who lie alone it asks every list for its share and a little more, and merges what comes, so that
 * it costs 64 small reads beside those of its profiles. Ids that were listed once stay listed; those without a profile are passed over.
 */
export function cassandraProfileLists(
  { session, partitions, reads, bucketOf }: ListParts,
): ProfileLists {
  async function aloneAfter(workspaceId: string, after: UserId, max: number): Promise<Profile[]> {
    const profiles: Profile[] = [];
    let from: UserId | undefined = after;
    while (from !== undefined && profiles.length < max) {
      const { ids, next } = await idsAfter(session, { workspaceId, after: from, max: max - profiles.length });
      const loaded = await reads.load(workspaceId, ids);
      for (const id of ids) profiles.push(...[loaded.get(id)].filter((profile) => profile !== undefined));
      from = next;
    }
    return profiles;
  }

  async function blockedIn(list: Statement): Promise<HeldEntry[]> {
    return await stillBlocked({ session, reads }, await session.execute(list));
  }

  return {
    async page(workspaceId, after, max) {
      const alone = bucketOf(workspaceId, after) === undefined ? await aloneAfter(workspaceId, after, max) : [];
      if (alone.length === max) return alone;
      return [...alone, ...await togetherAfter(session, { workspaceId, after, max: max - alone.length, bucketOf })];
    },
    pageBack: (workspaceId, before, max) => pageBack({ session, reads, bucketOf }, { workspaceId, before, max }),
    async listHeld(max) {
      const perBucket = await inFlight(allBuckets, limits.cassandraInFlightMax, (bucket) => {
        return blockedIn({ cql: selectHeldUsers, values: { bucket, max }, idempotent: true });
      });
      return perBucket.flat().slice(0, max);
    },
    allBlocked: () => allBlocked({ session, reads }),
    async pageBlocked(workspaceId, after, max) {
      const perBucket = await inFlight(allBuckets, limits.cassandraInFlightMax, (bucket) => {
        const values = { bucket, workspace_id: workspaceId, after, max };
        return blockedIn({ cql: selectBlockedUsers, values, idempotent: true });
      });
      return perBucket.flat().sort((left, right) => byText(left.userId, right.userId)).slice(0, max);
    },
    listExpired: () => Promise.resolve([]),
    async loadOrigins(workspaceId, partition, sequences) {
      const found = await inFlight([...new Set(sequences)], limits.cassandraInFlightMax, (sequence) => {
        return originAt(session, { workspaceId, partition, sequence });
      });
      return new Map(found.flatMap((origin) => origin === undefined ? [] : [[origin.sequence, origin]]));
    },
    async listSetAside(max) {
      const all = Array.from({ length: partitions }, (_, partition) => partition);
      const perPartition = await inFlight(all, limits.cassandraInFlightMax, async (partition) => {
        const rows = await session.execute({ cql: selectSetAside, values: { log_partition: partition, max }, idempotent: true });
        return rows.map((row) => ({
          partition,
          sequence: Number(row["sequence"]),
          reason: String(row["reason"]),
          body: new Uint8Array(row["body"] as Uint8Array),
        }));
      });
      return perPartition.flat().slice(0, max);
    },
  };
}

async function* allBlocked({ session, reads }: Pick<ListParts, "session" | "reads">): AsyncGenerator<readonly HeldEntry[]> {
  for (const bucket of allBuckets) {
    const list = { cql: selectHeldUsers, values: { bucket, max: noLimit }, idempotent: true };
    for await (const rows of pagesOf(session, list, limits.heldRedriveMax)) yield await stillBlocked({ session, reads }, rows);
  }
}

/** As Cassandra has it. */
const noLimit = 2 ** 31 - 1;

interface ListParts {
  readonly session: Session;
  readonly partitions: number;
  readonly reads: ProfileReads;
  readonly bucketOf: BucketOf;
}

/** Users who lie together, from the bucket of `after` on, or from the first. */
async function togetherAfter(
  session: Session,
  { workspaceId, after, max, bucketOf }: PageOf & { readonly bucketOf: BucketOf },
): Promise<Profile[]> {
  const profiles: Profile[] = [];
  const first = bucketOf(workspaceId, after);
  for (let least = first ?? 0; profiles.length < max;) {
    const values = { workspace_id: workspaceId, least, max: 1 };
    const [row] = await session.execute({ cql: selectBuckets, values, idempotent: true });
    if (row === undefined) break;
    const bucket = Number(row["bucket"]);
    const left = max - profiles.length;
    profiles.push(...await bucketAfter(session, bucket, { workspaceId, after: bucket === first ? after : "", max: left }));
    least = bucket + 1;
  }
  return profiles;
}

/** Up to `max` users of a bucket; fewer where it has no more. Of large rows, of which many do not come together, fewer at a time. */
async function bucketAfter(session: Session, bucket: number, { workspaceId, after, max }: PageOf): Promise<Profile[]> {
  const profiles: Profile[] = [];
  let last = after;
  let most: number = limits.bucketRowsPerPage;
  while (profiles.length < max) {
    const some = Math.min(max - profiles.length, most);
    const values = { workspace_id: workspaceId, bucket, after: last, max: some };
    let rows: readonly Row[];
    try {
      rows = await session.execute({ cql: selectNextUsers, values, idempotent: true });
    } catch (error) {
      if (some === 1 || !mayBeTooMuch(error)) throw error;
      most = some >> 1;
      continue;
    }
    profiles.push(...rows.flatMap(({ body }) => body === null ? [] : [profileFromBlob(body)]));
    if (rows.length < some) break;
    last = String(rows.at(-1)?.["user_id"]);
  }
  return profiles;
}

interface PageOf {
  readonly workspaceId: string;
  readonly after: UserId;
  readonly max: number;
}

/** The step that holds a place ends at or soon after it; two resolvers may have cut their steps in different ways. */
async function originAt(
  session: Session,
  { workspaceId, partition, sequence }: { workspaceId: string; partition: number; sequence: number },
): Promise<RequestOrigin | undefined> {
  const bucket = originBucket(sequence);
  for (const near of [bucket, bucket + 1]) {
    const values = { log_partition: partition, bucket: near, after: BigInt(sequence - 1), max: stepsLookedAt };
    const rows = await session.execute({ cql: selectOrigins, values, idempotent: true });
    const [origin] = rows.flatMap((row) => originsFromRow(String(row["body"]), workspaceId, new Set([sequence])));
    if (origin !== undefined) return origin;
  }
  return undefined;
}

const stepsLookedAt = 4;

/** The next ids in order, and from where to go on; fewer than `max` only if nothing is left or a bucket had more than its share. */
async function idsAfter(
  session: Session,
  { workspaceId, after, max }: { workspaceId: string; after: UserId; max: number },
): Promise<{ ids: UserId[]; next: UserId | undefined }> {
  const share = Math.min(max, Math.ceil(max / limits.cassandraBuckets) + spareIds) + 1;
  const perBucket = await inFlight(allBuckets, limits.cassandraInFlightMax, async (bucket) => {
    const values = { workspace_id: workspaceId, bucket, after, max: share };
    const rows = await session.execute({ cql: selectUserIds, values, idempotent: true });
    return rows.map((row) => String(row["user_id"]));
  });
  // A bucket that gave all it was asked for may have more behind: beyond its last id the order is not known.
  const ends = perBucket.flatMap((ids) => (ids.length === share ? [ids[ids.length - 1] ?? ""] : [])).sort(byText);
  const known = perBucket.flat().filter((id) => ends[0] === undefined || id <= ends[0]).sort(byText);
  const ids = known.slice(0, max);
  const isLast = ends.length === 0 && known.length <= max;
  return { ids, next: isLast ? undefined : ids.at(-1) };
}

/** What a bucket may hold beyond the average before a page takes a second round. */
const spareIds = 10;

function byText(left: string, right: string): number {
  return left < right ? -1 : 1;
}

/**
 * The list may name users that were let go since, as it is written beside their rows: where a row shows that, the list forgets them. Who is held
 * again meanwhile is listed with a later age.
 */
async function stillBlocked(
  { session, reads }: { session: Session; reads: ProfileReads },
  rows: readonly Row[],
): Promise<HeldEntry[]> {
  const entries: HeldEntry[] = [];
  for (const row of rows) {
    const workspaceId = String(row["workspace_id"]);
    const userId = String(row["user_id"]);
    const held = (await reads.loadHeld(workspaceId, [userId])).get(userId);
    if (held) entries.push({ workspaceId, userId, reason: held.reason });
    else await forgetFreed({ session, reads }, workspaceId, userId);
  }
  return entries;
}

async function forgetFreed(
  { session, reads }: { session: Session; reads: ProfileReads },
  workspaceId: string,
  userId: UserId,
): Promise<void> {
  const user = (await reads.loadUsers(workspaceId, [userId])).get(userId);
  // Who has no row yet is about to be held
  if (user?.mark === undefined || user.held) return;
  // What fails is done by who reads the list next
  await session.execute(listEntry(deleteHeldUser, [workspaceId, userId], user.mark)).catch(() => {});
}
