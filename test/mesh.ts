/** `npm run mesh`: real NATS, Cassandra and Redis, a process of each part and a gateway, until Ctrl-C. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { demoCallsText, demoGroups, demoKeyText } from "../cli/run/demo.ts";
import { errorText } from "../platform/error-text.ts";
import { secret } from "../platform/identifier.ts";
import { partVariable } from "../platform/mesh-config.ts";
import { launchMesh, meshLogName, type MeshProcesses, smallLog } from "./mesh-shape.ts";
import { type MeshServers, startMeshServers } from "./mesh-servers.ts";
import { tellWaits } from "./start-wait.ts";

/** What shells give for a process that Ctrl-C ended. */
const interrupted = 130;
const folder = mkdtempSync(join(tmpdir(), "heddle-mesh-"));
const dataDir = join(folder, "data");
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
let servers: MeshServers | undefined;
let mesh: MeshProcesses | undefined;
const asked = Promise.withResolvers<void>();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, end);
tellWaits((line) => console.log(line));

try {
  console.log("Starting NATS, Redis and Cassandra, which takes half a minute; the first time they are built, which takes minutes ...");
  servers = await startMeshServers({ lastsLong: true });
  console.log("Starting a process of each part and a gateway ...");
  const key = secret("hdl_");
  writeFileSync(join(folder, "declaration.yaml"), declaration(key));
  mesh = await launchMesh({
    repository: resolve(import.meta.dirname, ".."),
    settings: servers.settings,
    dataDir,
    port: Number(process.env.HEDDLE_HTTP_PORT ?? 0),
    declarationPath: join(folder, "declaration.yaml"),
    runtimeOf: () => "node",
    env: {},
  });
  console.log(text(mesh, servers, key));
  // Without a timer nothing would keep this process up but its children
  await Promise.race([asked.promise, mesh.ended.then(() => console.error(`A part of the mesh ended:\n${mesh?.output()}`))]);
} catch (error) {
  console.error(errorText(error));
  process.exitCode = 1;
} finally {
  mesh?.kill("SIGTERM");
  await mesh?.ended;
  await servers?.stop();
}

/** What starts still has nothing to finish: it ends with this process. */
function end(): void {
  if (mesh === undefined) process.exit(interrupted);
  asked.resolve();
}

/** As `heddle start` makes it on its first start. */
function declaration(key: string): string {
  const apiKeys = [{ name: "demo", permissions: ["*", "console.operate"], secret: key }];
  const subscriptionGroups = demoGroups.map((group) => ({ ...group, channel: "email" }));
  return JSON.stringify({ companies: [{ name: "demo", workspaces: [{ name: "demo", apiKeys, subscriptionGroups }] }] });
}

function text({ gateway, parts }: MeshProcesses, { settings }: MeshServers, key: string): string {
  const urls = Object.fromEntries([...parts].map(([name, { url }]) => [partVariable(name, "URL"), url]));
  const own = { HEDDLE_URL: gateway.url, HEDDLE_API_KEY: key, HEDDLE_TEST_URL: gateway.url, HEDDLE_LOG_NAME: meshLogName(dataDir) };
  const all = { ...own, ...urls, ...settings, ...smallLog, HEDDLE_CASSANDRA_REPLICATION: "1" };
  const lines = Object.entries(all).map(([name, value]) => `  export ${name}=${value}`);
  return `
The mesh is running. Its data go when it ends; Ctrl-C ends it.
${[["gateway", gateway] as const, ...parts].map(([name, { url, pid }]) => `  ${name}  ${url} (process ${pid})`).join("\n")}

For every heddle command, in another terminal:
${lines.join("\n")}

For the commands of README and docs:
  KEY=${key}
  URL=${gateway.url}
${demoKeyText(key)}${demoCallsText(gateway.url, key, Date.now())}`;
}
