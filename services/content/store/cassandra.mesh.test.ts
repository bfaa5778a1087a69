/** The contracts of documents and of the content service's stores on a real Cassandra, in tables made by the migrations. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { tableSuite } from "../../../platform/cassandra/contract-session.fixture.ts";
import { splitStatements } from "../../../platform/cassandra/cql.ts";
import { type RecordingSession, recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { systemClock } from "../../../platform/clock.ts";
import { openCassandraDocuments } from "../../../platform/documents/cassandra.ts";
import { sweepChunks } from "../../../platform/documents/chunk-sweep.ts";
import { describeDocuments } from "../../../platform/documents/documents-contract.ts";
import { contractLayout, contractSchema } from "../../../platform/documents/documents.fixture.ts";
import { newId } from "../../../platform/identifier.ts";
import { limits } from "../../../platform/limits.ts";
import { describeWith } from "../../../test/servers/require.ts";
import { openCenterStore } from "./centers.ts";
import { describeCenterStore } from "./centers-contract.ts";
import { centersLayout, translationsLayout } from "./layouts.ts";
import { openLinkKeys } from "../../../platform/documents/link-keys.ts";
import { openTranslationStore } from "./translations.ts";
import { describeTranslations } from "./translations-contract.ts";

const schemas = ["v0001/translations.cql", "v0002/centers.cql"].map((file) =>
  readFileSync(join(import.meta.dirname, "schema", file), "utf8")
);
const hookMs = 240_000;

await describeWith(["cassandra"], "content store on a real Cassandra", () => {
  describe("one server", () => {
    const tables = tableSuite("content", join(import.meta.dirname, "schema"));
    let recorded: RecordingSession;
    let contract = 0;
    beforeAll(async () => {
      for (const cql of splitStatements(contractSchema)) await tables.session.execute({ cql, values: {} });
      // Fails what does not name its whole partition, or leaves an age to a clock
      recorded = recordingSession([...schemas, contractSchema], tables.session);
    }, hookMs);

    describeDocuments("Cassandra", async () => {
      contract += 1;
      const documents = openCassandraDocuments({ session: recorded, layout: contractLayout, clock: systemClock });
      const prefixed: typeof documents = {
        get: (partition, key) => documents.get(`${contract} ${partition}`, key),
        list: (partition, kind) => documents.list(`${contract} ${partition}`, kind),
        ids: (partition, kind) => documents.ids(`${contract} ${partition}`, kind),
        between: (partition, kind, range) => documents.between(`${contract} ${partition}`, kind, range),
        changeIf: (partition, change) => documents.changeIf(`${contract} ${partition}`, change),
      };
      return { documents: prefixed, now: systemClock.now() };
    });

    function translations() {
      return openTranslationStore(openCassandraDocuments({ session: recorded, layout: translationsLayout, clock: fakeClock() }));
    }

    describeTranslations("Cassandra", async () => ({ store: translations(), close: async () => {} }), hookMs);

    describeCenterStore("Cassandra", async () => {
      await tables.session.execute({ cql: "TRUNCATE centers_by_workspace", values: {} });
      const documents = openCassandraDocuments({ session: recorded, layout: centersLayout, clock: fakeClock(0) });
      const centers = openCenterStore({ documents, newContentId: () => newId("uuid") });
      return { centers, linkKeys: openLinkKeys(documents), close: async () => {} };
    });

    test("texts of 20 MB that do not get smaller are kept whole, and those before them are swept", async () => {
      const store = translations();
      const key = { messageId: "large", localeId: "es" };
      const text = Buffer.from(Array.from({ length: 15_000_000 }, (_, at) => (at * at * 31 + (at >> 3)) & 0xff)).toString("base64");
      await store.putTexts("ws-large", { key, texts: new Map([["id_0", text]]), now: fakeClock().now() });
      const [read] = await store.texts("ws-large", [key]);
      expect(read?.get("id_0") === text).toBe(true);
      await store.putTexts("ws-large", { key, texts: new Map([["id_0", "small"]]), now: fakeClock().now() });
      expect(await store.texts("ws-large", [key])).toEqual([new Map([["id_0", "small"]])]);
      const later = { ...systemClock, now: () => Date.now() + limits.chunkSweepAgeMs + 60_000 };
      await sweepChunks({ session: tables.session, clock: later, layout: translationsLayout });
      expect(await store.texts("ws-large", [key])).toEqual([new Map([["id_0", "small"]])]);
      const rows = await tables.session.execute({
        cql: "SELECT DISTINCT workspace_id, message_id, locale_id, version FROM texts_by_version",
        values: {},
      });
      expect(rows.filter((row) => row["workspace_id"] === "ws-large")).toHaveLength(1);
    });

    test("a declaration writes as much at once as it may", async () => {
      const store = translations();
      // Of each the campaign, and where its message is found
      const puts = Array.from({ length: limits.declaredWritesMax / 2 }, (_, at) => ({
        kind: "campaign" as const,
        id: newId("uuid"),
        name: `Campaign ${at}`,
        steps: [{ id: "", name: "", variations: [{ id: newId("uuid"), name: "A", channel: "email", localeIds: ["es"] }] }],
      }));
      const settings = { earlyAccess: true, enabled: true, locales: [] };
      const change = { revision: 0, settings, puts, drops: [], sources: [], goneIds: [] };
      expect(await store.commitDeclared("ws-many", change)).toBe("committed");
      expect((await store.declared("ws-many")).owners).toHaveLength(puts.length);
    });
  });
});
