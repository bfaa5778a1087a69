/** The stores of the content service against their contracts, over documents in SQLite and in tables of the mesh, in memory. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memorySession } from "../../../platform/cassandra/memory-session.fixture.ts";
import { recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { openCassandraDocuments } from "../../../platform/documents/cassandra.ts";
import { newId } from "../../../platform/identifier.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { migrate } from "../../../platform/sqlite/migrate.ts";
import { openCenterStore } from "./centers.ts";
import { describeCenterStore } from "./centers-contract.ts";
import { centerTables, translationTables } from "./earlier-tables.ts";
import { centersLayout, translationsLayout } from "./layouts.ts";
import { openLinkKeys } from "../../../platform/documents/link-keys.ts";
import { openCenterDocuments, openTranslationDocuments } from "./sqlite.ts";
import { openTranslationStore } from "./translations.ts";
import { describeTranslations } from "./translations-contract.ts";

const schemas = ["v0001/translations.cql", "v0002/centers.cql"].map((file) =>
  readFileSync(join(import.meta.dirname, "schema", file), "utf8")
);
const newContentId = () => newId("uuid");
// Their times are not those of a clock
const clock = fakeClock(0);

describeCenterStore("SQLite", async () => {
  const database = openDatabase({ path: ":memory:" });
  const documents = await openCenterDocuments(database, clock);
  return { centers: openCenterStore({ documents, newContentId }), linkKeys: openLinkKeys(documents), close: () => database.close() };
});

describeCenterStore("Cassandra, in memory", async () => {
  const session = recordingSession(schemas, memorySession(schemas).session);
  const documents = openCassandraDocuments({ session, layout: centersLayout, clock });
  return { centers: openCenterStore({ documents, newContentId }), linkKeys: openLinkKeys(documents), close: async () => {} };
});

describeTranslations("SQLite", async () => {
  const database = openDatabase({ path: ":memory:" });
  return { store: openTranslationStore(await openTranslationDocuments(database, fakeClock())), close: () => database.close() };
});

describeTranslations("Cassandra, in memory", async () => {
  const session = recordingSession(schemas, memorySession(schemas).session);
  const documents = openCassandraDocuments({ session, layout: translationsLayout, clock: fakeClock() });
  return { store: openTranslationStore(documents), close: async () => {} };
});

test("tables of the build before are taken over: centers with all versions, marks, settings, keys and translations", async () => {
  const database = openDatabase({ path: ":memory:" });
  await migrate(database, "content-centers", centerTables.slice(0, 2));
  await migrate(database, "content-translations", translationTables.slice(0, 1));
  const content = { title: "T", pageHtml: "<p>ñ</p>", confirmationHtml: "", redirectHtml: null, options: { linkTags: [] }, state: "draft" };
  const summary = { id: "c-1", name: "main", version: 2, createdAt: 5, updatedAt: 9 };
  const answer = { ...summary, state: "draft", warnings: ["w"] };
  database.handle.exec(`
    INSERT INTO content_centers VALUES ('w', 'c-1', 'main', 2, 5, 9, 'draft');
    INSERT INTO content_center_versions VALUES ('w', 'c-1', 1, 5, 'a', 'r-1', NULL, '${JSON.stringify({ ...content, title: "one" })}');
    INSERT INTO content_center_versions VALUES ('w', 'c-1', 2, 9, 'b', 'r-2', 1, '${JSON.stringify(content)}');
    INSERT INTO content_marks VALUES ('w', 'h', 'b', '${JSON.stringify(answer)}', 99);
    INSERT INTO content_page_settings VALUES ('w', '{"scriptsAllowed":true,"origins":["https://x.example"]}');
    INSERT INTO content_link_rings VALUES ('roots', 1, x'0aff'), ('roots', 2, x'0b00');
    INSERT INTO content_translation_settings VALUES ('w', 7, '{"earlyAccess":true,"enabled":true,"locales":[]}');
    INSERT INTO content_message_owners VALUES ('w', 'campaign', 'o', '{"name":"N","steps":[]}');
    INSERT INTO content_message_places VALUES ('w', 'm', 'campaign', 'o');
    INSERT INTO content_translation_marks VALUES ('w', 'h', 'b', 99);
  `);
  const { deflateSync } = await import("node:zlib");
  const put = database.handle.prepare("INSERT INTO content_translations VALUES ('w', 'm', ?, ?)");
  put.run("es", Buffer.from(`[["id_0","Hola"]]`));
  put.run("", deflateSync(`[["id_0","Hello"]]`, { level: 1 }));
  const documents = await openCenterDocuments(database, clock);
  const centers = openCenterStore({ documents, newContentId });
  expect(await centers.byName("w", "main")).toEqual({ workspaceId: "w", ...summary, content });
  expect(await centers.version("w", "c-1", 1)).toEqual({
    written: { version: 1, writtenAt: 5, actor: "a", requestId: "r-1" },
    content: { ...content, title: "one" },
  });
  expect(await centers.versions("w", "c-1", { before: 9, limit: 9 })).toMatchObject([{ version: 2, restoredFrom: 1 }, { version: 1 }]);
  expect(await centers.remembered("w", "h", 98)).toEqual({ requestHash: "h", bodyHash: "b", answer, expiresAt: 99 });
  expect(await centers.settings("w")).toEqual({ scriptsAllowed: true, origins: ["https://x.example"] });
  expect(await openLinkKeys(documents).all("roots")).toEqual([
    { id: 2, bytes: new Uint8Array([11, 0]) },
    { id: 1, bytes: new Uint8Array([10, 255]) },
  ]);
  const translations = openTranslationStore(await openTranslationDocuments(database, clock));
  const owner = { kind: "campaign", id: "o", name: "N", steps: [] };
  expect(await translations.declared("w")).toMatchObject({ revision: 7, settings: { enabled: true }, owners: [owner] });
  expect(await translations.holder("w", "m")).toEqual(owner);
  expect(await translations.texts("w", ["es", ""].map((localeId) => ({ messageId: "m", localeId })))).toEqual([
    new Map([["id_0", "Hola"]]),
    new Map([["id_0", "Hello"]]),
  ]);
  expect(await translations.remembered("w", "h", 98)).toMatchObject({ bodyHash: "b" });
  await database.close();
});
