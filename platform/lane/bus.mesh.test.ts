/** Questions to appliers over a real NATS: the process that works on a lane answers, and silence is a no. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type NatsServer, startNats } from "../../test/servers/nats.ts";
import { describeWith } from "../../test/servers/require.ts";
import { connectJetStream, type JetStreamConnection } from "../log/jetstream-connection.ts";
import { silentLogger } from "../logger.ts";
import { openBusAsks } from "./bus.ts";

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
    const [near, far] = connections.map((connection) => openBusAsks(connection, "asks-test"));
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
});
