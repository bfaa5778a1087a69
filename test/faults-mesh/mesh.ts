/** A gateway before two profile processes, each to be killed and started again by the tests. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execPath } from "node:process";
import { type Answer, callHeddle, type CallOptions } from "../client.ts";
import { demoDeclaration, demoKey, repository } from "../heddle.ts";
import { type HeddleProcess, launchHeddle } from "../heddle-process.ts";
import type { MeshServers } from "../mesh-servers.ts";
import { freePorts } from "../servers/server-process.ts";

export async function startMesh({ settings }: MeshServers): Promise<Mesh> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-faults-"));
  const declaration = join(folder, "declaration.yaml");
  writeFileSync(declaration, demoDeclaration);
  const ports = await freePorts(2);
  function launch(args: readonly string[], env: Record<string, string>): Promise<HeddleProcess> {
    const entry = join(repository, "cli/heddle.mjs");
    return launchHeddle({ program: execPath, args: [entry, "serve", ...args], folder: repository, env: { ...settings, ...env } });
  }
  function launchProfile(at: number): Promise<HeddleProcess> {
    const log = { HEDDLE_LOG_LANES: "8", HEDDLE_LOG_PARTITIONS: "2" };
    return launch(["profile"], { HEDDLE_PROFILE_RPC_PORT: String(ports[at]), ...log });
  }
  const profiles = await Promise.all([launchProfile(0), launchProfile(1)]);
  const gateway = await launch(["gateway", "--apply", declaration], {
    HEDDLE_PROFILE_URL: profiles.map(({ url }) => url).join(),
    HEDDLE_HTTP_PORT: "0",
    HEDDLE_DATA_DIR: join(folder, "data"),
  });
  async function killProfile(at: number): Promise<void> {
    profiles[at]?.kill("SIGKILL");
    await profiles[at]?.ended;
  }
  return {
    post: (path, body, call = {}) => callHeddle(gateway.url, { method: "POST", path, body, key: demoKey, ...call }),
    get: (path) => callHeddle(gateway.url, { method: "GET", path }),
    killProfile,
    async startProfile(at) {
      profiles[at] = await launchProfile(at);
    },
    output: () => [gateway, ...profiles].map((part) => part.output().slice(-4_000)).join("\n"),
    async close() {
      for (const part of [gateway, ...profiles]) {
        part.kill("SIGTERM");
        await part.ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface Mesh {
  post(path: string, body: unknown, call?: CallOptions): Promise<Answer>;
  get(path: string): Promise<Answer>;
  killProfile(at: number): Promise<void>;
  startProfile(at: number): Promise<void>;
  /** What the processes printed last. */
  output(): string;
  close(): Promise<void>;
}
