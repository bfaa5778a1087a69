/** The real system behind the player: a server process that is killed without warning and comes back on the same folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { Agent, request as httpRequest } from "node:http";
import { join } from "node:path";
import { type Answer, NoAnswer, type System } from "./player.ts";

export interface RealSystem extends System {
  /** How often the process was killed. */
  readonly crashes: number;
  stop(): Promise<void>;
}

/** Crashes asked for within this time of the last are the same crash: many histories share the process. */
const crashEveryMs = 1_000;
const attemptsMax = 200;

export async function startSystem(options: { folder: string; plant?: string }): Promise<RealSystem> {
  let server = await spawnServer(options);
  let crashes = 0;
  let lastCrash = 0;
  let coming: Promise<void> | undefined;
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });

  async function restart(): Promise<void> {
    const old = server.child;
    const gone = new Promise((resolve) => old.once("exit", resolve));
    old.kill("SIGKILL");
    await gone;
    server = await spawnServer(options);
    crashes++;
    lastCrash = performance.now();
  }

  return {
    get crashes() {
      return crashes;
    },
    async request(method, path, { body, idempotencyKey }) {
      for (let attempt = 1;; attempt++) {
        await coming;
        const answer = await send({
          agent,
          url: path.startsWith("/report/") ? server.reportUrl : server.url,
          method,
          path,
          body,
          idempotencyKey,
        }).catch(() => undefined);
        if (answer && answer.status !== 503) return answer;
        if (isWrite(path) && idempotencyKey === undefined) throw new NoAnswer(`${method} ${path}`);
        if (attempt >= attemptsMax) throw new Error(`${method} ${path} had no answer in ${attemptsMax} attempts`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    async crash() {
      if (performance.now() - lastCrash < crashEveryMs) return;
      coming ??= restart().finally(() => (coming = undefined));
      await coming;
    },
    async stop() {
      await coming;
      const gone = new Promise((resolve) => server.child.once("exit", resolve));
      server.child.kill("SIGKILL");
      await gone;
      agent.destroy();
    },
  };
}

function isWrite(path: string): boolean {
  return !path.startsWith("/users/export/") && !path.startsWith("/users/merge/status/");
}

interface Server {
  readonly child: ChildProcess;
  readonly url: string;
  readonly reportUrl: string;
}

function spawnServer(options: { folder: string; plant?: string }): Promise<Server> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "server.ts"), options.folder, options.plant ?? ""], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve, reject) => {
    let text = "";
    child.once("exit", (code) => reject(new Error(`The server ended with ${code}`)));
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const [, url, reportUrl] = /listening on (\S+) and (\S+)\n/.exec(text) ?? [];
      if (url !== undefined && reportUrl !== undefined) resolve({ child, url, reportUrl });
    });
  });
}

interface Sending {
  readonly agent: Agent;
  readonly url: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
}

function send({ agent, url, method, path, body, idempotencyKey }: Sending): Promise<Answer> {
  const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const headers = {
    authorization: "Bearer any",
    ...(payload ? { "content-type": "application/json", "content-length": payload.length } : {}),
    ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest(url + path, { agent, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString() || "{}") }));
    });
    request.once("error", reject);
    request.end(payload);
  });
}
