/** The mesh's store of the profile service: identities and profiles as tables of a Cassandra keyspace. */
import { createBoundedNow } from "../../../platform/bounded-now.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Session } from "../../../platform/cassandra/session.ts";
import type { IdentityStore, IdentityWriter, ProfileStore, ProfileWriter } from "../domain/ports.ts";
import { cassandraIdentities } from "./cassandra-identities.ts";
import { cassandraProfileLists } from "./cassandra-lists.ts";
import { cassandraProfileReads } from "./cassandra-profiles.ts";
import { cassandraRejected } from "./cassandra-rejected.ts";
import { cassandraProfileWriter } from "./cassandra-writer.ts";

export interface CassandraProfileStore {
  readonly identities: IdentityStore & IdentityWriter;
  readonly profiles: ProfileStore & ProfileWriter;
}

/** The tables must be there (`schema/`, brought by migrate). `partitions`: those of the intake log. The session stays the caller's. */
export function openCassandraProfileStore(parts: { session: Session; clock: Clock; partitions: number }): CassandraProfileStore {
  const reads = cassandraProfileReads(parts.session);
  const bounded = createBoundedNow(parts.clock);
  bounded.after(0);
  const writes = { session: parts.session, now: () => bounded.after(0) };
  return {
    identities: cassandraIdentities(writes),
    profiles: {
      ...reads,
      ...cassandraProfileLists({ ...parts, reads }),
      ...cassandraRejected(parts.session),
      ...cassandraProfileWriter(writes),
    },
  };
}
