/** A real redis-server that keeps an append-only file. */
import { setTimeout } from "node:timers/promises";
import { Redis } from "ioredis";
import { provision } from "./provision.ts";
import { freePorts, type Server, startServer } from "./server-process.ts";

/** PEM files: the server's own certificate, and the authority that its clients' must come from. */
export interface RedisTlsFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** With `tls` it speaks nothing else, and only to clients with a certificate; with `isCluster` it is a cluster of one node, which refuses what asks for keys of several slots. */
export async function startRedis(options: { folder?: string; tls?: RedisTlsFiles; isCluster?: boolean } = {}): Promise<RedisServer> {
  const { found, missing } = await provision("redis");
  if (!found) throw new Error(missing);
  const [port = 0, busPort = 0] = await freePorts(2);
  const server = await startServer({
    name: "redis-server",
    port,
    ready: /Ready to accept connections/,
    command: (folder) => [
      found.program,
      ...(options.tls ? tlsOptions(port, options.tls) : ["--port", String(port)]),
      ...(options.isCluster ? ["--cluster-enabled", "yes", "--cluster-port", String(busPort)] : []),
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
  if (options.isCluster) await ownAllSlots(port);
  return Object.assign(server, { port, url: `${options.tls ? "rediss" : "redis"}://127.0.0.1:${port}` });
}

async function ownAllSlots(port: number): Promise<void> {
  const node = new Redis(port, "127.0.0.1", { retryStrategy: () => 50, maxRetriesPerRequest: null });
  await node.call("CLUSTER", "ADDSLOTSRANGE", 0, 16_383);
  while (!/cluster_state:ok/.test(String(await node.call("CLUSTER", "INFO")))) await setTimeout(50);
  node.disconnect();
}

function tlsOptions(port: number, { ca, cert, key }: RedisTlsFiles): string[] {
  const files = ["--tls-ca-cert-file", ca, "--tls-cert-file", cert, "--tls-key-file", key];
  return ["--port", "0", "--tls-port", String(port), "--tls-auth-clients", "yes", ...files];
}

export type RedisServer = Server & { readonly port: number; readonly url: string };
