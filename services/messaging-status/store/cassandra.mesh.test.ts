/** The contract on a real Cassandra, in tables made by the migrations. */
import { join } from "node:path";
import { describe } from "vitest";
import { contractSession, tableSuite } from "../../../platform/cassandra/contract-session.fixture.ts";
import { systemClock } from "../../../platform/clock.ts";
import { describeConsentMove } from "../../../platform/ledger/moved-contract.ts";
import { describeWith } from "../../../test/servers/require.ts";
import { openCassandraStatusStore } from "./cassandra.ts";
import { moveDriver } from "./moved.fixture.ts";
import { describeStatusStore } from "./store-contract.ts";

const hookMs = 240_000;

await describeWith(["cassandra"], "messaging-status store on a real Cassandra", () => {
  describe("one server", () => {
    const cassandra = tableSuite("heddle_messaging_status", join(import.meta.dirname, "schema"));
    let opened = 0;

    describeConsentMove("addresses on Cassandra", async () => {
      const moved = await cassandra.openAnother("moved_messaging_status");
      const tables = openCassandraStatusStore(moved, systemClock);
      return moveDriver(tables, () => moved.close());
    }, hookMs);

    describeStatusStore("Cassandra", () => {
      opened += 1;
      const own = contractSession(cassandra.session, `${opened}-`);
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
