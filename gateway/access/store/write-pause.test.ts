/** A pause of writes: gateways hear of it when they read who may call, and it ends by itself. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memorySession } from "../../../platform/cassandra/memory-session.fixture.ts";
import { recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { openCassandraDocuments } from "../../../platform/documents/cassandra.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { accessLayout, openAccess } from "./store.ts";
import { openWritePause } from "./write-pause.ts";

const schema = [readFileSync(join(import.meta.dirname, "../schema/schema.cql"), "utf8")];

test("pause() holds in gateways of the same installation until its time, or until it is taken back", async () => {
  const clock = fakeClock();
  const session = recordingSession(schema, memorySession(schema).session);
  const documents = openCassandraDocuments({ session, layout: accessLayout, clock });
  const access = await openAccess({ documents, clock, logger: silentLogger, installation: "heddle" });
  const other = await openAccess({ documents, clock, logger: silentLogger, installation: "other" });
  const { pause } = openWritePause({ documents, clock, installation: "heddle" });
  async function seen(): Promise<boolean[]> {
    await Promise.all([access.refresh(), other.refresh()]);
    return [access.writesPaused(), other.writesPaused()];
  }
  expect(await seen()).toEqual([false, false]);
  await pause(clock.now() + 1_000);
  expect(await seen()).toEqual([true, false]);
  // The process that paused died, and the store may be away too
  clock.advance(1_000);
  expect(access.writesPaused()).toBe(false);
  await pause(clock.now() + 1_000);
  expect(await seen()).toEqual([true, false]);
  await pause(0);
  expect(await seen()).toEqual([false, false]);
  access.close();
  other.close();
});

test.each([["ahead", 600_000], ["behind", -600_000]])("pause() holds as long in a gateway whose clock is %s", async (_, aheadMs) => {
  const [clock, other] = [fakeClock(), fakeClock(fakeClock().now() + aheadMs)];
  const documents = openCassandraDocuments({
    session: recordingSession(schema, memorySession(schema).session),
    layout: accessLayout,
    clock,
  });
  const access = await openAccess({ documents, clock: other, logger: silentLogger, installation: "heddle" });
  await openWritePause({ documents, clock, installation: "heddle" }).pause(clock.now() + 1_000);
  await access.refresh();
  expect(access.writesPaused()).toBe(true);
  other.advance(1_000);
  expect(access.writesPaused()).toBe(false);
  access.close();
});
