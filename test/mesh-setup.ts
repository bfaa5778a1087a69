/**
 * Before a run on the mesh: one set of real servers for all test files, and for the project `http-shared` one mesh before them. Does
 * nothing for the other shapes; servers that HEDDLE_TEST_MESH names are used instead.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import type { TestProject } from "vitest/node";
import { partVariable } from "../platform/mesh-config.ts";
import { demoDeclaration, repository } from "./heddle.ts";
import { type MeshServers, startMeshServers } from "./mesh-servers.ts";
import { launchMesh, meshLogName, smallLog } from "./mesh-shape.ts";

/** Every project has a copy of this module, and all use the same servers. */
const shared = globalThis as { heddleMeshServers?: { readonly starting: Promise<MeshServers>; users: number } };

export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (env.HEDDLE_TEST_SHAPE !== "mesh") return undefined;
  const release = env.HEDDLE_TEST_MESH === undefined || shared.heddleMeshServers !== undefined
    ? await useServers()
    : () => Promise.resolve();
  if (project.name !== "http-shared") return release;
  const end = await startSharedMesh(JSON.parse(env.HEDDLE_TEST_MESH ?? "{}") as Record<string, string>);
  return async () => {
    await end();
    await release();
  };
}

async function useServers(): Promise<() => Promise<void>> {
  const use = shared.heddleMeshServers ??= { starting: startMeshServers(), users: 0 };
  use.users += 1;
  const servers = await use.starting;
  // Workers start with a copy of this environment
  env.HEDDLE_TEST_MESH = JSON.stringify(servers.settings);
  env.HEDDLE_TEST_MESH_FOLDERS = JSON.stringify([servers.nats, servers.redis, servers.cassandra].map(({ folder }) => folder));
  return async () => {
    use.users -= 1;
    if (use.users === 0) await servers.stop();
  };
}

/** Its settings go to HEDDLE_TEST_SHARED_MESH: `test/kubernetes/black-box` is what talks to a mesh that runs already. */
async function startSharedMesh(settings: Readonly<Record<string, string>>): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-shared-"));
  const declarationPath = join(folder, "declaration.yaml");
  const dataDir = join(folder, "data");
  writeFileSync(declarationPath, demoDeclaration);
  const mesh = await launchMesh({ repository, settings, dataDir, port: 0, declarationPath, runtimeOf: () => "node", env: {} });
  env.HEDDLE_TEST_SHARED_MESH = JSON.stringify({
    ...settings,
    ...smallLog,
    HEDDLE_TEST_URL: mesh.gateway.url,
    HEDDLE_LOG_NAME: meshLogName(dataDir),
    ...Object.fromEntries([...mesh.parts].map(([name, { url }]) => [partVariable(name, "URL"), url])),
  });
  return async () => {
    mesh.kill("SIGTERM");
    const code = await mesh.ended;
    rmSync(folder, { recursive: true, force: true });
    if (code !== 0) throw new Error(`The shared mesh ended with ${code}:\n${mesh.output()}`);
  };
}
