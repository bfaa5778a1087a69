/** The contract on a real Cassandra, in tables made by the migrations. */
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { contractSession, openTables } from "../../../platform/cassandra/contract-session.fixture.ts";
import type { Session } from "../../../platform/cassandra/session.ts";
import { describeConsentMove } from "../../../platform/ledger/moved-contract.ts";
import { type CassandraServer, startCassandra } from "../../../test/servers/cassandra.ts";
import { describeWith } from "../../../test/servers/require.ts";
import { describeLateParts } from "../lanes/late-parts-contract.ts";
import { inSomeBuckets } from "./buckets.fixture.ts";
import { openCassandraSubscriptionStore } from "./cassandra.ts";
import { moveDriver } from "./moved.fixture.ts";
import { describeSubscriptionStore } from "./store-contract.ts";

const hookMs = 240_000;

await describeWith(["cassandra"], "subscription store on a real Cassandra", () => {
  describe("one server", () => {
    let server: CassandraServer;
    let session: Session;
    let opened = 0;
    beforeAll(async () => {
      server = await startCassandra({ heapMegabytes: 1024 });
      session = await openTables(server, "heddle_subscription", join(import.meta.dirname, "schema"));
    }, hookMs);
    afterAll(async () => {
      await session?.close();
      await server?.stop();
    }, hookMs);

    describeConsentMove("memberships on Cassandra", async () => {
      const moved = await openTables(server, "moved_subscription", join(import.meta.dirname, "schema"));
      const tables = openCassandraSubscriptionStore(moved, inSomeBuckets);
      return moveDriver(tables, () => moved.close());
    }, hookMs);

    describeLateParts("Cassandra", async () => {
      opened += 1;
      const { session: own } = contractSession(session, `late-${opened}-`);
      return { store: openCassandraSubscriptionStore(own, inSomeBuckets), close: () => Promise.resolve() };
    }, hookMs);

    describeSubscriptionStore("Cassandra", () => {
      opened += 1;
      const own = contractSession(session, `${opened}-`);
      const tables = openCassandraSubscriptionStore(own.session, inSomeBuckets);
      return Promise.resolve({
        ...tables,
        release: (record) => tables.forgetSetAside([record]),
        breakNextCommit: own.breakNextWrite,
        close: () => Promise.resolve(),
      });
    });
  });
});
