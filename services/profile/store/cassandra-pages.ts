/** Users of a workspace in pages, by id and from the newest on. */
import { allBuckets } from "../../../platform/cassandra/buckets.ts";
import { mayBeTooMuch } from "../../../platform/cassandra/outcome.ts";
import { inFlight } from "../../../platform/in-flight.ts";
import type { Row, Session } from "../../../platform/cassandra/session.ts";
import { limits } from "../../../platform/limits.ts";
import type { Profile } from "../domain/profile/profile.ts";
import type { UserId } from "../domain/record/user-key.ts";
import { profileOfRow, type ProfileReads } from "./cassandra-profiles.ts";
import { lastCharacter } from "./names.ts";
import {
  selectBucketsDown,
  selectBucketsUp,
  selectUserIds,
  selectUserIdsBefore,
  selectUsersAfter,
  selectUsersBefore,
} from "./statements.ts";
import type { BucketOf } from "./user-row-location.ts";

export interface PageDeps {
  readonly session: Session;
  readonly reads: ProfileReads;
  readonly bucketOf: BucketOf;
}

interface PageOf {
  readonly workspaceId: string;
  /** The last id of the page before; "": the page is the first. */
  readonly from: UserId;
  readonly max: number;
}

/**
 * A page gives users who lie alone by id, then those who lie together by bucket and id: ids and buckets rise together where numbers were
 * given out without a break. Of those who lie alone it asks every list for its share and a little more, and merges what comes, so that
 * it costs 64 small reads beside those of its profiles. Ids that were listed once stay listed; those without a profile are passed over.
 */
export async function pageUp(deps: PageDeps, page: PageOf): Promise<Profile[]> {
  const alone = deps.bucketOf(page.workspaceId, page.from) === undefined ? await aloneAfter(deps, page) : [];
  if (alone.length === page.max) return alone;
  return [...alone, ...await together(deps, { ...page, max: page.max - alone.length }, up)];
}

/** Those who lie together first: they are newer. */
export async function pageDown(deps: PageDeps, page: PageOf): Promise<Profile[]> {
  const isAmongAlone = page.from !== "" && deps.bucketOf(page.workspaceId, page.from) === undefined;
  const newest = isAmongAlone ? [] : await together(deps, page, down);
  if (newest.length === page.max) return newest;
  const from = isAmongAlone ? page.from : "";
  return [...newest, ...await aloneBefore(deps, { ...page, from, max: page.max - newest.length })];
}

/** `bucket` and `id`: before all others. */
interface Way {
  readonly selectBuckets: string;
  readonly selectUsers: string;
  readonly bucket: number;
  readonly id: UserId;
  readonly step: 1 | -1;
}

const up: Way = { selectBuckets: selectBucketsUp, selectUsers: selectUsersAfter, bucket: -1, id: "", step: 1 };
/** Numbers of buckets have 32 bits. */
const down: Way = { selectBuckets: selectBucketsDown, selectUsers: selectUsersBefore, bucket: 2 ** 31 - 1, id: lastCharacter, step: -1 };

/** Users who lie together, from the bucket of `from` on, or from the first. */
async function together({ session, bucketOf }: PageDeps, { workspaceId, from, max }: PageOf, way: Way): Promise<Profile[]> {
  const profiles: Profile[] = [];
  const first = from === "" ? undefined : bucketOf(workspaceId, from);
  for (let last = first === undefined ? way.bucket : first - way.step; profiles.length < max;) {
    const [row] = await session.execute({
      cql: way.selectBuckets,
      values: { workspace_id: workspaceId, start: last, max: 1 },
    });
    if (row === undefined) break;
    const bucket = Number(row["bucket"]);
    const left = { workspaceId, from: bucket === first ? from : way.id, max: max - profiles.length };
    profiles.push(...await usersOfBucket(session, bucket, { ...left, cql: way.selectUsers }));
    last = bucket;
  }
  return profiles;
}

/** Up to `max` users of a bucket; fewer where it has no more. Of large rows, of which many do not come together, fewer at a time. */
async function usersOfBucket(
  session: Session,
  bucket: number,
  { workspaceId, from, max, cql }: PageOf & { readonly cql: string },
): Promise<Profile[]> {
  const profiles: Profile[] = [];
  let last = from;
  let most: number = limits.bucketRowsPerPage;
  while (profiles.length < max) {
    const some = Math.min(max - profiles.length, most);
    let rows: readonly Row[];
    try {
      rows = await session.execute({ cql, values: { workspace_id: workspaceId, bucket, start: last, max: some } });
    } catch (error) {
      if (some === 1 || !mayBeTooMuch(error)) throw error;
      most = some >> 1;
      continue;
    }
    profiles.push(...rows.flatMap((row) => profileOfRow(row) ?? []));
    if (rows.length < some) break;
    last = String(rows.at(-1)?.["user_id"]);
  }
  return profiles;
}

async function aloneAfter({ session, reads }: PageDeps, { workspaceId, from, max }: PageOf): Promise<Profile[]> {
  const profiles: Profile[] = [];
  let after: UserId | undefined = from;
  while (after !== undefined && profiles.length < max) {
    const { ids, next } = await idsAfter(session, { workspaceId, from: after, max: max - profiles.length });
    const loaded = await reads.load(workspaceId, ids);
    profiles.push(...ids.flatMap((id) => loaded.get(id) ?? []));
    after = next;
  }
  return profiles;
}

/** Every list is asked for a whole page: it is unknown how the newest are spread. */
async function aloneBefore({ session, reads }: PageDeps, { workspaceId, from, max }: PageOf): Promise<Profile[]> {
  const profiles: Profile[] = [];
  for (let last = from === "" ? lastCharacter : from; profiles.length < max;) {
    const perBucket = await idsPerBucket(session, selectUserIdsBefore, { workspaceId, from: last, max });
    const ids = perBucket.flat().sort().reverse().slice(0, max - profiles.length);
    if (ids.length === 0) break;
    const loaded = await reads.load(workspaceId, ids);
    profiles.push(...ids.flatMap((id) => loaded.get(id) ?? []));
    last = ids.at(-1) ?? "";
  }
  return profiles;
}

/** The next ids in order, and from where to go on; fewer than `max` only if nothing is left or a bucket had more than its share. */
async function idsAfter(
  session: Session,
  { workspaceId, from, max }: PageOf,
): Promise<{ ids: UserId[]; next: UserId | undefined }> {
  const share = Math.min(max, Math.ceil(max / limits.cassandraBuckets) + spareIds) + 1;
  const perBucket = await idsPerBucket(session, selectUserIds, { workspaceId, from, max: share });
  // A bucket that gave all it was asked for may have more behind: beyond its last id the order is not known.
  const ends = perBucket.flatMap((ids) => (ids.length === share ? [ids[ids.length - 1] ?? ""] : [])).sort();
  const known = perBucket.flat().filter((id) => ends[0] === undefined || id <= ends[0]).sort();
  const ids = known.slice(0, max);
  const isLast = ends.length === 0 && known.length <= max;
  return { ids, next: isLast ? undefined : ids.at(-1) };
}

/** What a bucket may hold beyond the average before a page takes a second round. */
const spareIds = 10;

async function idsPerBucket(session: Session, cql: string, { workspaceId, from, max }: PageOf): Promise<UserId[][]> {
  return await inFlight(allBuckets, limits.cassandraInFlightMax, async (bucket) => {
    const rows = await session.execute({ cql, values: { workspace_id: workspaceId, bucket, start: from, max } });
    return rows.map((row) => String(row["user_id"]));
  });
}
