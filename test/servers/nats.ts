/** A real nats-server with JetStream that fsyncs before it acknowledges. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { provision } from "./provision.ts";
import { freePorts, type Server, startServer } from "./server-process.ts";
import { withTimerSlack } from "./timer-slack.ts";

/**
 * `syncInterval` is what JetStream waits before an fsync; `storeBytesMax` is what it may keep on disk; `maxPayload` is what
 * a message may hold, headers included, until `allow` and a restart say something else.
 */
export async function startNats(options: NatsOptions = {}): Promise<NatsServer> {
  const { found, missing } = await provision("nats");
  if (!found) throw new Error(missing);
  const [port = 0] = options.cluster ? [options.cluster.port] : await freePorts(1);
  let folderOf = "";
  const server = await startServer({
    name: "nats-server",
    port,
    ready: /Server is ready/,
    command: (folder) => {
      folderOf = folder;
      return withTimerSlack([found.program, "-c", writeConfig({ ...options, port, folder })]);
    },
  }, options.folder);
  return Object.assign(server, {
    port,
    url: `nats://127.0.0.1:${port}`,
    allow: (maxPayload: number) => void writeConfig({ ...options, maxPayload, port, folder: folderOf }),
  });
}

function writeConfig(options: NatsOptions & { port: number; folder: string }): string {
  const config = join(options.folder, "nats.conf");
  writeFileSync(config, configOf(options));
  return config;
}

/** Streams reserve what they may grow to, and tests make many that stay small. */
const reservedBytesMax = 256 * 1024 ** 3;

function configOf(options: NatsOptions & { port: number; folder: string }): string {
  return `host: 127.0.0.1
port: ${options.port}
${options.maxPayload === undefined ? "" : `max_payload: ${options.maxPayload}\n`}server_name: heddle_test${
    options.cluster ? `_${options.port}\n${clusterOf(options.cluster)}` : ""
  }
${
    options.tls
      ? `tls { cert_file: "${options.tls.certFile}", key_file: "${options.tls.keyFile}", ca_file: "${options.tls.caFile}", verify: true }\n`
      : ""
  }jetstream {
  store_dir: ${JSON.stringify(join(options.folder, "store"))}
  max_file_store: ${options.storeBytesMax ?? reservedBytesMax}
  sync_interval: ${options.syncInterval ?? "always"}
}
${options.accounts ?? ""}
`;
}

function clusterOf({ routePort, routes }: NonNullable<NatsOptions["cluster"]>): string {
  return `cluster { name: heddle_test, listen: "127.0.0.1:${routePort}", routes: [${
    routes.map((port) => `"nats://127.0.0.1:${port}"`).join()
  }] }`;
}

export interface NatsOptions {
  readonly folder?: string;
  readonly syncInterval?: string;
  readonly storeBytesMax?: number;
  readonly maxPayload?: number;
  /** Who may do what, as it stands in the server's configuration. */
  readonly accounts?: string;
  /** Of a server of a cluster: its own ports, and those where the servers find each other. */
  readonly cluster?: { readonly port: number; readonly routePort: number; readonly routes: readonly number[] };
  /** Clients must have a certificate of the authority. */
  readonly tls?: { readonly caFile: string; readonly certFile: string; readonly keyFile: string };
}

export type NatsServer = Server & {
  readonly port: number;
  readonly url: string;
  /** What a message may hold from the next start on. */
  allow(maxPayload: number): void;
};
