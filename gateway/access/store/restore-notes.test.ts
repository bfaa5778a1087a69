/** What is noted of a restore, beside rows of who may call. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memorySession } from "../../../platform/cassandra/memory-session.fixture.ts";
import { recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { openCassandraDocuments } from "../../../platform/documents/cassandra.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { parseDeclaration } from "../declaration/declaration.ts";
import { declare } from "../declare/declare.ts";
import { openRestoreNotes } from "./restore-notes.ts";
import { accessLayout, openAccess } from "./store.ts";

const schema = [readFileSync(join(import.meta.dirname, "../schema/schema.cql"), "utf8")];
const note = { id: "a", file: "a.db", startedAt: 1 };

test("begin() is told by begun() of the same installation, and gateways know nobody by it", async () => {
  const clock = fakeClock();
  const session = recordingSession(schema, memorySession(schema).session);
  const documents = openCassandraDocuments({ session, layout: accessLayout, clock });
  const restores = openRestoreNotes({ documents, clock, installation: "heddle" });
  expect(await restores.begun()).toBeUndefined();
  await restores.begin(note);
  await restores.begin({ ...note, id: "b" });
  expect(await restores.begun()).toEqual({ ...note, id: "b" });
  expect(await openRestoreNotes({ documents, clock, installation: "other" }).begun()).toBeUndefined();
  const access = await openAccess({ documents, clock, logger: silentLogger, installation: "heddle" });
  expect(access.rows()).toEqual({ companies: [], workspaces: [], keys: [], tokens: [], declared: [] });
  await declare(access, parseDeclaration("companies: [{ name: acme, workspaces: [{ name: demo }] }]"));
  expect(access.rows().companies).toHaveLength(1);
  await restores.begin(note);
  await access.refresh();
  expect(access.rows().companies).toHaveLength(1);
  expect(await restores.begun()).toEqual(note);
  access.close();
});
