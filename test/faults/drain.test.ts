/** SIGTERM under load: every request that reached the server is answered, and the process ends with 0. */
import { Agent, request } from "node:http";
import { expect, test } from "vitest";
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

test("a second signal ends the process at once", async () => {
  const heddle = await startHeddle();
  heddle.signal("SIGTERM");
  const began = performance.now();
  await heddle.kill("SIGTERM");
  expect(performance.now() - began).toBeLessThan(5_000);
  await heddle.close();
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
