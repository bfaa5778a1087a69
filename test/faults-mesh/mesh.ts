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

export async function startMesh({ settings }: Pick<MeshServers, "settings">): Promise<Mesh> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-faults-"));
  const declaration = join(folder, "declaration.yaml");
  writeFileSync(declaration, demoDeclaration);
  const [gatewayPort, ...ports] = await freePorts(3);
  const url = `http://127.0.0.1:${gatewayPort}`;
  const running = new Map<PartName, HeddleProcess>();
  async function launch(part: PartName): Promise<void> {
    const args = ["serve", ...(part === "gateway" ? ["gateway", "--apply", declaration] : ["profile"])];
    const own = part === "gateway" ? gatewaySettings() : profileSettings(part);
    const program = { program: execPath, args: [join(repository, "cli/heddle.mjs"), ...args], folder: repository };
    running.set(part, await launchHeddle({ ...program, name: part, env: { ...settings, ...own } }));
  }
  function profileSettings(part: PartName): Record<string, string> {
    const port = part === "profile-0" ? ports[0] : ports[1];
    return { HEDDLE_LOG_LANES: "8", HEDDLE_LOG_PARTITIONS: "2", HEDDLE_PROFILE_RPC_PORT: String(port) };
  }
  function gatewaySettings(): Record<string, string> {
    return {
      HEDDLE_PROFILE_URL: ports.map((port) => `http://127.0.0.1:${port}`).join(),
      HEDDLE_HTTP_PORT: String(gatewayPort),
      HEDDLE_DATA_DIR: join(folder, "data"),
    };
  }
  async function kill(part: PartName): Promise<void> {
    const process = running.get(part);
    process?.kill("SIGKILL");
    await process?.ended;
  }
  await Promise.all([launch("profile-0"), launch("profile-1")]);
  await launch("gateway");
  return {
    url,
    post: (path, body, call = {}) => callHeddle(url, { method: "POST", path, body, key: demoKey, ...call }),
    get: (path) => callHeddle(url, { method: "GET", path, key: demoKey }),
    kill,
    start: launch,
    freeze: (part) => running.get(part)?.kill("SIGSTOP"),
    thaw: (part) => running.get(part)?.kill("SIGCONT"),
    killProfile: (at) => kill(at === 0 ? "profile-0" : "profile-1"),
    startProfile: (at) => launch(at === 0 ? "profile-0" : "profile-1"),
    output: () => [...running.values()].map((part) => part.output().slice(-4_000)).join("\n"),
    async close() {
      for (const part of partNames) {
        running.get(part)?.kill("SIGTERM");
        await running.get(part)?.ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** As they are ended. */
export const partNames = ["gateway", "profile-0", "profile-1"] as const;
export type PartName = (typeof partNames)[number];

export interface Mesh {
  /** Of the gateway. */
  readonly url: string;
  post(path: string, body: unknown, call?: CallOptions): Promise<Answer>;
  get(path: string): Promise<Answer>;
  kill(part: PartName): Promise<void>;
  /** Resolves when it listens, which waits for the servers that it needs. */
  start(part: PartName): Promise<void>;
  /** It stands still until `thaw`, as under a hypervisor that stops it. */
  freeze(part: PartName): void;
  thaw(part: PartName): void;
  killProfile(at: number): Promise<void>;
  startProfile(at: number): Promise<void>;
  /** What the processes printed last. */
  output(): string;
  close(): Promise<void>;
}
