/** The guard over a real NATS, while the store ends and comes back with an older copy of its rows. */
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type NatsServer, startNats } from "../../test/servers/nats.ts";
import { describeWith } from "../../test/servers/require.ts";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { connectJetStream, type JetStreamConnection } from "../log/jetstream-connection.ts";
import { checkpointSubject, partitionSubject } from "../log/jetstream-stream.ts";
import { silentLogger } from "../logger.ts";
import { type EpochGuard, openEpochGuard } from "./guard.ts";
import { openEpochWatermarks } from "./watermarks.ts";
import { logName, openPutBackStore } from "./put-back.fixture.ts";

await describeWith(["nats"], "openEpochGuard()", () => {
  let server: NatsServer;
  let connection: JetStreamConnection;
  const opened: EpochGuard[] = [];
  beforeAll(async () => {
    server = await startNats();
    connection = await connectJetStream({ servers: [server.url], logger: silentLogger });
  });
  afterAll(async () => {
    for (const guard of opened) await guard.close();
    await connection.close();
    await server.stop();
  });

  /** A part of a new installation whose lanes have some records. */
  async function open(store: ReturnType<typeof openPutBackStore>, onMismatch = () => {}, clock = fakeClock()): Promise<EpochGuard> {
    const nats = { servers: [server.url] };
    const bytesMax = 16 * 1024 * 1024;
    const guard = await openEpochGuard({
      service: "profile",
      keyspace: "rows",
      session: store.session,
      streams: { nats, logName, replicas: 1, bytesMax, partitions: 1, lanes: 2 },
      events: { ...nats, name: `${logName}_events`, replicas: 1, bytesMax, keepMs: 60_000 },
      clock,
      logger: silentLogger,
      onMismatch,
    });
    opened.push(guard);
    for (let times = 0; times < 12; times += 1) await connection.request(partitionSubject(`${logName}_lanes`, 0), new Uint8Array());
    return guard;
  }

  test("raises no watermark over rows that were put back, however lately they were looked at, and says that they do not fit", async () => {
    const store = openPutBackStore();
    let mismatches = 0;
    const guard = await open(store, () => {
      mismatches += 1;
    });
    await guard.watermarks.reach(new Map([["apply-0", 7]]));
    await guard.watermarks.reach(new Map([["apply-0", 9]]));
    const older = new Map([["made", 1], ["apply-0", 7]]);
    await store.putBack(guard.epoch, older);
    await expect(guard.watermarks.reach(new Map([["apply-0", 12]]))).rejects.toThrow("Cassandra was put back from an older copy");
    await expect(guard.pass()).rejects.toMatchObject({ reason: "EPOCH_MISMATCH" });
    expect(await store.reached()).toEqual(older);
    expect(mismatches).toBe(1);
  });

  test("goes on with rows that came back as they were, and with nothing while they cannot be read", async () => {
    const store = openPutBackStore();
    const guard = await open(store);
    let heard = 0;
    const stop = guard.onBack(() => {
      heard += 1;
    });
    await guard.watermarks.reach(new Map([["apply-1", 7]]));
    store.node();
    expect(heard).toBe(1);
    stop();
    store.state.now.state.away = true;
    await expect(guard.watermarks.reach(new Map([["apply-1", 8]]))).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    // The log takes writes while the store is away
    await guard.pass();
    store.state.now.state.away = false;
    store.node();
    await guard.watermarks.reach(new Map([["apply-1", 8]]));
    await guard.pass();
    expect((await store.reached()).get("apply-1")).toBe(8);
  });

  test("finds rows put back of which the log alone knows how far they were, before anything is read of them", async () => {
    const store = openPutBackStore();
    const guard = await open(store);
    await guard.watermarks.reach(new Map([["apply-0", 7]]));
    const asked = store.state.asked;
    guard.watermarks.expect(new Map([["apply-0", 7]]));
    await guard.watermarks.reach(new Map());
    expect(store.state.asked).toBe(asked);
    guard.watermarks.expect(new Map([["apply-0", 9]]));
    await expect(openEpochWatermarks(guard.session, logName).reached()).rejects.toThrow("Cassandra was put back from an older copy");
    await expect(guard.watermarks.reach(new Map([["apply-0", 12]]))).rejects.toMatchObject({ reason: "EPOCH_MISMATCH" });
    expect(await store.reached()).toEqual(new Map([["made", 1], ["apply-0", 7]]));
  });

  test("looks at the streams as often as it has to while something goes through, and rarely while nothing does", async () => {
    const clock = fakeClock();
    const guard = await open(openPutBackStore(), undefined, clock);
    const pass = watchTimePass(guard, clock);
    const work = () => guard.pass();
    expect(await pass(limits.epochLookMs)).toBe(1);
    expect(await pass(limits.epochLookIdleMs)).toBe(1);
    expect(await pass(5 * limits.epochLookMs, work)).toBe(5);
    expect(await pass(limits.epochLookIdleMs)).toBe(1);
  });

  test("knows, also while nothing goes through it, how far another part has come, and raises no watermark once that was put back", async () => {
    const clock = fakeClock();
    const store = openPutBackStore();
    const guard = await open(store, undefined, clock);
    const pass = watchTimePass(guard, clock);
    await guard.watermarks.reach(new Map([["apply-0", 7]]));
    const older = new Map([["made", 1], ["apply-0", 7]]);
    await pass(2 * limits.epochLookMs);
    await openEpochWatermarks(store.state.now.session, logName).reach(new Map([["apply-1", 8]]));
    expect(await pass(limits.epochLookMs)).toBe(0);
    await store.putBack(guard.epoch, older);
    await expect(guard.watermarks.reach(new Map([["apply-0", 9]]))).rejects.toThrow("Cassandra was put back from an older copy");
    expect(await store.reached()).toEqual(older);
  });

  // The last one: the place stays in the stream that all share
  test("reads nothing of rows that were put back while a node was away, where another part had brought them further than this one saw", async () => {
    const store = openPutBackStore();
    const guard = await open(store);
    await guard.watermarks.reach(new Map([["apply-0", 7]]));
    const older = new Map([["made", 1], ["apply-0", 7]]);
    await connection.request(checkpointSubject(`${logName}_lanes`, "apply-0"), new TextEncoder().encode("9\n"));
    await openEpochWatermarks(guard.session, logName).reached();
    await store.putBack(guard.epoch, older);
    await expect(openEpochWatermarks(guard.session, logName).reached()).rejects.toThrow("Cassandra was put back from an older copy");
    expect(await store.reached()).toEqual(older);
  });
});

/** Lets time pass, a second after the other, each with `work`; how often the guard looked at everything. */
function watchTimePass(guard: EpochGuard, clock: ReturnType<typeof fakeClock>) {
  const looks = vi.spyOn(guard, "look");
  return async (ms: number, work = () => Promise.resolve()): Promise<number> => {
    looks.mockClear();
    for (let passed = 0; passed < ms; passed += 1_000) {
      await work();
      clock.advance(1_000);
      await Promise.all(looks.mock.results.map(({ value }) => value));
      await setImmediate();
    }
    return looks.mock.calls.length;
  };
}
