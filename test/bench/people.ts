/** `node test/bench/people.ts [--mesh] [--users 1000000]`: searches and persons' pages at a steady rate; never part of a timed test. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openAccess } from "../../gateway/access/sqlite.ts";
import { openMeshAccess, readMeshAccess } from "../../gateway/mesh-access.ts";
import { systemClock } from "../../platform/clock.ts";
import { readConfig } from "../../platform/config.ts";
import { silentLogger } from "../../platform/logger.ts";
import { openDatabase } from "../../platform/sqlite/database.ts";
import type { IdentityKey } from "../../services/profile/domain/identity.ts";
import type { Profile } from "../../services/profile/domain/profile.ts";
import { numberedId } from "../../services/profile/domain/user-number.ts";
import { openMeshProfileMove, readMeshProfileStore } from "../../services/profile/mesh-wire.ts";
import type { ProfileMove } from "../../services/profile/store/moved-rows.ts";
import { moveProfiles } from "../../services/profile/wire.ts";
import { startMeshServers } from "../mesh-servers.ts";
import { percentile } from "./load.ts";
import { costOf } from "./process-cost.ts";
import { watchOthers } from "./stillness.ts";

const { values } = parseArgs({
  options: {
    mesh: { type: "boolean", default: false },
    users: { type: "string", default: "1000000" },
    // Below the limit of the console
    rate: { type: "string", default: "8" },
    requests: { type: "string", default: "400" },
  },
});
const users = Number(values.users);
const perSecond = Number(values.rate);
const requests = Number(values.requests);
const secret = "key-of-the-bench";
const usersPerWrite = 1_000;

const servers = values.mesh ? await startMeshServers({ lastsLong: true }) : undefined;
if (servers) Object.assign(process.env, { HEDDLE_TEST_SHAPE: "mesh", HEDDLE_TEST_MESH: JSON.stringify(servers.settings) });
const { startHeddle } = await import("../heddle.ts");
const apply = `
companies:
  - name: bench
    workspaces: [{ name: bench, apiKeys: [{ name: all, permissions: ["*"], secret: ${secret} }] }]
`;
const heddle = await startHeddle({ apply, env: { HEDDLE_LOG_LEVEL: "error" } });
try {
  const began = performance.now();
  if (values.mesh) await seedMesh(heddle.commandEnv);
  else {
    await heddle.stop();
    await seedFolder(heddle.dataDir);
    await heddle.restart();
  }
  console.log(`${users} users, made in ${Math.round((performance.now() - began) / 1000)} s; ${perSecond} requests a second`);
  const some = () => Math.floor(Math.random() * users);
  await show("a person by email", "/console/users", () => ({ email: emailOf(some()) }));
  await show("a search of any kind, 4 characters", "/console/people/search", () => ({ starts_with: externalIdOf(some()).slice(0, 7) }));
  await show(
    "a search of one kind, 50 names",
    "/console/people/search",
    () => ({ by: "email", starts_with: emailOf(some()).slice(0, 10) }),
  );
  await show("the newest 50", "/console/people", () => ({ list: "newest" }));
} finally {
  await heddle.close();
  await servers?.stop();
}

/** At a steady rate, whatever the answers take; each counts from when it was due. */
async function show(name: string, path: string, body: () => object): Promise<void> {
  await run(path, body, Math.ceil(requests / 4));
  const pids = [heddle.pid, ...(values.mesh ? Array.from(heddle.mesh.parts.values(), ({ pid }) => pid) : [])];
  const others = watchOthers(pids);
  const before = cpuUsOf(pids);
  const latencies = await run(path, body, requests);
  const cpuMs = (cpuUsOf(pids) - before) / requests / 1_000;
  const [p50, p99] = [0.5, 0.99].map((p) => percentile(latencies, p).toFixed(1));
  console.log(`${name}: p50 ${p50} ms, p99 ${p99} ms, ${cpuMs.toFixed(1)} ms of CPU; ${others().toFixed(1)} cores did other things`);
}

