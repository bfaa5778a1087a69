/** The contracts of the SCIM store on a real Cassandra, in tables made by the migrations. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { contractSession, tableSuite } from "../../../platform/cassandra/contract-session.fixture.ts";
import { recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import { systemClock } from "../../../platform/clock.ts";
import { describeWith } from "../../../test/servers/require.ts";
import { someUser } from "../domain/user.fixture.ts";
import { openCassandraScim } from "./cassandra.ts";
import { describeScimMove } from "./moved-contract.ts";
import { describeUsers } from "./users-contract.ts";
import { openUsers } from "./users.ts";

const schema = readFileSync(join(import.meta.dirname, "schema/v0001/directory.cql"), "utf8");

await describeWith(["cassandra"], "SCIM store on a real Cassandra", () => {
  describe("one server", () => {
    const tables = tableSuite("scim", join(import.meta.dirname, "schema"));
    let opened = 0;

    async function open() {
      opened += 1;
      // Fails what does not name its whole partition, or leaves an age to a clock
      const recorded = recordingSession([schema], contractSession(tables.session, `${opened}-`, "company_id").session);
      const clock = { ...systemClock, now: () => Date.UTC(2026, 0, 1, 12) };
      return { documents: openCassandraScim(recorded, clock), clock, close: () => Promise.resolve() };
    }

    describeUsers("Cassandra", open);
    describeScimMove("Cassandra", open);

    test("two processes that claim a name at once: one has it", { timeout: 60_000 }, async () => {
      const stores = [1, 2].map(() => openUsers(openCassandraScim(tables.session, systemClock)));
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
