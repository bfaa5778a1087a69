/** The contracts of the content service's stores on a real Cassandra, in tables made by the migrations. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contractSession } from "../../../platform/cassandra/contract-session.fixture.ts";
import { openCassandra } from "../../../platform/cassandra/driver.ts";
import { createKeyspace, migrate, readMigrations } from "../../../platform/cassandra/migrate.ts";
import { type RecordingSession, recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import type { Session } from "../../../platform/cassandra/session.ts";
import { systemClock } from "../../../platform/clock.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { newId } from "../../../platform/identifier.ts";
import { limits } from "../../../platform/limits.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { type CassandraServer, startCassandra } from "../../../test/servers/cassandra.ts";
import { describeWith } from "../../../test/servers/require.ts";
import { describeCenterStore } from "./centers-contract.ts";
import { openCassandraCenters } from "./cassandra-centers.ts";
import { sweepTexts, sweepTextsDaily } from "./cassandra-text-sweep.ts";
import { moveText, putPart, scanVersions, selectParts } from "./cassandra-translation-statements.ts";
import { openCassandraTranslations } from "./cassandra-translations.ts";
import { cassandraContentMove } from "./moved-cassandra.ts";
import { describeContentMove } from "./moved-contract.ts";
import { describeTranslations } from "./translations-contract.ts";

const schemas = ["v0001/translations.cql", "v0002/centers.cql"].map((file) =>
  readFileSync(join(import.meta.dirname, "schema", file), "utf8")
);
const hookMs = 240_000;

await describeWith(["cassandra"], "content store on a real Cassandra", () => {
  describe("one server", () => {
    let server: CassandraServer;
    let session: Session;
    let recorded: RecordingSession;
    beforeAll(async () => {
      server = await startCassandra({ heapMegabytes: 1024 });
      const config = { contactPoints: [server.contactPoint], datacenter: server.datacenter, deadlineMs: limits.cassandraSchemaMsMax };
      const outside = openCassandra(config, systemClock);
      await createKeyspace(outside, "content", { class: "NetworkTopologyStrategy", [server.datacenter]: 1 });
      await outside.close();
      session = openCassandra({ ...config, keyspace: "content" }, systemClock);
      await migrate({ session, migrations: readMigrations(join(import.meta.dirname, "schema")), owner: "test" });
      // Fails what does not name its whole partition, or leaves an age to a clock
      recorded = recordingSession(schemas, session);
    }, hookMs);
    afterAll(async () => {
      await session?.close();
      await server?.stop();
    }, hookMs);

    function translations() {
      return openCassandraTranslations({ session: recorded, newVersion: () => newId("uuid") });
    }

    describeTranslations("Cassandra", async () => ({ store: translations(), close: async () => {} }), hookMs);

    describeCenterStore("Cassandra", async () => {
      await session.execute({ cql: "TRUNCATE centers_by_workspace", values: {}, idempotent: true });
      return { ...openCassandraCenters({ session: recorded, newContentId: () => newId("uuid") }), close: async () => {} };
    });

    let moves = 0;
    describeContentMove("Cassandra", async () => {
      moves += 1;
      const own = contractSession(recorded, `moved-${moves}-`).session;
      const { centers } = openCassandraCenters({ session: own, newContentId: () => newId("uuid") });
      const stores = { centers, translations: openCassandraTranslations({ session: own, newVersion: () => newId("uuid") }) };
      const move = cassandraContentMove({ ...stores, session: own, clock: systemClock });
      return { ...stores, move, now: systemClock.now(), close: async () => {} };
    });

    test("texts of 20 MB that do not get smaller are kept whole, and those before them go", async () => {
      const store = translations();
      const key = { messageId: "large", localeId: "es" };
      const text = Buffer.from(Array.from({ length: 15_000_000 }, (_, at) => (at * at * 31 + (at >> 3)) & 0xff)).toString("base64");
      await store.putTexts("ws-large", { key, texts: new Map([["id_0", text]]), now: 0 });
      const [read] = await store.texts("ws-large", [key]);
      expect(read?.get("id_0") === text).toBe(true);
      await store.putTexts("ws-large", { key, texts: new Map([["id_0", "small"]]), now: 0 });
      expect(await store.texts("ws-large", [key])).toEqual([new Map([["id_0", "small"]])]);
      await expect.poll(() => versionsOf("ws-large")).toBe(1);
    });

    async function versionsOf(workspaceId: string): Promise<number> {
      const rows = await session.execute({ cql: scanVersions, values: {}, idempotent: true });
      return rows.filter((row) => row["workspace_id"] === workspaceId).length;
    }

    test("texts that are put while a conditional write is under way share the next one", async () => {
      let written = 0;
      const counted: Session = {
        ...recorded,
        async execute(statement) {
          const rows = await recorded.execute(statement);
          if (statement.cql === putPart) written += 1;
          return rows;
        },
      };
      const store = openCassandraTranslations({ session: counted, newVersion: () => newId("uuid") });
      const go = recorded.block(({ cql }) => cql === moveText);
      const begun = recorded.calls.length;
      const write = (at: number, text: string) =>
        store.putTexts("ws-together", { key: { messageId: `m${at}`, localeId: "es" }, texts: new Map([["id_0", text]]), now: 0 });
      const puts = [write(0, "first")];
      const moves = () => recorded.calls.slice(begun).filter((call) => call.some(({ cql }) => cql === moveText)).map((call) => call.length);
      await expect.poll(moves).toEqual([1]);
      puts.push(...Array.from({ length: 30 }, (_, at) => write(at % 15, `${at}`)));
      await expect.poll(() => written).toBe(31);
      go();
      expect(new Set(await Promise.all(puts))).toEqual(new Set(["committed"]));
      // The second texts of a message wait until the first ones count
      expect(moves()).toEqual([1, 15, 15]);
      for (let at = 0; at < 15; at += 1) {
        const [texts] = await store.texts("ws-together", [{ messageId: `m${at}`, localeId: "es" }]);
        expect(["first", `${at}`, `${at + 15}`]).toContain(texts?.get("id_0"));
      }
      await expect.poll(() => versionsOf("ws-together")).toBe(15);
    });

    test("a failure of a write that several share is told to each of them, and what they wrote is swept in an hour", async () => {
      const store = translations();
      const put = (at: number) =>
        store.putTexts("ws-failed", { key: { messageId: `m${at}`, localeId: "es" }, texts: new Map([["id_0", "x"]]), now: 0 });
      await put(0);
      recorded.failNext(({ cql }) => cql === moveText, new Error("planted"));
      const first = put(0);
      await expect(first).rejects.toThrow("planted");
      await expect(put(1)).resolves.toBe("committed");
      expect(await versionsOf("ws-failed")).toBe(3);
      const clock = { ...systemClock, now: () => Date.now() };
      expect(await sweepTexts({ session, clock })).toBe(0);
      const later = { ...clock, now: () => Date.now() + limits.textSweepAgeMs + 60_000 };
      expect(await sweepTexts({ session, clock: later })).toBe(1);
      expect(await versionsOf("ws-failed")).toBe(2);
      const key = { messageId: "m0", localeId: "es" };
      expect(await store.texts("ws-failed", [key])).toEqual([new Map([["id_0", "x"]])]);
    });

    test("one of several processes sweeps, once a day", async () => {
      const clock = fakeClock(Date.now() + 2 * limits.textSweepAgeMs);
      const key = { messageId: "m0", localeId: "es" };
      const sweeps: unknown[] = [];
      const logger = { ...silentLogger, info: (event: string) => sweeps.push(event) };
      const ends = [1, 2].map(() => sweepTextsDaily({ session, clock, logger }));
      recorded.failNext(({ cql }) => cql === moveText, new Error("planted"));
      await expect(translations().putTexts("ws-daily", { key, texts: new Map([["id_0", "x"]]), now: 0 })).rejects.toThrow("planted");
      clock.advance(limits.textSweepLookMs);
      await expect.poll(() => versionsOf("ws-daily")).toBe(0);
      await expect.poll(() => sweeps).toEqual(["texts_swept"]);
      for (const end of ends) end();
    });

    test("a reader that read the pointer of texts before they were replaced reads those that took their place", async () => {
      const store = translations();
      const key = { messageId: "raced", localeId: "es" };
      await store.putTexts("ws-raced", { key, texts: new Map([["id_0", "old"]]), now: 0 });
      const go = recorded.block(({ cql }) => cql.startsWith("SELECT part"));
      const reading = store.texts("ws-raced", [key]);
      await expect.poll(() => recorded.calls.at(-1)?.[0]?.cql).toMatch(/^SELECT part/);
      await store.putTexts("ws-raced", { key, texts: new Map([["id_0", "new"]]), now: 0 });
      // Those before them go behind the answer
      await expect.poll(() => versionsOf("ws-raced")).toBe(1);
      go();
      expect(await reading).toEqual([new Map([["id_0", "new"]])]);
    });

    test("texts that were read are read again by their pointer alone", async () => {
      const store = translations();
      const key = { messageId: "known", localeId: "es" };
      const reads = () => recorded.calls.filter(([call]) => call?.cql === selectParts && call.values["message_id"] === "known").length;
      for (const text of ["first", "second"]) {
        await store.putTexts("ws-known", { key, texts: new Map([["id_0", text]]), now: 0 });
        for (let at = 0; at < 3; at += 1) expect(await store.texts("ws-known", [key])).toEqual([new Map([["id_0", text]])]);
      }
      expect(reads()).toBe(2);
    });

    test("a workspace may have thousands of messages", async () => {
      const store = translations();
      const puts = Array.from({ length: 2_000 }, (_, at) => ({
        kind: "campaign" as const,
        id: newId("uuid"),
        name: `Campaign ${at}`,
        steps: [{ id: "", name: "", variations: [{ id: newId("uuid"), name: "A", channel: "email", localeIds: ["es"] }] }],
      }));
      const settings = { earlyAccess: true, enabled: true, locales: [] };
      const change = { revision: 0, settings, puts, drops: [], sources: [], goneTexts: [], goneIds: [] };
      expect(await store.commitDeclared("ws-many", change)).toBe("committed");
      expect((await store.declared("ws-many")).owners).toHaveLength(2_000);
    });
  });
});
