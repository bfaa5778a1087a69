/** Cassandra put back from an older copy under running processes: nothing is served as if nothing were lost. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openCassandra } from "../../platform/cassandra/driver.ts";
import type { Session } from "../../platform/cassandra/session.ts";
import { systemClock } from "../../platform/clock.ts";
import { openEpochMarks } from "../../platform/epoch/marks.ts";
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

  function write(): ReturnType<Mesh["post"]> {
    return mesh.post("/users/track", { attributes: Array.from({ length: 20 }, () => ({ external_id: fresh(), a: 1 })) });
  }
  /** The marks of lanes, most of which are raised each ten seconds. */
  async function lanesAt(): Promise<number> {
    const reached = await openEpochMarks(session, "heddle").reached();
    return [...reached].reduce((sum, [mark, at]) => sum + (mark.startsWith("apply-") ? at : 0), 0);
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
    await expect.poll(async () => [(await write()).status, await lanesAt() > before], patient).toEqual([201, true]);
    await whileDown((data) => {
      rmSync(data, { recursive: true });
      cpSync(copy, data, { recursive: true });
    });
    const refused = async () => {
      const { status, text } = await write();
      return [status, text.includes("log adopt")];
    };
    await expect.poll(refused, patient).toEqual([503, true]);
    // Long enough for whatever still runs to raise a mark over the older rows
    const until = performance.now() + 12_000;
    while (performance.now() < until) {
      expect(await refused()).toEqual([503, true]);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    await mesh.killProfile(1);
    await mesh.startProfile(1);
    await mesh.killProfile(0);
    await expect.poll(refused, patient).toEqual([503, true]);
    await mesh.startProfile(0);
  });
});
