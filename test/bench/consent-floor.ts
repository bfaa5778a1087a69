/** `node test/bench/consent-floor.ts`: the Cassandra statements of a get of 50 memberships from one bare process, with nothing around them. */
import { parseArgs } from "node:util";
import { bucketOfMember, bucketOfUser } from "../../platform/user-number.ts";
import { readSettings } from "../../cli/target/settings.ts";
import { openKeyspace } from "../../platform/cassandra/keyspace.ts";
import { systemClock as clock } from "../../platform/clock.ts";
import { readStore } from "../../platform/mesh-config.ts";
import { externalIdKey, userRowKey } from "../../services/profile/domain/identity/user-names.ts";
import { profileSchema } from "../../services/profile/mesh-wire.ts";
import { openCassandraProfileStore } from "../../services/profile/store/cassandra.ts";
import { noMemberships } from "../../services/subscription/domain/memberships.ts";
import { subscriptionSchema } from "../../services/subscription/mesh-wire.ts";
import { openCassandraSubscriptionStore } from "../../services/subscription/store/cassandra.ts";
import { groupsFromBeginning } from "../../services/subscription/store/rows.ts";
import { startMeshServers } from "../mesh-servers.ts";
import { noteFigure } from "./goals.ts";
import { percentile } from "./load.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "1000" },
    warm: { type: "string", default: "20" },
    /** As `consent.ts` asks. */
    rate: { type: "string", default: "40" },
  },
});
const [requests, perSecond, warmSeconds] = [Number(values.requests), Number(values.rate), Number(values.warm)];
const [workspaceId, users, idsPerGet] = ["ws_bench", 2_000, 50];

const servers = await startMeshServers({ isMeasured: true });
const [profile, subscription] = await Promise.all([open("profile", profileSchema), open("subscription", subscriptionSchema)]);
const { identities } = openCassandraProfileStore({ session: profile.session, clock, partitions: 1, bucketOf: bucketOfUser });
const tables = openCassandraSubscriptionStore(subscription.session, bucketOfMember);
try {
  await fill();
  await atRate(warmSeconds * perSecond);
  const sorted = (await atRate(requests)).sort();
  const [p50, p99, worst] = [0.5, 0.99, 1].map((p) => percentile(sorted, p).toFixed(1));
  console.log(`statements of a get of ${idsPerGet} ids alone, ${perSecond} a second: p50 ${p50} ms, p99 ${p99} ms, worst ${worst} ms`);
  noteFigure("gets-50-mesh", percentile(sorted, 0.99));
} finally {
  await Promise.all([profile.close(), subscription.close()]);
  await servers.stop();
}

function open(part: string, schema: string) {
  return openKeyspace(readSettings({ ...servers.settings }, (reader) => readStore(reader, part)), schema, clock);
}

async function fill(): Promise<void> {
  const ids = Array.from({ length: users }, (_, n) => `u${n}`);
  const row = { deprecatedIds: [], aliases: [], email: null, phone: null, merges: [] };
  const rows = ids.flatMap((id) => [[externalIdKey(id), id], [userRowKey(id), { id, externalId: id, ...row }]] as const);
  await identities.save(workspaceId, new Map<(typeof rows)[number][0], unknown>(rows), 1);
  const group = { id: "g", name: "Letter", channel: "email" as const, archived: false };
  await tables.writeGroups(workspaceId, groupsFromBeginning([group]));
  const memberships = ids.map((id) =>
    [id, { ...noMemberships(id), mark: [1, 0] as const, groups: new Map([["g", "subscribed" as const]]) }] as const
  );
  const step = { workspaceId, states: new Map(memberships), entries: [], ends: new Map(), erased: new Map() };
  await tables.commit({ workspaces: [step], deadLetters: [] });
}

/** One after the other as a get does: the groups beside names and users, then the memberships. */
async function get(): Promise<void> {
  const first = Math.floor(Math.random() * (users - idsPerGet));
  const ids = Array.from({ length: idsPerGet }, (_, at) => `u${first + at}`);
  await Promise.all([tables.store.groups(workspaceId), who(ids)]);
  await tables.store.load(workspaceId, ids);
}

async function who(ids: readonly string[]): Promise<void> {
  await identities.load(workspaceId, ids.map(externalIdKey));
  await identities.load(workspaceId, ids.map(userRowKey));
}

/** At a steady rate, whatever the answers take. */
async function atRate(count: number): Promise<Float64Array> {
  const latencies = new Float64Array(count);
  await Promise.all(Array.from({ length: count }, async (_, n) => {
    await new Promise((done) => setTimeout(done, (n / perSecond) * 1_000));
    const start = performance.now();
    await get();
    latencies[n] = performance.now() - start;
  }));
  return latencies;
}
