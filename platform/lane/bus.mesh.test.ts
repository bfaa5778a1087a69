/** Questions to appliers over a real NATS: the process that works on a lane answers, and silence is a no. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type NatsServer, startNats } from "../../test/servers/nats.ts";
import { describeWith } from "../../test/servers/require.ts";
import { connectJetStream, type JetStreamConnection } from "../log/jetstream-connection.ts";
import { silentLogger } from "../logger.ts";
import { systemClock } from "../clock.ts";
import { openBusNotices, openBusQueries } from "./bus.ts";
import type { ProgressNotice } from "./progress-notices.ts";

await describeWith(["nats"], "openBusAsks()", () => {
  let server: NatsServer;
  const connections: JetStreamConnection[] = [];
  beforeAll(async () => {
    server = await startNats();
    for (let times = 0; times < 2; times += 1) connections.push(await connectJetStream({ servers: [server.url], logger: silentLogger }));
  });
  afterAll(async () => {
    for (const connection of connections) await connection.close();
    await server.stop();
  });

  test("ask() has the answer of the process that works on the lane, and a no where nobody answers", async () => {
    const [near, far] = connections.map((connection) => openBusQueries(connection, "asks-test"));
    const ask = { through: 12, keys: ["w\nu"], ms: 10_000 };
    expect(await far?.ask(3, ask)).toBe(false);
    const stops = [
      near?.serve(3, ({ through, keys, ms }) => Promise.resolve(through === 12 && keys.join() === "w\nu" && ms <= 5_000)),
      near?.serve(4, () => new Promise(() => {})),
    ];
    // The server hears of a new listener before it hears of what is asked on the same connection
    await connections[0]?.ask("$SYS.REQ.USER.INFO", new Uint8Array(), 10_000);
    expect(await far?.ask(3, ask)).toBe(true);
    expect(await far?.ask(3, { ...ask, through: 13 })).toBe(false);
    expect(await far?.ask(4, { ...ask, ms: 50 })).toBe(false);
    for (const stop of stops) stop?.();
  });

  test("a message that cannot be read takes no connection the others", async () => {
    const [near, far] = connections;
    if (!near || !far) throw new Error("Expected two connections");
    const heard: ProgressNotice[] = [];
    const stop = openBusNotices(near, "notices-test", systemClock).listen((notice) => heard.push(notice));
    await near.ask("$SYS.REQ.USER.INFO", new Uint8Array(), 10_000);
    far.publish("notices-test", Uint8Array.of(0));
    const notice = { kind: "applied", lane: 1, position: 2 } as const;
    openBusNotices(far, "notices-test", systemClock).publish([notice]);
    await expect.poll(() => heard, { timeout: 3_000 }).toEqual([notice]);
    await near.ask("$SYS.REQ.USER.INFO", new Uint8Array(), 3_000);
    stop();
  });
});
