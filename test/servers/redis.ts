/** A real redis-server that keeps an append-only file. */
import { provision } from "./provision.ts";
import { freePorts, type Server, startServer } from "./server-process.ts";

export async function startRedis(options: { folder?: string } = {}): Promise<RedisServer> {
  const { found, missing } = await provision("redis");
  if (!found) throw new Error(missing);
  const [port = 0] = await freePorts(1);
  const server = await startServer({
    name: "redis-server",
    port,
    startMsMax: 20_000,
    ready: /Ready to accept connections/,
    command: (folder) => [
      found.program,
      "--port",
      String(port),
      "--bind",
      "127.0.0.1",
      "--dir",
      folder,
      "--daemonize",
      "no",
      "--appendonly",
      "yes",
      "--appendfsync",
      "everysec",
      "--save",
      "",
      "--maxmemory-policy",
      "noeviction",
    ],
  }, options.folder);
  return Object.assign(server, { port, url: `redis://127.0.0.1:${port}` });
}

export type RedisServer = Server & { readonly port: number; readonly url: string };
