/** The contract on a real Cassandra, in tables made by the migrations. */
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { contractSession, openTables } from "../../../platform/cassandra/contract-session.fixture.ts";
import { systemClock } from "../../../platform/clock.ts";
import type { Session } from "../../../platform/cassandra/session.ts";
import { describeConsentMove } from "../../../platform/ledger/moved-contract.ts";
import { type CassandraServer, startCassandra } from "../../../test/servers/cassandra.ts";
import { describeWith } from "../../../test/servers/require.ts";
import { openCassandraStatusStore } from "./cassandra.ts";
import { moveDriver } from "./moved.fixture.ts";
import { describeStatusStore } from "./store-contract.ts";

const hookMs = 240_000;

await describeWith(["cassandra"], "messaging-status store on a real Cassandra", () => {
  describe("one server", () => {
    let server: CassandraServer;
    let session: Session;
    let opened = 0;
    beforeAll(async () => {
      server = await startCassandra({ heapMegabytes: 1024 });
      session = await openTables(server, "heddle_messaging_status", join(import.meta.dirname, "schema"));
    }, hookMs);
    afterAll(async () => {
      await session?.close();
      await server?.stop();
    }, hookMs);

    describeConsentMove("addresses on Cassandra", async () => {
      const moved = await openTables(server, "moved_messaging_status", join(import.meta.dirname, "schema"));
      const tables = openCassandraStatusStore(moved, systemClock);
      return moveDriver(tables, () => moved.close());
    }, hookMs);

    describeStatusStore("Cassandra", () => {
      opened += 1;
      const own = contractSession(session, `${opened}-`);
      const tables = openCassandraStatusStore(own.session, systemClock);
      return Promise.resolve({
        ...tables,
        release: (record) => tables.forgetSetAside([record]),
        breakNextCommit: own.breakNextWrite,
        close: () => Promise.resolve(),
      });
    });
  });
});
