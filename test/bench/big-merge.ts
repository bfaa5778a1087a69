/** What a merge of very large users does to everybody else: `node test/bench/big-merge.ts`. */
import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load, percentile, send } from "./load.ts";
import { startServer } from "./server.ts";

const names = 10_000;
const events = 1_000_000;
/** The second workspace is for the quiet probes: the published limit on reads is one a workspace. */
const [key, quietKey] = ["bench-key-big-merge", "bench-key-quiet"] as const;
const folder = mkdtempSync(join(tmpdir(), "heddle-merge-"));
const server = await startServer({ folder, keys: [key, quietKey] });
const agent = new Agent({ keepAlive: true });

try {
  await fill("source", events);
  await fill("target", names);
  const quiet = await probe(quietKey, () => Promise.resolve());
  const merging = await probe(key, () =>
    post("/users/merge", {
      merge_updates: [{ identifier_to_merge: { external_id: "source" }, identifier_to_keep: { external_id: "target" } }],
    }));
  console.log("| probes of another user: sent, answered, read back | p50 ms | p99 ms | worst ms |\n| --- | --- | --- | --- |");
  console.log(row("quiet", quiet));
  console.log(row(`while a user of ${names} attributes, ${names} event names and ${events} events is merged`, merging));
} finally {
  await server.stop();
  agent.destroy();
  rmSync(folder, { recursive: true, force: true });
}

/** A user with `names` attributes and `names` event names, sent `count` events. */
async function fill(user: string, count: number): Promise<void> {
  const attributes = Array.from(
    { length: names / 100 },
    (_, n) =>
      Object.fromEntries([
        ["external_id", user],
        ...Array.from({ length: 100 }, (_, i) => [`attribute_${user}_${n * 100 + i}`, `value ${i}`]),
      ]),
  );
  for (let at = 0; at < attributes.length; at += 50) await post("/users/track", { attributes: attributes.slice(at, at + 50) });
  const time = new Date(Date.UTC(2026, 0, 1)).toISOString();
  await load({
    url: server.url,
    connections: 4,
    requests: Math.ceil(count / 75),
    perSecond: 900,
    make: (n) =>
      request("/users/track", {
        events: Array.from({ length: 75 }, (_, i) => ({ external_id: user, name: `event_${(n * 75 + i) % names}`, time })),
      }),
  });
  await post("/users/export/ids", { external_ids: [user], fields_to_export: ["external_id"] });
}

/** Sends to another user and reads back, for two seconds; resolves with each round trip. */
async function probe(secret: string, start: () => Promise<unknown>): Promise<Float64Array> {
  const times: number[] = [];
  const end = performance.now() + 2_000;
  const started = start();
  while (performance.now() < end) {
    const began = performance.now();
    await post("/users/track", { attributes: [{ external_id: "other", step: times.length }] }, secret);
    await post("/users/export/ids", { external_ids: ["other"], fields_to_export: ["custom_attributes"] }, secret);
    times.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 12));
  }
  await started;
  return Float64Array.from(times).sort();
}

async function post(path: string, body: unknown, secret: string = key): Promise<void> {
  const answer = await send(agent, server.url, request(path, body, secret));
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.body}`);
}

function request(path: string, body: unknown, secret: string = key): { path: string; body: Buffer; headers: Record<string, string> } {
  return { path, body: Buffer.from(JSON.stringify(body)), headers: { authorization: `Bearer ${secret}` } };
}

function row(name: string, sorted: Float64Array): string {
  return `| ${name} | ${percentile(sorted, 0.5).toFixed(1)} | ${percentile(sorted, 0.99).toFixed(1)} | ${
    percentile(sorted, 1).toFixed(1)
  } |`;
}
