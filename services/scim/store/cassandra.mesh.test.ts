/** The contract of the SCIM store on a real Cassandra, in tables made by the migrations. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCassandra } from "../../../platform/cassandra/driver.ts";
import { createKeyspace, migrate, readMigrations } from "../../../platform/cassandra/migrate.ts";
import { recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import type { Session } from "../../../platform/cassandra/session.ts";
import { systemClock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import { type CassandraServer, startCassandra } from "../../../test/servers/cassandra.ts";
import { describeWith } from "../../../test/servers/require.ts";
import { someUser } from "../domain/user.fixture.ts";
import { openCassandraRequestLog } from "./cassandra-log.ts";
import { openCassandraOutbox } from "./cassandra-outbox.ts";
import { openCassandraUsers } from "./cassandra-users.ts";
import { cassandraScimMove } from "./moved-cassandra.ts";
import { describeScimMove } from "./moved-contract.ts";
import { describeUsers } from "./users-contract.ts";

const schema = readFileSync(join(import.meta.dirname, "schema/v0001/directory.cql"), "utf8");
const hookMs = 240_000;

await describeWith(["cassandra"], "SCIM store on a real Cassandra", () => {
  describe("one server", () => {
    let server: CassandraServer;
    let session: Session;
    let opened = 0;
    beforeAll(async () => {
      server = await startCassandra({ heapMegabytes: 1024 });
      const config = { contactPoints: [server.contactPoint], datacenter: server.datacenter, deadlineMs: limits.cassandraSchemaMsMax };
      const outside = openCassandra(config, systemClock);
      await createKeyspace(outside, "scim", { class: "NetworkTopologyStrategy", [server.datacenter]: 1 });
      await outside.close();
      session = openCassandra({ ...config, keyspace: "scim" }, systemClock);
      await migrate({ session, migrations: readMigrations(join(import.meta.dirname, "schema")), owner: "test" });
    }, hookMs);
    afterAll(async () => {
      await session?.close();
      await server?.stop();
    }, hookMs);

    /** Tables without rows, as every test of the suite expects. */
    async function open() {
      if (opened > 0) { for (const table of tables) await session.execute({ cql: `TRUNCATE ${table}`, values: {}, idempotent: true }); }
      opened += 1;
      // Fails what does not name its whole partition, or leaves an age to a clock
      const recorded = recordingSession([schema], session);
      const now = Date.UTC(2026, 0, 1, 12);
      const parts = { session: recorded, clock: { ...systemClock, now: () => now } };
      const [users, log] = [openCassandraUsers(parts), openCassandraRequestLog(parts)];
      return {
        users,
        outbox: openCassandraOutbox(recorded),
        log,
        move: cassandraScimMove({ ...parts, users, log }),
        now,
        close: () => Promise.resolve(),
      };
    }

    describeUsers("Cassandra", open);
    describeScimMove("Cassandra", open);

    test("two processes that claim a name at once: one has it", { timeout: 60_000 }, async () => {
      const stores = [(await open()).users, openCassandraUsers({ session, clock: systemClock })];
      const claims = Array.from({ length: 20 }, (_, at) => ({ ...someUser(), id: `id-${at}` }));
      const outcomes = await Promise.all(
        claims.map((after, at) => stores[at % 2]?.commit({ companyId: after.companyId, after })),
      );
      expect(outcomes.filter((outcome) => outcome === "committed")).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === "name_taken")).toHaveLength(19);
      expect(await stores[0]?.census(someUser().companyId)).toEqual({ users: 1, changes: 1 });
    });
  });
});

const tables = ["directory_by_company", "requests_by_day", "companies_with_events"];
