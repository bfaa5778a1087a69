/** What parts with the settings of the production overlay say to a server that speaks no TLS, or is of another authority: nothing. */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type MeshGatewayConfig, readMeshGatewayConfig } from "../../cli/run/serve-gateway.ts";
import { openCassandra } from "../../platform/cassandra/driver.ts";
import { systemClock } from "../../platform/clock.ts";
import { readConfig } from "../../platform/config.ts";
import { openRedisLimiter } from "../../platform/limiter/redis.ts";
import { connectJetStream } from "../../platform/log/jetstream-connection.ts";
import { silentLogger } from "../../platform/logger.ts";
import type { Pair } from "../../platform/rpc/certificates.fixture.ts";
import { openProductionFiles, type ProductionFiles, thisMachine } from "./production-files.ts";
import { describeWithTools } from "./with-tools.ts";

/** Speaks to a server at a port of this machine, until it is answered or gives up. */
const clients: Record<string, { speak(config: MeshGatewayConfig, port: number): Promise<void>; greeting: object | undefined }> = {
  NATS: {
    // The server speaks first, and says whether it takes TLS
    greeting: { server_id: "s", version: "2.12.2", proto: 1, max_payload: 1_048_576, headers: true, jetstream: true },
    async speak({ access: { nats } }, port) {
      if (!nats) throw new Error("Expected an address of NATS");
      await connectJetStream({ ...nats, servers: [`nats://localhost:${port}`], logger: silentLogger }).catch(() => {});
    },
  },
  Cassandra: {
    greeting: undefined,
    async speak({ access: { store } }, port) {
      const session = openCassandra({ ...store.cassandra, contactPoints: [`127.0.0.1:${port}`], deadlineMs: 2_000 }, systemClock);
      await session.execute({ cql: "SELECT release_version FROM system.local", values: {} }).catch(() => {});
      await session.close();
    },
  },
  Redis: {
    greeting: undefined,
    speak: ({ redisUrl, redisTls }, port) => askRedis(at(redisUrl, port), redisTls),
  },
};

await describeWithTools(["kustomize"], "clients of deploy/overlays/production", () => {
  let files: ProductionFiles;
  let config: MeshGatewayConfig;
  beforeAll(async () => {
    files = await openProductionFiles();
    config = readConfig(files.environmentOf("gateway"), readMeshGatewayConfig);
  });
  afterAll(() => files.remove());

  const servers: Recorder[] = [];
  afterEach(() => servers.splice(0).forEach((server) => server.close()));

  async function record(options: RecorderOptions): Promise<Recorder> {
    const server = await startRecorder(options);
    servers.push(server);
    return server;
  }

  describe.each(Object.entries(clients))("%s", (_, { speak, greeting }) => {
    test("a server of the authority is spoken to", async () => {
      const server = await record({ greeting, pair: files.authority.issue(thisMachine) });
      const spoken = speak(config, server.port);
      await expect.poll(() => server.heard()).not.toBe("");
      server.close();
      await spoken;
    });

    test("a server that speaks no TLS is told nothing but the offer of it", async () => {
      const server = await record({ greeting });
      await speak(config, server.port);
      expect(server.connections()).toBeGreaterThan(0);
      // The first byte of a handshake is 22
      expect(server.pieces().filter((piece) => piece[0] !== 22)).toEqual([]);
      expect(server.heard()).not.toMatch(/gateway-credentials|CONNECT|AUTH|CQL_VERSION/);
    });

    test("a server of another authority is told nothing", async () => {
      const server = await record({ greeting, pair: files.other.issue(thisMachine) });
      await speak(config, server.port);
      expect(server.connections()).toBeGreaterThan(0);
      expect(server.heard()).toBe("");
    });
  });

  test("Redis: with an authority even an address that begins with redis:// is asked over TLS alone", async () => {
    const server = await record({ greeting: undefined });
    await askRedis(at(config.redisUrl, server.port).replace("rediss:", "redis:"), config.redisTls);
    expect(server.connections()).toBeGreaterThan(0);
    expect(server.pieces().filter((piece) => piece[0] !== 22)).toEqual([]);
  });
});

async function askRedis(url: string, tls: MeshGatewayConfig["redisTls"]): Promise<void> {
  const limiter = await openRedisLimiter({ url, ...(tls && { tls }), clock: systemClock, logger: silentLogger });
  await limiter.close();
}

function at(address: string, port: number): string {
  const url = new URL(address);
  url.host = `127.0.0.1:${port}`;
  return url.href;
}

interface RecorderOptions {
  /** Sent in the clear before anything else, as NATS does. */
  readonly greeting: object | undefined;
  /** Speaks TLS with this certificate. */
  readonly pair?: Pair;
}

interface Recorder {
  readonly port: number;
  connections(): number;
  pieces(): readonly Buffer[];
  /** What was understood: with TLS, what came through it. */
  heard(): string;
  close(): void;
}

/** Answers nothing and notes all that it receives. */
async function startRecorder({ greeting, pair }: RecorderOptions): Promise<Recorder> {
  const pieces: Buffer[] = [];
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    if (greeting) socket.write(`INFO ${JSON.stringify({ ...greeting, ...(pair && { tls_required: true }) })}\r\n`);
    const heard = pair ? new TLSSocket(socket, { isServer: true, secureContext: createSecureContext({ ...pair }) }) : socket;
    heard.on("error", () => {});
    heard.on("data", (piece: Buffer) => {
      pieces.push(piece);
      // No server waits for ever for what it does not understand
      if (!pair) socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => sockets.length,
    pieces: () => pieces,
    heard: () => Buffer.concat(pieces).toString("latin1"),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
