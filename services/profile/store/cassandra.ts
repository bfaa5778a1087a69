/** The mesh's store of the profile service: identities and profiles as tables of a Cassandra keyspace. */
import { createBoundedNow } from "../../../platform/bounded-now.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Session } from "../../../platform/cassandra/session.ts";
import type { IdentityStore, IdentityWriter, NameIndex, ProfileStore, ProfileWriter } from "../domain/ports.ts";
import { cassandraIdentities } from "./cassandra-identities.ts";
import { cassandraProfileLists } from "./cassandra-lists.ts";
import { cassandraProfileReads } from "./cassandra-profiles.ts";
import { cassandraRejected } from "./cassandra-rejected.ts";
import { cassandraProfileWriter } from "./cassandra-writer.ts";
import type { BucketOf } from "./user-row-location.ts";

export interface CassandraProfileStore {
  readonly identities: IdentityStore & IdentityWriter & NameIndex;
  readonly profiles: ProfileStore & ProfileWriter;
}

interface StoreDeps {
  readonly session: Session;
  readonly clock: Clock;
  readonly partitions: number;
  /** See user-number.ts. */
  readonly bucketOf: BucketOf;
}

/** The tables must be there (`schema/`, brought by migrate). `partitions`: those of the intake log. The session stays the caller's. */
export function openCassandraProfileStore(deps: StoreDeps): CassandraProfileStore {
  const { session, bucketOf } = deps;
  const reads = cassandraProfileReads(session, bucketOf);
  const bounded = createBoundedNow(deps.clock);
  bounded.after(0);
  const writes = { session, bucketOf, now: () => bounded.after(0) };
  return {
    identities: cassandraIdentities(writes),
    profiles: {
      ...reads,
      ...cassandraProfileLists({ ...deps, reads }),
      ...cassandraRejected(session, bucketOf),
      ...cassandraProfileWriter(writes),
    },
  };
}
