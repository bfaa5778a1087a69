/** `node test/bench/scim-mesh.ts`: gets and searches of dashboard users over a mesh with 100,000 of them; never part of a timed test. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openMeshAccess, readMeshAccess } from "../../gateway/mesh-access.ts";
import { openKeyspace } from "../../platform/cassandra/keyspace.ts";
import type { Session } from "../../platform/cassandra/session.ts";
import { systemClock } from "../../platform/clock.ts";
import { readConfig } from "../../platform/config.ts";
import { silentLogger } from "../../platform/logger.ts";
import type { User } from "../../services/scim/domain/user.ts";
import { readMeshScimStore, scimMeshSchema } from "../../services/scim/mesh-wire.ts";
import { changeStatements } from "../../services/scim/store/cassandra-change.ts";
import { startMeshServers } from "../mesh-servers.ts";
import { launchMesh, meshLogName } from "../mesh-shape.ts";
import { percentile } from "./load.ts";
import { costOf } from "./process-cost.ts";

const { values } = parseArgs({ options: { users: { type: "string", default: "100000" }, rate: { type: "string", default: "200" } } });
const users = Number(values.users);
const perSecond = Number(values.rate);
const secret = "scim-token-of-the-bench";
/** Below the limit of a day. */
const requestsEach = 1_500;

const folder = mkdtempSync(join(tmpdir(), "heddle-scim-bench-"));
const servers = await startMeshServers();
const dataDir = join(folder, "data");
const declarationPath = join(folder, "bench.yaml");
writeFileSync(declarationPath, `companies:\n  - name: bench\n    scimTokens: [{ name: bench, origin: bench, secret: ${secret} }]\n`);
const mesh = await launchMesh({
  repository: resolve(import.meta.dirname, "../.."),
  settings: servers.settings,
  dataDir,
  port: 0,
  declarationPath,
  runtimeOf: () => "node",
  env: { HEDDLE_LOG_LEVEL: "error" },
});
try {
  await seed({ ...servers.settings, HEDDLE_LOG_NAME: meshLogName(dataDir) });
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const some = () => Math.floor(Math.random() * users);
  for (
    const [name, path] of [
      ["get by id", () => `/scim/v2/Users/${idOf(some())}`],
      ["search userName eq", () => `/scim/v2/Users?filter=${encodeURIComponent(`userName eq "${nameOf(some())}"`)}`],
    ] as const
  ) {
    await run(agent, path, perSecond / 2, 200);
    const pids = [mesh.gateway.pid, mesh.parts.get("scim")?.pid ?? 0];
    const before = pids.map((pid) => costOf(pid).cpuUs);
    const latencies = await run(agent, path, perSecond, requestsEach);
    const cpu = pids.map((pid, at) => Math.round((costOf(pid).cpuUs - (before[at] ?? 0)) / requestsEach));
    const shown = [0.5, 0.99, 0.999].map((p) => percentile(latencies, p).toFixed(1));
    console.log(
      `${name}: p50 ${shown[0]} ms, p99 ${shown[1]} ms, p99.9 ${shown[2]} ms; CPU us a request: gateway ${cpu[0]}, scim ${cpu[1]}`,
    );
  }
  agent.destroy();
} finally {
  mesh.kill("SIGTERM");
  await mesh.ended;
  await servers.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** The rows that so many creates would have left, without their rounds of agreement. */
async function seed(settings: Record<string, string>): Promise<void> {
  const { access, close } = await openMeshAccess(readConfig(settings, readMeshAccess), { clock: systemClock, logger: silentLogger });
  const companyId = access.rows().companies[0]?.id ?? "";
  await close();
  const keyspace = await openKeyspace(readConfig(settings, readMeshScimStore), scimMeshSchema, systemClock);
  let next = 0;
  await Promise.all(Array.from({ length: 64 }, async () => {
    while (next < users) await put(keyspace.session, userOf(companyId, next++));
  }));
  await keyspace.session.conditional(
    [...changeStatements({ companyId }, { users, changes: null, at: systemClock.now() })].slice(0, 1),
  );
  await keyspace.close();
}

async function put(session: Session, user: User): Promise<void> {
  const [, ...rows] = changeStatements({ companyId: user.companyId, after: user }, { users: 0, changes: null, at: systemClock.now() });
  await session.batch(rows.map((row) => ({ ...row, idempotent: true })));
}

function userOf(companyId: string, n: number): User {
  return {
    companyId,
    id: idOf(n),
    userName: nameOf(n),
    userNameKey: nameOf(n),
    externalId: `00u${n}`,
    givenName: "Ann",
    familyName: "Archer",
    active: true,
    emails: [{ value: nameOf(n), type: "work", primary: true }],
    department: "finance",
    permissions: { company: ["manage_company_settings"], workspaces: [] },
    createdAt: 0,
    modifiedAt: 0,
    lastSignInAt: null,
    revision: 1,
  };
}

function idOf(n: number): string {
  return `${n.toString(16).padStart(8, "0")}-24195aec-887bb3ad-602b3340`;
}

function nameOf(n: number): string {
  return `person.${String(n).padStart(7, "0")}@example.com`;
}

/** At a steady rate, whatever the answers take; gives the milliseconds of each, sorted. */
async function run(agent: Agent, path: () => string, rate: number, count: number): Promise<Float64Array> {
  const latencies = new Float64Array(count);
  const began = performance.now();
  await Promise.all(Array.from({ length: count }, async (_, n) => {
    const due = began + (n / rate) * 1000;
    await new Promise((done) => setTimeout(done, due - performance.now()));
    const status = await get(agent, path());
    latencies[n] = performance.now() - due;
    if (status !== 200) throw new Error(`Expected 200, got ${status}`);
  }));
  return latencies.sort();
}

function get(agent: Agent, path: string): Promise<number> {
  return new Promise((done, failed) => {
    const headers = { Authorization: `Bearer ${secret}`, "X-Request-Origin": "bench" };
    request(mesh.gateway.url + path, { agent, headers }, (response) => {
      response.resume().on("end", () => done(response.statusCode ?? 0));
    }).on("error", failed).end();
  });
}
