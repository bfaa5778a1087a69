/**
 * Resolvers and appliers as separate processes, two of each at the same time, under crashes, lost and repeated calls and
 * replicas that lag: what they leave is what a fold over the same intake leaves. A seed is a run:
 * HEDDLE_SIMULATION_SEED=17 replays one, HEDDLE_SIMULATION_RUNS says how many there are, HEDDLE_SIMULATION_FIRST where they begin.
 */
import { expect, test } from "vitest";
import { pureSteps } from "../apply/pure-steps.ts";
import { redriveUsers } from "../lanes/log-operator.ts";
import { errorText } from "../../../platform/error-text.ts";
import { unpackRecords } from "../../../platform/log/packed-records.ts";
import { checkpointFromBytes } from "../../../platform/lane/resolver-checkpoint.ts";
import { checkpointSubject, type Cluster, createCluster, type Planted } from "./cluster.fixture.ts";
import { randomHistory } from "./history.fixture.ts";
import { fold } from "./fold.fixture.ts";
import { consentOf, countedIn, failingSteps, look, untold } from "./reference.fixture.ts";
import { subjectOf } from "./streams.fixture.ts";
import { createWorld, type World } from "./world.fixture.ts";

const runs = Number(process.env["HEDDLE_SIMULATION_RUNS"] ?? 500);
const first = Number(process.env["HEDDLE_SIMULATION_FIRST"] ?? 0);
const only = process.env["HEDDLE_SIMULATION_SEED"];

test("resolvers and appliers leave what a fold over the intake leaves", { timeout: 600_000 }, async () => {
  const seeds = only === undefined ? Array.from({ length: runs }, (_, at) => first + at) : [Number(only)];
  for (const seed of seeds) {
    try {
      await simulate(seed);
    } catch (error) {
      throw new Error(`Seed ${seed}: ${errorText(error)}`, { cause: error });
    }
  }
});

test.each<Planted>(["no fence", "no majority"])("the simulation notices at once: %s", { timeout: 600_000 }, async (planted) => {
  let seed = 0;
  while (seed < 500 && await simulate(seed, planted).then(() => true, () => false)) seed += 1;
  expect(seed).toBeLessThan(500);
});

async function simulate(seed: number, planted?: Planted): Promise<void> {
  const world = createWorld(seed);
  const undoWindowMs = [0, 2_000, 1_000_000][world.pick(3)] ?? 0;
  let isMended = world.chance(0.7);
  const numbering = ([undefined, "buckets", "lanes"] as const)[seed % 3];
  const cluster = createCluster(world, { steps: failingSteps(() => isMended), undoWindowMs, numbering, planted });
  const history = randomHistory(world, 5 + world.pick(25));
  const expected: { sequence: number; body: Uint8Array }[] = [];
  cluster.start();
  cluster.start();
  await world.run(() => history.length === 0, () => {
    if (world.chance(0.1)) {
      const entry = history.shift();
      if (entry !== undefined) {
        const body = Buffer.from(JSON.stringify(entry));
        expected.push({ sequence: cluster.intake.append(subjectOf(0), body), body });
      }
    }
    if (world.chance(0.005)) cluster.crash();
    if (world.chance(0.01)) cluster.disturb();
    if (world.chance(0.02)) cluster.replicas.deliver((waiting) => world.pick(waiting));
  });
  world.faulty = false;
  await world.run(() => isQuiet(cluster), () => {});
  isMended = true;
  await redriveHeld(world, cluster);
  await world.run(
    () => [0, 1].every((lane) => cluster.kept(lane) >= cluster.lanes.last(subjectOf(cluster.layout.profile(lane)))),
    () => {},
  );
  const folded = fold(expected, { steps: pureSteps, undoWindowMs, numbering });
  const seen = await look(cluster.store, folded.keys);
  expect(await cluster.store.profiles.listBlocked(100)).toEqual([]);
  expect(seen.identities).toEqual(folded.identities);
  expect(seen.profiles).toEqual(folded.profiles);
  expect(await countedIn(cluster.store)).toEqual(numbering ? folded.counted : folded.counted.map(([workspaceId]) => [workspaceId, 0, []]));
  expect(untold(cluster.events, seen.profiles, leftIn(cluster, "frozen_by_merge"))).toEqual([]);
  for (const [service, sent] of folded.consent) expect([service, sentTo(cluster, service)]).toEqual([service, [...sent].sort()]);
  expect(leftIn(cluster, "handoffs_by_merge")).toEqual([]);
  for (const table of ["held_records_by_user", "held_records_by_bucket"]) expect(leftIn(cluster, table)).toEqual([]);
  if (folded.profiles.length > 0) expect(leftIn(cluster, "profiles_by_bucket").length > 0).toBe(numbering !== undefined);
  expect(leftIn(cluster, "frozen_by_merge")).toEqual(folded.openMerges);
  expect(folded.openMerges).toEqual(expect.arrayContaining(leftIn(cluster, "journal_by_merge")));
}

/** What the resolvers sent to a service that owns consent, of all its lanes. */
function sentTo({ lanes, layout }: Cluster, service: "subscription" | "messaging-status"): string[] {
  const partitionOf = service === "subscription" ? layout.subscription : layout.messagingStatus;
  const bodies = [0, 1].flatMap((lane) => lanes.messages(subjectOf(partitionOf(lane)))).flatMap(({ body }) => unpackRecords(body));
  return consentOf(service, bodies).sort();
}

/** As an operator does: redrives blocked users; a user who waited for one of them comes free by itself. */
async function redriveHeld(world: World, cluster: Cluster): Promise<void> {
  const { lanes, layout, store } = cluster;
  const log = { append: (partition: number, body: Uint8Array) => Promise.resolve(lanes.append(subjectOf(partition), body)) };
  for (let round = 0; round < 10; round += 1) {
    if (await redriveUsers({ profiles: store.profiles, lanes: log, layout }) === 0) return;
    await world.run(() => isQuiet(cluster), () => {});
  }
}

/** The keys of the partitions of a table that still have rows. */
function leftIn({ replicas }: Cluster, table: string): string[] {
  const partitions = replicas.dump() as [key: string, rows: unknown][];
  const keys = partitions.map(([key]) => key).filter((key) => key.startsWith(`${table} `));
  return keys.map((key) => (JSON.parse(key.slice(table.length + 1)) as string[])[1] ?? "").sort();
}

function isQuiet({ intake, lanes, layout, applied, written }: Cluster): boolean {
  const checkpoint = lanes.messages(checkpointSubject).at(-1);
  const place = checkpoint && checkpointFromBytes(checkpoint.body);
  if ((place?.through ?? 0) < intake.last(subjectOf(0)) || written() < (checkpoint?.sequence ?? 0)) return false;
  return [0, 1].every((lane) => applied(lane) >= lanes.last(subjectOf(layout.profile(lane))));
}
