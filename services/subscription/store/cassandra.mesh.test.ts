/** The contract on a real Cassandra, in tables made by the migrations. */
import { join } from "node:path";
import { describe } from "vitest";
import { contractSession, tableSuite } from "../../../platform/cassandra/contract-session.fixture.ts";
import { describeConsentMove } from "../../../platform/ledger/moved-contract.ts";
import { describeWith } from "../../../test/servers/require.ts";
import { describeLateParts } from "../lanes/late-parts-contract.ts";
import { inSomeBuckets } from "./buckets.fixture.ts";
import { openCassandraSubscriptionStore } from "./cassandra.ts";
import { moveDriver } from "./moved.fixture.ts";
import { describeSubscriptionStore } from "./store-contract.ts";

const hookMs = 240_000;

await describeWith(["cassandra"], "subscription store on a real Cassandra", () => {
  describe("one server", () => {
    const cassandra = tableSuite("heddle_subscription", join(import.meta.dirname, "schema"));
    let opened = 0;

    describeConsentMove("memberships on Cassandra", async () => {
      const moved = await cassandra.openAnother("moved_subscription");
      const tables = openCassandraSubscriptionStore(moved, inSomeBuckets);
      return moveDriver(tables, () => moved.close());
    }, hookMs);

    describeLateParts("Cassandra", async () => {
      opened += 1;
      const { session: own } = contractSession(cassandra.session, `late-${opened}-`);
      return { store: openCassandraSubscriptionStore(own, inSomeBuckets), close: () => Promise.resolve() };
    }, hookMs);

    describeSubscriptionStore("Cassandra", () => {
      opened += 1;
      const own = contractSession(cassandra.session, `${opened}-`);
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
