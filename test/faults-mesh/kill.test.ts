/** kill -9 of the profile process and of nats-server under load: nothing answered is lost, and nothing counts twice. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execPath } from "node:process";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Answer, callHeddle } from "../client.ts";
import { demoDeclaration, demoKey, repository } from "../heddle.ts";
import { type HeddleProcess, launchHeddle } from "../heddle-process.ts";
import { type MeshServers, startMeshServers } from "../mesh-servers.ts";
import { seededRandom } from "../random.ts";
import { describeWith } from "../servers/require.ts";
import { freePorts } from "../servers/server-process.ts";
import { fresh } from "../suite.ts";

const kills = 4;
const connections = 8;
const settledMsMax = 60_000;
const time = "2026-03-01T12:00:00Z";

await describeWith(["nats", "redis", "cassandra"], "the mesh under kill -9", () => {
  let servers: MeshServers;
  let mesh: Mesh;
  beforeAll(async () => {
    servers = await startMeshServers();
    mesh = await startMesh(servers);
  });
  afterEach((context) => {
    if (context.task.result?.state === "fail") console.error(mesh.output());
  });
  afterAll(async () => {
    await mesh?.close();
    await servers?.stop();
  });

  test("of the profile process loses no answered write and repeats no keyed one", async () => {
    await underLoad(mesh, () => mesh.restartProfile());
  });

  test("of nats-server loses no answered write and repeats no keyed one", async () => {
    await underLoad(mesh, () => servers.nats.restart("SIGKILL"));
  });
});

async function underLoad(mesh: Mesh, strike: () => Promise<void>): Promise<void> {
  const random = seededRandom(9);
  const load = { over: false };
  const clients = Array.from({ length: connections }, () => runClient(mesh, load));
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(1_000 + random() * 1_500);
    await strike();
  }
  await pause(2_000);
  load.over = true;
  const journals = await Promise.all(clients);
  for (const journal of journals) {
    await expect.poll(() => eventsOf(mesh, journal), { timeout: settledMsMax, interval: 200 }).toBeGreaterThanOrEqual(journal.eventsAcked);
  }
  for (const journal of journals) await compare(mesh, journal);
  expect(Math.min(...journals.map((journal) => journal.keyedAcked))).toBeGreaterThan(kills);
}

/** One connection's work: a keyed purchase repeated until it is answered, then an event without a key sent once. */
async function runClient(mesh: Mesh, load: { over: boolean }): Promise<Journal> {
  const journal: Journal = { id: fresh(), keyedAcked: 0, eventsSent: 0, eventsAcked: 0 };
  while (!load.over) {
    const key = fresh("key");
    const body = {
      purchases: [{ external_id: journal.id, product_id: "p", currency: "USD", price: 0.1, time }],
      attributes: [{ external_id: journal.id, n: { inc: 1 } }],
    };
    while (!(await accepted(mesh, body, key))) await pause(50);
    journal.keyedAcked += 1;
    journal.eventsSent += 1;
    if (await accepted(mesh, { events: [{ external_id: journal.id, name: "e", time }] })) journal.eventsAcked += 1;
  }
  return journal;
}

/** False when no answer came or one that says to try again. */
async function accepted(mesh: Mesh, body: unknown, key?: string): Promise<boolean> {
  const headers = key === undefined ? {} : { headers: { "idempotency-key": key } };
  const answer = await mesh.post("/users/track", body, headers).catch(() => undefined);
  if (answer && answer.status !== 201) expect([409, 429, 503, 504], answer.text).toContain(answer.status);
  return answer?.status === 201;
}

async function eventsOf(mesh: Mesh, { id }: Journal): Promise<number> {
  const read = await mesh.post("/users/export/ids", { external_ids: [id] });
  return read.body.users?.[0]?.custom_events?.[0]?.count ?? 0;
}

async function compare(mesh: Mesh, journal: Journal): Promise<void> {
  const read = await mesh.post("/users/export/ids", { external_ids: [journal.id] });
  const [user] = read.body.users ?? [];
  expect(user?.purchases?.[0]?.count).toBe(journal.keyedAcked);
  expect(user?.custom_attributes?.n).toBe(journal.keyedAcked);
  expect(user?.total_revenue).toBe(Math.round(journal.keyedAcked * 10) / 100);
  const events = user?.custom_events?.[0]?.count ?? 0;
  expect(events).toBeGreaterThanOrEqual(journal.eventsAcked);
  expect(events).toBeLessThanOrEqual(journal.eventsSent);
}

async function startMesh({ settings }: MeshServers): Promise<Mesh> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-faults-"));
  const declaration = join(folder, "declaration.yaml");
  writeFileSync(declaration, demoDeclaration);
  const [port = 0] = await freePorts(1);
  function launch(args: readonly string[], env: Record<string, string>): Promise<HeddleProcess> {
    const entry = join(repository, "cli/heddle.mjs");
    return launchHeddle({ program: execPath, args: [entry, "serve", ...args], folder: repository, env: { ...settings, ...env } });
  }
  const launchProfile = () =>
    launch(["profile"], { HEDDLE_PROFILE_RPC_PORT: String(port), HEDDLE_LOG_LANES: "8", HEDDLE_LOG_PARTITIONS: "2" });
  let profile = await launchProfile();
  const gateway = await launch(["gateway", "--apply", declaration], {
    HEDDLE_PROFILE_URL: profile.url,
    HEDDLE_HTTP_PORT: "0",
    HEDDLE_DATA_DIR: join(folder, "data"),
  });
  return {
    post: (path, body, call = {}) => callHeddle(gateway.url, { method: "POST", path, body, key: demoKey, ...call }),
    async restartProfile() {
      profile.kill("SIGKILL");
      await profile.ended;
      profile = await launchProfile();
    },
    output: () => `${gateway.output().slice(-4_000)}\n${profile.output().slice(-8_000)}`,
    async close() {
      for (const process of [gateway, profile]) {
        process.kill("SIGTERM");
        await process.ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

interface Mesh {
  post(path: string, body: unknown, call?: { headers?: Record<string, string> }): Promise<Answer>;
  restartProfile(): Promise<void>;
  output(): string;
  close(): Promise<void>;
}

interface Journal {
  readonly id: string;
  keyedAcked: number;
  eventsSent: number;
  eventsAcked: number;
}
