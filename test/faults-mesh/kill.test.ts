/** kill -9 of profile processes and servers under load: nothing answered is lost, and nothing counts twice. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type MeshServers, startMeshServers } from "../mesh-servers.ts";
import { describeWith } from "../servers/require.ts";
import { fresh } from "../suite.ts";
import { eventsOf, settledMsMax, underLoad } from "./journal.ts";
import { type Mesh, startMesh } from "./mesh.ts";

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

  test("of profile processes in turn loses no answered write and repeats no keyed one", async () => {
    await underLoad(mesh, async (kill) => {
      await mesh.killProfile(kill % 2);
      await mesh.startProfile(kill % 2);
    });
  });

  test("of nats-server loses no answered write and repeats no keyed one", async () => {
    await underLoad(mesh, () => servers.nats.restart("SIGKILL"));
  });

  test("of Redis costs no request", async () => {
    await servers.redis.kill();
    const answers = await Promise.all(Array.from({ length: 20 }, () => mesh.post("/users/track", eventOf(fresh()))));
    await servers.redis.restart();
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  });

  test("of one profile process for good: the other has all its work within 5 s", async () => {
    const ids = Array.from({ length: 20 }, () => fresh());
    await Promise.all(ids.map((id) => mesh.post("/users/track", eventOf(id))));
    await mesh.killProfile(0);
    // A call that was under way to it may answer 503: whether it counts is not known. The next one goes to the other.
    await expect.poll(async () => (await mesh.post("/users/track", eventOf(fresh()))).status).toBe(201);
    const wrote = await Promise.all(ids.map((id) => mesh.post("/users/track", eventOf(id))));
    expect(wrote.map(({ status }) => status)).toEqual(ids.map(() => 201));
    const reads = await Promise.all(ids.map((id, at) => readAfter(mesh, id, wrote[at]?.headers.get("x-heddle-position") ?? "")));
    expect(reads).toEqual(ids.map(() => 2));
    await mesh.startProfile(0);
  });

  test("of nats-server: a profile process that starts meanwhile serves when it is back", async () => {
    const id = fresh();
    await Promise.all([mesh.killProfile(1), servers.nats.kill()]);
    const started = mesh.startProfile(1);
    await pause(2_000);
    await servers.nats.restart();
    await started;
    await mesh.killProfile(0);
    await expect.poll(async () => (await mesh.post("/users/track", eventOf(id))).status, { timeout: settledMsMax }).toBe(201);
    await expect.poll(() => eventsOf(mesh, { id }), { timeout: settledMsMax }).toBeGreaterThan(0);
    await mesh.startProfile(0);
  });

  test("of Cassandra: writes go on, reads say 503 in time, and what waited is there after", async () => {
    const id = fresh();
    expect((await mesh.post("/users/track", eventOf(id))).status).toBe(201);
    await servers.cassandra.kill();
    const wrote = await Promise.all(Array.from({ length: 10 }, () => mesh.post("/users/track", eventOf(id))));
    expect(wrote.map(({ status }) => status)).toEqual(wrote.map(() => 201));
    const begun = performance.now();
    const read = await mesh.post("/users/export/ids", { external_ids: [id] });
    expect(performance.now() - begun).toBeLessThan(2_500);
    expect(read.status, read.text).toBe(503);
    expect(Number(read.headers.get("retry-after"))).toBeGreaterThan(0);
    await expect.poll(async () => (await mesh.get("/readyz")).status, { timeout: settledMsMax }).toBe(503);
    await servers.cassandra.restart();
    await expect.poll(() => eventsOf(mesh, { id }), { timeout: settledMsMax, interval: 200 }).toBe(11);
    await expect.poll(async () => (await mesh.get("/readyz")).status, { timeout: settledMsMax }).toBe(200);
  });
});

function eventOf(external_id: string): object {
  return { events: [{ external_id, name: "e", time }] };
}

/** The number of events that a read with the position of a write sees. */
async function readAfter(mesh: Mesh, id: string, position: string): Promise<number | undefined> {
  const read = await mesh.post("/users/export/ids", { external_ids: [id] }, { headers: { "x-heddle-position": position } });
  return read.body.users?.[0]?.custom_events?.[0]?.count;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
