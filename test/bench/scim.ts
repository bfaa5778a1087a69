/** `node test/bench/scim.ts [--mesh]`: gets and searches among 100,000 dashboard users at a steady rate; never part of a timed test. */
import { Agent } from "node:http";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openAccess } from "../../gateway/access/store/sqlite.ts";
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
import { latencyText, send } from "./load.ts";
import { atSteadyRate, startHeddleOn } from "./steady.ts";

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

const apply = JSON.stringify({ companies: [{ name: "bench", scimTokens: [{ name: "bench", origin: "bench", secret }] }] });
const { heddle, stop } = await startHeddleOn(values.mesh ? "mesh" : "one process", apply);
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
  await stop();
}

async function show(name: string, path: () => string): Promise<void> {
  const call = () => get(path());
  await atSteadyRate({ perSecond: perSecond / 2, count: warming }, call);
  console.log(`${name}: ${latencyText(await atSteadyRate({ perSecond, count: requestsEach }, call), [0.5, 0.99, 0.999])}`);
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

async function get(path: string): Promise<void> {
  const headers = { authorization: `Bearer ${secret}`, "x-request-origin": "bench" };
  const { status } = await send(agent, heddle.url, { method: "GET", path, body: Buffer.alloc(0), headers });
  if (status !== 200) throw new Error(`Expected 200, got ${status}`);
}
