/** Users whom a bench did not have to send: written as a restore writes them, into a folder where nothing runs or into the tables of a mesh. */
import { join } from "node:path";
import { openAccess } from "../../gateway/access/store/sqlite.ts";
import { openMeshAccess, readMeshAccess } from "../../gateway/mesh-access.ts";
import { systemClock } from "../../platform/clock.ts";
import { readConfig } from "../../platform/config.ts";
import { silentLogger } from "../../platform/logger.ts";
import { readStore } from "../../platform/mesh-config.ts";
import { openDatabase } from "../../platform/sqlite/database.ts";
import type { IdentityKey } from "../../services/profile/domain/identity/identity.ts";
import type { Profile } from "../../services/profile/domain/profile/profile.ts";
import { numberedId } from "../../platform/user-number.ts";
import { openMeshProfileMove } from "../../services/profile/mesh-wire.ts";
import type { ProfileMove } from "../../services/profile/store/moved-rows.ts";
import { moveProfiles } from "../../services/profile/wire.ts";

const usersPerWrite = 1_000;

export async function seedFolder(dataDir: string, users: number): Promise<void> {
  const database = openDatabase({ path: join(dataDir, "heddle.db") });
  const access = await openAccess({ database, clock: systemClock });
  await seed(await moveProfiles(database), access.rows().workspaces[0]?.id ?? "", users);
  access.close();
  await database.close();
}

export async function seedMesh(settings: Readonly<Record<string, string>>, users: number): Promise<void> {
  const { access, close } = await openMeshAccess(readConfig(settings, readMeshAccess), { clock: systemClock, logger: silentLogger });
  const workspaceId = access.rows().workspaces[0]?.id ?? "";
  await close();
  const store = readConfig(settings, (reader) => readStore(reader, "profile"));
  const move = await openMeshProfileMove({ ...store, partitions: 1 }, systemClock);
  await seed(move, workspaceId, users);
  await move.close();
}

async function seed(move: ProfileMove, workspaceId: string, users: number): Promise<void> {
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
export function externalIdOf(n: number): string {
  return `user-${((n * 7_919) % 1_000_003).toString(36).padStart(5, "0")}-${n}`;
}

export function emailOf(n: number): string {
  return `person.${String(n).padStart(7, "0")}@example.com`;
}
