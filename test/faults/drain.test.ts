/** SIGTERM under load: every request that reached the server is answered, and the process ends with 0. */
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { limits } from "../../platform/limits.ts";
import { demoKey, startHeddle } from "../heddle.ts";
import type { Heddle } from "../heddle.ts";
import { fresh } from "../suite.ts";

const connections = 16;

test("SIGTERM drains: no request fails that had a connection, nothing answered is lost, exit code 0", async () => {
  const heddle = await startHeddle();
  try {
    const started = Promise.withResolvers<void>();
    const clients = Array.from({ length: connections }, () => untilRefused(heddle, started.resolve));
    await started.promise;
    expect(await heddle.kill("SIGTERM")).toBe(0);
    const results = await Promise.all(clients);
    expect(results.flatMap((result) => result.failures)).toEqual([]);
    await heddle.restart();
    for (const { id, acked } of results) {
      const read = await heddle.request("POST", "/users/export/ids", { external_ids: [id] });
      expect(read.body.users?.[0]?.custom_attributes?.n).toBe(acked);
    }
  } finally {
    expect(await heddle.close()).toBe(0);
  }
});

test("with HEDDLE_LEAVE_SECONDS clients that hear of it hear nothing else: no request fails on old, new or pipelined connections", async () => {
  const heddle = await startHeddle({ env: { HEDDLE_LEAVE_SECONDS: "3" } });
  try {
    const enough = new AbortController();
    let requests = 0;
    const failures: string[] = [];
    const port = Number(new URL(heddle.url).port);
    async function untilLeft(send: () => Promise<number>): Promise<void> {
      while (!enough.signal.aborted) {
        try {
          requests += await send();
        } catch (error) {
          failures.push(String(error));
        }
      }
    }
    const kept = new Agent({ keepAlive: true });
    const clients = [
      ...Array.from(
        { length: 4 },
        () => untilLeft(() => statusOf(send(heddle.url, kept, { attributes: [{ external_id: fresh(), n: 1 }] }))),
      ),
      ...Array.from(
        { length: 2 },
        () => untilLeft(() => statusOf(send(heddle.url, new Agent(), { attributes: [{ external_id: fresh() }] }))),
      ),
      ...Array.from({ length: 2 }, () => untilLeft(() => pipeline(port, 8))),
    ];
    await expect.poll(() => requests, { timeout: 20_000 }).toBeGreaterThan(200);
    const ended = heddle.kill("SIGTERM");
    await expect.poll(async () => (await fetch(`${heddle.url}/readyz/gateway`)).status).toBe(503);
    const before = requests;
    await expect.poll(() => requests, { timeout: 2_500 }).toBeGreaterThan(before + 100);
    enough.abort();
    await Promise.all(clients);
    kept.destroy();
    expect(failures).toEqual([]);
    expect(await ended).toBe(0);
  } finally {
    await heddle.close();
  }
});

/** One request. Rejects where it was not answered with 201. */
async function statusOf(sent: Promise<number | string>): Promise<number> {
  const status = await sent;
  if (status !== 201) throw new Error(String(status));
  return 1;
}

/** So many requests at once on one connection after another. Rejects where one of them has no answer of 200. */
function pipeline(port: number, count: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n".repeat(count)));
    let received = "";
    socket.on("error", reject);
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString();
      if (received.split("HTTP/1.1 200").length > count) socket.end();
    });
    socket.on("close", () => {
      const answers = received.split("HTTP/1.1 200").length - 1;
      if (answers === count) resolve(count);
      else reject(new Error(`${answers} of ${count} pipelined requests were answered`));
    });
  });
}

test("a second signal ends the process at once", async () => {
  const heddle = await startHeddle({ env: { HEDDLE_LEAVE_SECONDS: "60" } });
  try {
    heddle.signal("SIGTERM");
    await expect.poll(async () => (await fetch(`${heddle.url}/readyz/gateway`)).status).toBe(503);
    // A second one that comes sooner is an echo of the first
    const leftAt = performance.now();
    await expect.poll(() => performance.now() - leftAt).toBeGreaterThan(limits.signalEchoMsMax + 1);
    const began = performance.now();
    expect(await heddle.kill("SIGTERM")).toBe(1);
    expect(performance.now() - began).toBeLessThan(5_000);
  } finally {
    await heddle.close();
  }
});

/** Sends one request after another on one connection until the server takes no more connections. */
async function untilRefused(heddle: Heddle, enough: () => void): Promise<{ id: string; acked: number; failures: string[] }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const result = { id: fresh(), acked: 0, failures: [] as string[] };
  for (;;) {
    const outcome = await send(heddle.url, agent, { attributes: [{ external_id: result.id, n: { inc: 1 } }] });
    if (outcome === 201) result.acked += 1;
    else if (outcome === "ECONNREFUSED") break;
    else {
      // 503 says that nothing was taken because the process is stopping: an honest answer, not a failure.
      if (outcome !== 503) result.failures.push(String(outcome));
      break;
    }
    if (result.acked === 20) enough();
  }
  agent.destroy();
  return result;
}

function send(url: string, agent: Agent, body: unknown): Promise<number | string> {
  return new Promise((done) => {
    const call = request(`${url}/users/track`, {
      method: "POST",
      agent,
      headers: { "content-type": "application/json", authorization: `Bearer ${demoKey}` },
    }, (response) => {
      response.resume();
      response.once("end", () => done(response.statusCode ?? 0));
      response.once("error", (error) => done(error.message));
    });
    call.once("error", (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    call.end(JSON.stringify(body));
  });
}
