/** Users of a workspace from the newest on: those who lie together, the last bucket first, then those who lie alone. */
import { allBuckets } from "../../../platform/cassandra/buckets.ts";
import { inFlight } from "../../../platform/in-flight.ts";
import type { Session } from "../../../platform/cassandra/session.ts";
import { limits } from "../../../platform/limits.ts";
import type { Profile } from "../domain/profile.ts";
import type { UserId } from "../domain/user-key.ts";
import type { ProfileReads } from "./cassandra-profiles.ts";
import { profileFromBlob } from "./cassandra-values.ts";
import { lastCharacter } from "./names.ts";
import { selectBucketsBack, selectUserIdsBefore, selectUsersBefore } from "./statements.ts";
import type { BucketOf } from "./user-place.ts";

interface Stores {
  readonly session: Session;
  readonly reads: ProfileReads;
  readonly bucketOf: BucketOf;
}

interface PageOf {
  readonly workspaceId: string;
  readonly before: UserId;
  readonly max: number;
}

export async function pageBack(stores: Stores, page: PageOf): Promise<Profile[]> {
  const bucket = page.before === "" ? undefined : stores.bucketOf(page.workspaceId, page.before);
  const isAmongAlone = page.before !== "" && bucket === undefined;
  const together = isAmongAlone ? [] : await togetherBefore(stores.session, page, bucket);
  if (together.length === page.max) return together;
  const before = isAmongAlone ? page.before : "";
  return [...together, ...await aloneBefore(stores, { ...page, before, max: page.max - together.length })];
}

/** `first`: the bucket of `before`. */
async function togetherBefore(session: Session, { workspaceId, before, max }: PageOf, first: number | undefined): Promise<Profile[]> {
  const profiles: Profile[] = [];
  for (let end = first === undefined ? bucketsEnd : first + 1; profiles.length < max;) {
    const [row] = await session.execute({ cql: selectBucketsBack, values: { workspace_id: workspaceId, end, max: 1 }, idempotent: true });
    if (row === undefined) break;
    end = Number(row["bucket"]);
    let last = end === first ? before : lastCharacter;
    while (profiles.length < max) {
      const some = Math.min(max - profiles.length, limits.bucketRowsPerPage);
      const values = { workspace_id: workspaceId, bucket: end, before: last, max: some };
      const rows = await session.execute({ cql: selectUsersBefore, values, idempotent: true });
      profiles.push(...rows.flatMap(({ body }) => body === null ? [] : [profileFromBlob(body)]));
      if (rows.length < some) break;
      last = String(rows.at(-1)?.["user_id"]);
    }
  }
  return profiles;
}

/** No bucket has it: numbers have 32 bits. */
const bucketsEnd = 2 ** 31 - 1;

/** Every list is asked for a whole page: it is unknown how the newest are spread. */
async function aloneBefore({ session, reads }: Stores, { workspaceId, before, max }: PageOf): Promise<Profile[]> {
  const profiles: Profile[] = [];
  for (let last = before === "" ? lastCharacter : before; profiles.length < max;) {
    const perBucket = await inFlight(allBuckets, limits.cassandraInFlightMax, async (bucket) => {
      const values = { workspace_id: workspaceId, bucket, before: last, max };
      const rows = await session.execute({ cql: selectUserIdsBefore, values, idempotent: true });
      return rows.map((row) => String(row["user_id"]));
    });
    const ids = perBucket.flat().sort().reverse().slice(0, max - profiles.length);
    if (ids.length === 0) break;
    const loaded = await reads.load(workspaceId, ids);
    profiles.push(...ids.flatMap((id) => loaded.get(id) ?? []));
    last = ids.at(-1) ?? "";
  }
  return profiles;
}
