/** What is noted of a restore, beside rows of who may call. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recordingSession } from "../../platform/cassandra/recording-session.fixture.ts";
import { fakeClock } from "../../platform/clock.fixture.ts";
import { silentLogger } from "../../platform/logger.ts";
import { openCassandraAccess } from "./cassandra.ts";
import { parseDeclaration } from "./declaration.ts";
import { declare } from "./declare.ts";
import { onePartitionSession } from "./one-partition.fixture.ts";
import { openRestoreNotes } from "./restore-notes.ts";

const schema = [readFileSync(join(import.meta.dirname, "schema/schema.cql"), "utf8")];
const note = { id: "a", file: "a.db", startedAt: 1 };

test("begin() is told by begun() of the same installation, and gateways know nobody by it", async () => {
  const clock = fakeClock();
  const { session: inner } = onePartitionSession({ key: "installation", statics: ["version", "written_at"], clustering: ["kind", "id"] });
  const session = recordingSession(schema, inner);
  const restores = openRestoreNotes({ session, clock, installation: "heddle" });
  expect(await restores.begun()).toBeUndefined();
  await restores.begin(note);
  await restores.begin({ ...note, id: "b" });
  expect(await restores.begun()).toEqual({ ...note, id: "b" });
  expect(await openRestoreNotes({ session, clock, installation: "other" }).begun()).toBeUndefined();
  const access = await openCassandraAccess({ session, clock, logger: silentLogger, installation: "heddle" });
  expect(access.rows()).toEqual({ companies: [], workspaces: [], keys: [], tokens: [], declared: [] });
  await declare(access, parseDeclaration("companies: [{ name: acme, workspaces: [{ name: demo }] }]"));
  expect(access.rows().companies).toHaveLength(1);
  await restores.begin(note);
  await access.refresh();
  expect(access.rows().companies).toHaveLength(1);
  expect(await restores.begun()).toEqual(note);
  access.close();
});
