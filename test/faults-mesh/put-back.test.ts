/** Cassandra put back from an older copy under running processes: nothing is served as if nothing were lost. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openCassandra } from "../../platform/cassandra/driver.ts";
import { scanTable, type Session } from "../../platform/cassandra/session.ts";
import { systemClock } from "../../platform/clock.ts";
import { openEpochWatermarks } from "../../platform/epoch/watermarks.ts";
import { type MeshServers, startMeshServers } from "../mesh-servers.ts";
import { describeWith } from "../servers/require.ts";
import { fresh } from "../suite.ts";
import { type Mesh, startMesh } from "./mesh.ts";

const patient = { timeout: 60_000, interval: 250 };

await describeWith(["nats", "redis", "cassandra"], "Cassandra put back from an older copy", () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-put-back-"));
  let servers: MeshServers;
  let mesh: Mesh;
  let session: Session;
  beforeAll(async () => {
    servers = await startMeshServers();
    mesh = await startMesh(servers);
    const { contactPoint, datacenter } = servers.cassandra;
    session = openCassandra({ contactPoints: [contactPoint], datacenter, keyspace: "heddle_profile" }, systemClock);
  });
  afterEach((context) => {
    if (context.task.result?.state === "fail") console.error(mesh.output());
  });
  afterAll(async () => {
    await session?.close();
    await mesh?.close();
    await servers?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const written: string[] = [];
  function write(): ReturnType<Mesh["post"]> {
    const names = Array.from({ length: 20 }, () => fresh());
    written.push(...names);
    return mesh.post("/users/track", { attributes: names.map((name) => ({ external_id: name, a: 1 })) });
  }
  /** Who of those that were written has rows. */
  async function present(): Promise<string[]> {
    const names = new Set<unknown>();
    for await (const rows of scanTable(session, "SELECT external_id FROM users_by_external_id", 1_000)) {
      for (const row of rows) names.add(row["external_id"]);
    }
    return written.filter((name) => names.has(name));
  }
  /** The marks of lanes, most of which are raised each ten seconds. */
  async function lanesAt(): Promise<number> {
    const reached = await openEpochWatermarks(session, "heddle").reached();
    return [...reached].reduce((sum, [mark, at]) => sum + (mark.startsWith("apply-") ? at : 0), 0);
  }
  /** What is read as soon as Cassandra answers: the connections to it come back one by one. */
  async function asSoonAs<Value>(read: () => Promise<Value>): Promise<Value> {
    const found: Value[] = [];
    await expect.poll(async () => found.push(await read()), patient).toBe(1);
    return found[0] as Value;
  }
  /** `work` while Cassandra is down. */
  async function whileDown(work: (data: string) => void): Promise<void> {
    await servers.cassandra.kill();
    work(join(servers.cassandra.folder, "data"));
    await servers.cassandra.restart();
  }

  test("is noticed by parts that run, which go on to say so, as does one that starts", async () => {
    const copy = join(folder, "data");
    expect((await write()).status).toBe(201);
    await expect.poll(lanesAt, patient).toBeGreaterThan(0);
    await whileDown((data) => cpSync(data, copy, { recursive: true }));
    const before = await expect.poll(lanesAt, patient).toBeGreaterThan(0).then(lanesAt);
    const kept = await asSoonAs(present);
    // It sees nothing of what the other one writes from now on, and goes on with its work once that one has noticed
    mesh.freeze("profile-1");
    await expect.poll(async () => [(await write()).status, await lanesAt() > before], patient).toEqual([201, true]);
    await whileDown((data) => {
      rmSync(data, { recursive: true });
      cpSync(copy, data, { recursive: true });
    });
    mesh.thaw("profile-1");
    const refused = async () => {
      const { status, text } = await write();
      return [status, text.includes("log adopt")];
    };
    // Each part notices by itself, and the gateway asks them in turn
    const byBoth = async () => [await refused(), await refused(), await refused(), await refused()];
    await expect.poll(byBoth, patient).toEqual(Array.from({ length: 4 }, () => [503, true]));
    // Long enough for whatever still runs to raise a mark over the older rows
    const until = performance.now() + 12_000;
    while (performance.now() < until) {
      expect(await refused()).toEqual([503, true]);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(await asSoonAs(present)).toEqual(kept);
    await mesh.killProfile(1);
    await mesh.startProfile(1);
    await mesh.killProfile(0);
    await expect.poll(refused, patient).toEqual([503, true]);
    await mesh.startProfile(0);
  });
});
