/** A mesh whose servers hang or are started last: in any order everything comes up by itself, and nothing is lost. */
import { env } from "node:process";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { cdnowIsHere } from "../cdnow/purchases.ts";
import { compareSeries, compareWithCount } from "../cdnow/totals.ts";
import { type MeshServers, startMeshServers } from "../mesh-servers.ts";
import { describeWith } from "../servers/require.ts";
import { fresh } from "../suite.ts";
import { importUnderStrikes } from "./cdnow.ts";
import { type Mesh, partNames, startMesh } from "./mesh.ts";

const settledMsMax = 60_000;
const serverNames = ["nats", "redis", "cassandra"] as const;
type Member = (typeof partNames)[number] | (typeof serverNames)[number];

/** Gateway and profile first is the hardest; HEDDLE_START_ORDERS=all tries every one, for half an hour to an hour. */
const orders: Member[][] = env.HEDDLE_START_ORDERS === "all"
  ? permutations(["gateway", "profile-0", "nats", "redis", "cassandra"])
  : [["gateway", "profile-0", "redis", "nats", "cassandra"]];

await describeWith(["nats", "redis", "cassandra"], "the mesh in disorder", () => {
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

  test("a Redis that hangs costs no request", async () => {
    await servers.redis.kill("SIGSTOP");
    const answers = await Promise.all(Array.from({ length: 20 }, () => mesh.post("/users/track", eventOf(fresh()))));
    await servers.redis.kill("SIGCONT");
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  });

  test.runIf(cdnowIsHere)("the CDNOW purchases, imported while parts and servers are killed, count to the cent", async () => {
    const strikes = [
      () => mesh.killProfile(0).then(() => mesh.startProfile(0)),
      () => mesh.kill("gateway").then(() => mesh.start("gateway")),
      () => servers.nats.restart("SIGKILL"),
      () => servers.cassandra.restart("SIGKILL"),
      () => mesh.killProfile(1).then(() => mesh.startProfile(1)),
    ];
    const { result, takenAtStrikes, batches, counted } = await importUnderStrikes(mesh, strikes);
    expect(result.code, `${result.output}${result.errors}`).toBe(0);
    expect(takenAtStrikes).toHaveLength(strikes.length);
    expect(Math.max(...takenAtStrikes)).toBeLessThan(batches);
    await untilCaughtUp(mesh);
    await compareWithCount((path, body) => mesh.post(path, body), counted);
    await compareSeries((path) => mesh.get(path), counted);
  });

  test.each(orders)("started as %s, %s, %s, %s, %s, all is there again", async (...order) => {
    const id = fresh();
    await expect.poll(async () => (await mesh.post("/users/track", eventOf(id))).status, { timeout: settledMsMax }).toBe(201);
    for (const part of partNames) await mesh.kill(part);
    await Promise.all(serverNames.map((name) => servers[name].kill()));
    const started: Promise<void>[] = [];
    for (const member of order) {
      if (member === "nats" || member === "redis" || member === "cassandra") await servers[member].restart();
      else started.push(mesh.start(member));
    }
    await Promise.all(started);
    await expect.poll(async () => (await mesh.get("/readyz")).status, { timeout: settledMsMax }).toBe(200);
    await expect.poll(async () => (await mesh.post("/users/track", eventOf(id))).status, { timeout: settledMsMax }).toBe(201);
    await expect.poll(() => eventsOf(mesh, id), { timeout: settledMsMax }).toBe(2);
    await mesh.start("profile-1");
  });
});

/** Resolves when reads see everything that was answered before. */
async function untilCaughtUp(mesh: Mesh): Promise<void> {
  const look = () => mesh.post("/users/export/ids", { external_ids: ["00001"] });
  await expect.poll(async () => (await look()).headers.get("x-heddle-read"), { timeout: settledMsMax }).toBeNull();
}

function eventOf(external_id: string): object {
  return { events: [{ external_id, name: "e", time: "2026-03-01T12:00:00Z" }] };
}

async function eventsOf(mesh: Mesh, id: string): Promise<number> {
  const answer = await mesh.post("/users/export/ids", { external_ids: [id] });
  return answer.body.users?.[0]?.custom_events?.[0]?.count ?? 0;
}

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}
