/** The contracts on a real Cassandra, in tables made by the migrations. */
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { openCassandra } from "../../../platform/cassandra/driver.ts";
import { createKeyspace, migrate, readMigrations } from "../../../platform/cassandra/migrate.ts";
import { systemClock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import { type CassandraServer, startCassandra } from "../../../test/servers/cassandra.ts";
import { describeWith } from "../../../test/servers/require.ts";
import { openCassandraProfileStore } from "./cassandra.ts";
import { describeLateWrites } from "./late-writes-contract.ts";
import { cassandraProfileMove } from "./moved-cassandra.ts";
import { describeProfileMove } from "./moved-contract.ts";
import { describeRejected, rejecting } from "./rejected-contract.ts";
import { changes, describeRows, heldFrom, recordOf } from "./rows-contract.ts";

const hookMs = 240_000;

await describeWith(["cassandra"], "profile store on a real Cassandra", () => {
  describe("one server", () => {
    let server: CassandraServer;
    beforeAll(async () => {
      server = await startCassandra({ heapMegabytes: 1024 });
    }, hookMs);
    afterAll(() => server?.stop(), hookMs);

    describeRows("Cassandra", () => open(server, "rows"), hookMs);
    describeProfileMove("Cassandra", async () => {
      const { session, ...opened } = await open(server, "moved");
      return {
        ...opened,
        move: cassandraProfileMove(session, opened.store),
        async hold(workspaceId) {
          const held = heldFrom([5, 0], [recordOf(9, 0)]);
          await opened.profiles.save(changes(workspaceId, { held: new Map([["u1", held]]) }));
        },
      };
    }, hookMs);
    describeLateWrites("Cassandra", () => open(server, "late"), hookMs);
    describeRejected("Cassandra", async () => rejecting(await open(server, "rejected")), hookMs);
  });
});

async function open(server: CassandraServer, keyspace: string) {
  const config = { contactPoints: [server.contactPoint], datacenter: server.datacenter, deadlineMs: limits.cassandraSchemaMsMax };
  const outside = openCassandra(config, systemClock);
  await createKeyspace(outside, keyspace, { class: "NetworkTopologyStrategy", [server.datacenter]: 1 });
  await outside.close();
  const session = openCassandra({ ...config, keyspace }, systemClock);
  await migrate({ session, migrations: readMigrations(join(import.meta.dirname, "schema")), owner: keyspace });
  const store = openCassandraProfileStore({ session, clock: systemClock, partitions: 4 });
  return { ...store, store, session, now: systemClock.now(), close: () => session.close() };
}
