/** Stands in for test/heddle.ts when the black-box suite talks to a mesh that runs already: each start is a declaration of its own there. */
import { execFileSync } from "node:child_process";
import { env } from "node:process";
import { setTimeout } from "node:timers/promises";
import { callHeddle, type CallOptions } from "../../client.ts";
import { demoDeclaration, demoKey } from "../../declaration.ts";
import type { Heddle, StartOptions } from "../../heddle.ts";
import { isHere, meshCommand } from "./mesh-command.ts";
import { leave, names } from "./this-file.ts";

export { repository } from "../../heddle.ts";
export const testRuntime = "node";
export const testShape = "mesh";
export { demoDeclaration, demoKey };

const url = env.HEDDLE_TEST_URL ?? "";
const publicUrl = env.HEDDLE_TEST_PUBLIC_URL || url;
const foreign = "a mesh that runs already: its processes are not the test's to end or start";
const unread = "a mesh that runs already: what its processes print and keep is not here to read";

const send = globalThis.fetch;
/** Gateways hear of a declaration within a second; the rest is for a busy machine. */
const heardMsMax = 3_000;
let declaredAt = Number.NEGATIVE_INFINITY;

/** Whatever a test asks with a declared secret is asked with that of this run, and again while a gateway may not know it yet. */
globalThis.fetch = async (input, options) => {
  if (typeof input === "string") input = reached(input);
  const headers = new Headers(options?.headers);
  const given = headers.get("authorization") ?? "";
  const authorization = names.authorization(given);
  if (authorization === given) return await send(input, options);
  headers.set("authorization", authorization);
  for (;;) {
    const answer = await send(input, { ...options, headers });
    if (answer.status !== 401 || performance.now() > declaredAt + heardMsMax) return answer;
    await setTimeout(50);
  }
};

/** A link to a person's page stands at the mesh's public address; tests reach it at another. */
function reached(target: string): string {
  const { pathname, search } = new URL(target);
  return pathname.startsWith("/preferences/") ? url + pathname + search : target;
}

/** Declares companies and secrets under names that no other run has. Settings stay as they are: what needs others is in left.ts. */
export function startHeddle(options: StartOptions = {}): Promise<Heddle> {
  const { program, args, env: variables } = meshCommand(["apply", "-f", "-"]);
  const input = names.declared(options.apply ?? demoDeclaration);
  execFileSync(program, args, { input, env: variables, stdio: ["pipe", "ignore", "pipe"] });
  declaredAt = performance.now();
  return Promise.resolve({
    url,
    publicUrl,
    key: names.secret(demoKey),
    commandEnv: Object.fromEntries(Object.entries(env).filter(([name]) => isHere && name.startsWith("HEDDLE_"))) as Record<string, string>,
    get pid() {
      return 0;
    },
    get dataDir() {
      leave(unread);
      return "";
    },
    get dataFolders() {
      leave(unread);
      return [];
    },
    request: (method: string, path: string, body?: unknown, call: CallOptions = {}) =>
      callHeddle(url, { method, path, body, key: demoKey, ...call }),
    output() {
      leave(unread);
      return "";
    },
    kill: unable,
    signal: () => leave(foreign),
    restartPart: unable,
    get mesh() {
      leave(foreign);
      return { parts: new Map(), killPart: unable, startPart: unable };
    },
    startGateway: unable,
    ended: unable,
    restart: unable,
    stop: () => Promise.resolve(0),
    close: () => Promise.resolve(0),
  });
}

async function unable(): Promise<never> {
  leave(foreign);
  throw new Error(foreign);
}

export function heddleCommand(): never {
  throw new Error("A test cannot run the server's own commands before a mesh that runs already");
}
