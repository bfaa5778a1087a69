/** The real servers themselves: they start, keep their data over a kill, pause, and leave nothing behind. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { connect } from "nats";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { startCassandra } from "./cassandra.ts";
import { startNats } from "./nats.ts";
import { startRedis } from "./redis.ts";
import { describeWith } from "./require.ts";
import { accepts } from "./server-process.ts";
import { timerSlackNs, withTimerSlack } from "./timer-slack.ts";

test.skipIf(!existsSync("/proc/self/timerslack_ns"))("withTimerSlack() gives what it starts timers that are less exact", () => {
  const [program = "", ...args] = withTimerSlack(["cat", "/proc/self/timerslack_ns"]);
  expect(spawnSync(program, args, { encoding: "utf8" }).stdout).toBe(`${timerSlackNs}\n`);
});

await describeWith(["nats"], "startNats()", () => {
  test("keeps an acknowledged message over kill -9, and its folder goes with stop()", { timeout: 60_000 }, async () => {
    const server = await startNats();
    const client = await connect({ servers: server.url, waitOnFirstConnect: true, reconnectTimeWait: 50 });
    const admin = await client.jetstreamManager();
    await admin.streams.add({ name: "KEPT", subjects: ["kept.>"] });
    await client.jetstream().publish("kept.1", new Uint8Array([1]));
    const pid = server.pid;
    await server.restart("SIGKILL");
    expect(server.pid).not.toBe(pid);
    const again = await connect({ servers: server.url });
    expect((await (await again.jetstreamManager()).streams.info("KEPT")).state.messages).toBe(1);
    await again.close();
    await client.close();
    await server.stop();
    expect(existsSync(server.folder)).toBe(false);
    expect(await accepts(server.port)).toBe(false);
  });
});

await describeWith(["redis"], "startRedis()", () => {
  test("hangs while it is stopped, goes on after, and ends", { timeout: 60_000 }, async () => {
    const server = await startRedis();
    const client = new Redis(server.url, { commandTimeout: 200, maxRetriesPerRequest: 0 });
    expect(await client.ping()).toBe("PONG");
    await server.kill("SIGSTOP");
    await expect(client.ping()).rejects.toThrow("timed out");
    await server.kill("SIGCONT");
    await expect.poll(() => client.ping().catch(() => "")).toBe("PONG");
    client.disconnect();
    await server.kill("SIGSTOP");
    await server.stop();
    expect(await accepts(server.port)).toBe(false);
  });
});

await describeWith(["cassandra"], "startCassandra()", () => {
  test("takes CQL connections, also after a kill", { timeout: 240_000 }, async () => {
    const server = await startCassandra();
    expect(await accepts(server.port)).toBe(true);
    await server.restart("SIGKILL");
    expect(await accepts(server.port)).toBe(true);
    await server.stop();
    expect(existsSync(server.folder)).toBe(false);
  });
});