/** Of Heddle's processes, without the servers of a mesh. */
function cpuUsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + costOf(pid).cpuUs, 0);
}

async function run(path: string, body: () => object, count: number): Promise<Float64Array> {
  const latencies = new Float64Array(count);
  const began = performance.now();
  await Promise.all(Array.from({ length: count }, async (_, n) => {
    const due = began + (n / perSecond) * 1000;
    await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now())));
    const { status, text } = await heddle.request("POST", path, body(), { key: secret });
    latencies[n] = performance.now() - due;
    if (status !== 200) throw new Error(`Expected 200, got ${status}: ${text}`);
  }));
  return latencies.sort();
}

async function seedFolder(dataDir: string): Promise<void> {
  const database = openDatabase({ path: join(dataDir, "heddle.db") });
  const access = await openAccess({ database, clock: systemClock });
  await seed(await moveProfiles(database), access.rows().workspaces[0]?.id ?? "");
  access.close();
  await database.close();
}

async function seedMesh(settings: Readonly<Record<string, string>>): Promise<void> {
  const { access, close } = await openMeshAccess(readConfig(settings, readMeshAccess), { clock: systemClock, logger: silentLogger });
  const workspaceId = access.rows().workspaces[0]?.id ?? "";
  await close();
  const store = readConfig(settings, readMeshProfileStore);
  const move = await openMeshProfileMove({ ...store, partitions: 1 }, systemClock);
  await seed(move, workspaceId);
  await move.close();
}

async function seed(move: ProfileMove, workspaceId: string): Promise<void> {
  for (let from = 0; from < users; from += usersPerWrite) {
    const profiles = Array.from({ length: Math.min(usersPerWrite, users - from) }, (_, at) => profileOf(workspaceId, from + at));
    const identities = new Map(profiles.flatMap(rowsOf));
    await move.write({ workspaceId, identities, users: profiles.map((profile) => ({ profile, openMerges: [] })) }, 1);
  }
}

function rowsOf(profile: Profile): [IdentityKey, unknown][] {
  const { id, externalId, email } = profile;
  return [
    [`x:${externalId ?? ""}`, id],
    [`e:${email ?? ""}`, [{ id, identified: true, updated: [0, 0] }]],
    [`u:${id}`, { id, externalId, deprecatedIds: [], aliases: [], email, phone: null, merges: [] }],
  ];
}

function profileOf(workspaceId: string, n: number): Profile {
  const place = `${(n + 1).toString(16).padStart(12, "0")}0000`;
  const time = Date.UTC(2026, 0, 1) + n;
  const summary = { first: time, last: time, count: 3, days: new Map([[20_454, 3]]) };
  return {
    id: numberedId(workspaceId, `${place}00000000`, n + 1),
    mark: [1, 0],
    createdAt: time,
    updatedAt: time,
    externalId: externalIdOf(n),
    aliases: [],
    email: emailOf(n),
    phone: null,
    fields: new Map([["first_name", "Ann"], ["country", "DE"]]),
    custom: new Map(Array.from({ length: 10 }, (_, at) => [`attribute ${at}`, `value ${n}`])),
    events: new Map(["viewed", "opened", "left"].map((name) => [name, { ...summary, days: new Map(summary.days) }])),
    purchases: new Map([["book", summary]]),
    revenue: new Map([["USD", 1_000n]]),
    purchaseCount: 3,
    apps: new Map(),
    devices: new Map(),
    engagements: new Map(),
    sources: { names: new Map(), fields: new Map(), custom: new Map() },
    merges: [],
  };
}

/** Ids begin in many ways, as those of people's systems do not. */
function externalIdOf(n: number): string {
  return `user-${((n * 7_919) % 1_000_003).toString(36).padStart(5, "0")}-${n}`;
}

function emailOf(n: number): string {
  return `person.${String(n).padStart(7, "0")}@example.com`;
}
