/** The contract of the access store on a real Cassandra, whose files hold no secret. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { openCassandra } from "../../../platform/cassandra/driver.ts";
import { migrateKeyspace } from "../../../platform/cassandra/keyspace.ts";
import type { Session } from "../../../platform/cassandra/session.ts";
import { systemClock } from "../../../platform/clock.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { openCassandraDocuments } from "../../../platform/documents/cassandra.ts";
import { limits } from "../../../platform/limits.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { type CassandraServer, startCassandra } from "../../../test/servers/cassandra.ts";
import { describeWith } from "../../../test/servers/require.ts";
import { describeAccess } from "./access-contract.ts";
import { accessLayout, openAccess } from "./store.ts";

const hookMs = 240_000;
const keyspace = "heddle_gateway";

await describeWith(["cassandra"], "access on a real Cassandra", () => {
  let server: CassandraServer;
  let config: { contactPoints: string[]; datacenter: string };
  let installations = 0;
  beforeAll(async () => {
    server = await startCassandra({ heapMegabytes: 1024 });
    config = { contactPoints: [server.contactPoint], datacenter: server.datacenter };
    await migrateKeyspace({ cassandra: config, keyspace }, join(import.meta.dirname, "../schema"), { clock: systemClock, replication: 1 });
  }, hookMs);
  afterAll(() => server?.stop(), hookMs);

  describeAccess("Cassandra", async () => {
    installations += 1;
    const installation = `installation-${installations}`;
    const clock = fakeClock();
    const sessions: Session[] = [];
    const opened: { close(): void }[] = [];
    return {
      clock,
      async open() {
        const session = openCassandra({ ...config, keyspace, deadlineMs: limits.cassandraSchemaMsMax }, systemClock);
        const access = await openAccess({
          documents: openCassandraDocuments({ session, layout: accessLayout, clock }),
          clock,
          installation,
          logger: silentLogger,
        });
        sessions.push(session);
        opened.push(access);
        return access;
      },
      // A row is in the commit log, which is written as it is, before its write is answered
      atRest: () => Promise.resolve(filesBelow(server.folder).map((path) => readFileSync(path, "latin1")).join("\n")),
      async lose() {
        for (const session of sessions.splice(0)) await session.close();
      },
      async dispose() {
        for (const access of opened) access.close();
        for (const session of sessions) await session.close();
      },
    };
  });
});

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
