/** Before a run on the mesh: one set of real servers for all test files. Does nothing for the other shapes, and where HEDDLE_TEST_MESH names some. */
import { env } from "node:process";
import { startMeshServers } from "./mesh-servers.ts";

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (env.HEDDLE_TEST_SHAPE !== "mesh" || env.HEDDLE_TEST_MESH !== undefined) return undefined;
  const servers = await startMeshServers();
  // Workers start with a copy of this environment
  env.HEDDLE_TEST_MESH = JSON.stringify(servers.settings);
  env.HEDDLE_TEST_MESH_FOLDERS = JSON.stringify([servers.nats, servers.redis, servers.cassandra].map(({ folder }) => folder));
  return () => servers.stop();
}
