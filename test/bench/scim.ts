/** `node test/bench/scim.ts [--mesh]`: gets and searches among 100,000 dashboard users at a steady rate; never part of a timed test. */
import { Agent, request } from "node:http";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openAccess } from "../../gateway/access/sqlite.ts";
import { openMeshAccess, readMeshAccess } from "../../gateway/mesh-access.ts";
import { systemClock } from "../../platform/clock.ts";
import { readConfig } from "../../platform/config.ts";
import { head } from "../../platform/documents/documents.ts";
import { silentLogger } from "../../platform/logger.ts";
import { readStore } from "../../platform/mesh-config.ts";
import { openDatabase } from "../../platform/sqlite/database.ts";
import type { User } from "../../services/scim/domain/user.ts";
import { openMeshScimMove } from "../../services/scim/mesh-wire.ts";
import type { ScimMove } from "../../services/scim/store/moved.ts";
import { userWrites } from "../../services/scim/store/users.ts";
import { moveDashboardUsers } from "../../services/scim/wire.ts";
import { startMeshServers } from "../mesh-servers.ts";
import { percentile } from "./load.ts";

const { values } = parseArgs({
  options: {
    mesh: { type: "boolean", default: false },
    users: { type: "string", default: "100000" },
    rate: { type: "string", default: "200" },
  },
});
const users = Number(values.users);
const perSecond = Number(values.rate);
const secret = "scim-token-of-the-bench";
/** Together below the limit of a day. */
const requestsEach = 1_500;
const warming = 900;

const servers = values.mesh ? await startMeshServers({ isMeasured: true }) : undefined;
if (servers) Object.assign(process.env, { HEDDLE_TEST_SHAPE: "mesh", HEDDLE_TEST_MESH: JSON.stringify(servers.settings) });
const { startHeddle } = await import("../heddle.ts");
const apply = `companies:\n  - name: bench\n    scimTokens: [{ name: bench, origin: bench, secret: ${secret} }]\n`;
const heddle = await startHeddle({ apply, env: { HEDDLE_LOG_LEVEL: "error" } });
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
try {
  if (values.mesh) await seedMesh(heddle.commandEnv);
  else {
    await heddle.stop();
    await seedFolder(heddle.dataDir);
    await heddle.restart();
  }
  console.log(`${users} users, ${perSecond} requests a second`);
  const some = () => Math.floor(Math.random() * users);
  await show("get by id", () => `/scim/v2/Users/${idOf(some())}`);
  await show("search userName eq", () => `/scim/v2/Users?filter=${encodeURIComponent(`userName eq "${nameOf(some())}"`)}`);
} finally {
  agent.destroy();
  await heddle.close();
  await servers?.stop();
}

async function show(name: string, path: () => string): Promise<void> {
  await run(path, perSecond / 2, warming);
  const latencies = await run(path, perSecond, requestsEach);
  const [p50, p99, p999] = [0.5, 0.99, 0.999].map((p) => percentile(latencies, p).toFixed(1));
  console.log(`${name}: p50 ${p50} ms, p99 ${p99} ms, p99.9 ${p999} ms`);
}

async function seedFolder(dataDir: string): Promise<void> {
  const database = openDatabase({ path: join(dataDir, "heddle.db") });
  const access = await openAccess({ database, clock: systemClock });
  await seed(await moveDashboardUsers(database, systemClock), access.rows().companies[0]?.id ?? "");
  access.close();
  await database.close();
}

async function seedMesh(settings: Readonly<Record<string, string>>): Promise<void> {
  const { access, close } = await openMeshAccess(readConfig(settings, readMeshAccess), { clock: systemClock, logger: silentLogger });
  const companyId = access.rows().companies[0]?.id ?? "";
  await close();
  const move = await openMeshScimMove(readConfig(settings, (reader) => readStore(reader, "scim")), systemClock);
  await seed(move, companyId);
  await move.close();
}

/** As a restore does it: few rounds of agreement for many users. */
async function seed(move: ScimMove, partition: string): Promise<void> {
  for (let n = 0; n < users; n += 1_000) {
    const some = Array.from({ length: Math.min(1_000, users - n) }, (_, at) => userOf(partition, n + at));
    await move.write({ space: "users", partition, writes: some.flatMap((user) => userWrites(undefined, user)) });
  }
  await move.write({ space: "users", partition, writes: [{ key: head, value: { revision: users, users } }] });
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

/** At a steady rate, whatever the answers take; gives the milliseconds of each from when it was due, sorted. */
async function run(path: () => string, rate: number, count: number): Promise<Float64Array> {
  const latencies = new Float64Array(count);
  const began = performance.now();
  await Promise.all(Array.from({ length: count }, async (_, n) => {
    const due = began + (n / rate) * 1000;
    await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now())));
    const started = Math.min(due, performance.now());
    const status = await get(path());
    latencies[n] = performance.now() - started;
    if (status !== 200) throw new Error(`Expected 200, got ${status}`);
  }));
  return latencies.sort();
}

function get(path: string): Promise<number> {
  return new Promise((done, failed) => {
    const headers = { Authorization: `Bearer ${secret}`, "X-Request-Origin": "bench" };
    request(heddle.url + path, { agent, headers }, (response) => {
      response.resume().on("end", () => done(response.statusCode ?? 0));
    }).on("error", failed).end();
  });
}
