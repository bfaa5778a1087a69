/** A pod without a certificate reaches nothing: each part's port, with the settings of the production overlay, before all kinds of strangers. */
import { connect as connectHttp2, type SecureClientSessionOptions } from "node:http2";
import { connect as connectSocket } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { meshParts } from "../../cli/target/mesh-parts.ts";
import { keepingLogger, servePart } from "../../platform/rpc/part.fixture.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { openProductionFiles, type ProductionFiles } from "./production-files.ts";
import { readPart } from "./settings.ts";
import { describeWithTools } from "./with-tools.ts";

await describeWithTools(["kustomize"], "RPC ports of deploy/overlays/production", () => {
  let files: ProductionFiles;
  beforeAll(async () => {
    files = await openProductionFiles();
  });
  afterAll(() => files.remove());

  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  describe.each([...meshParts.keys()])("%s", (part) => {
    let calls = 0;
    /** Serves reflection too, so that a stranger who was heard would get the contract. */
    async function serve(): Promise<{ port: number; lines: unknown[][] }> {
      calls = 0;
      const { rpc } = await readPart(part, files.environmentOf(part));
      if (!rpc) throw new Error(`"${part}" serves no RPC`);
      const logger = keepingLogger();
      const server = await servePart({ trackUsers: () => ({ position: String(calls += 1) }) }, {
        ...rpc,
        host: "127.0.0.1",
        port: 0,
        callers: new Map([[ProfileService.typeName, rpc.callers]]),
        reflection: true,
        logger,
      });
      closing.push(() => server.close(100));
      return { port: server.port, lines: logger.lines };
    }

    test.each(["gateway", "operator"])("the %s is answered", async (caller) => {
      const { port } = await serve();
      const tls = { ca: files.authority.cert, ...files.authority.issue(`DNS:${caller}`) };
      expect(await Promise.all(paths.map((path) => overHttp2(port, { path, tls })))).toEqual(paths.map(() => 200));
      expect(await overHttp1(port, { path: paths[0], tls })).toMatch(/^HTTP\/1.1 200/);
      expect(calls).toBe(2);
    });

    test.each<[string, (files: ProductionFiles) => { cert?: string; key?: string }]>([
      ["without a certificate", () => ({})],
      ["with a certificate of another authority", ({ other }) => other.issue("DNS:gateway")],
      ["with a certificate that has expired", ({ authority }) => authority.issue("DNS:gateway", { days: -1 })],
    ])("a client %s reaches no RPC, no health and no reflection", async (_, certificate) => {
      const { port, lines } = await serve();
      const tls = { ca: files.authority.cert, ...certificate(files) };
      for (const path of paths) {
        expect(await overHttp2(port, { path, tls }), path).toBe("nothing");
        expect(await overHttp1(port, { path, tls }), path).toBe("");
      }
      expect(calls).toBe(0);
      expect(lines.filter(([, event]) => event === "rpc_handshake_refused")).toHaveLength(2 * paths.length);
    });

    test("a client in plain text reaches no RPC, no health and no reflection", async () => {
      const { port } = await serve();
      for (const path of paths) {
        expect(await overHttp2(port, { path }), path).toBe("nothing");
        expect(await overHttp1(port, { path }), path).not.toMatch(/^HTTP/);
      }
      expect(calls).toBe(0);
    });

    test("a part of another name is heard and may call nothing", async () => {
      const { port } = await serve();
      const tls = { ca: files.authority.cert, ...files.authority.issue("DNS:stranger") };
      expect(await overHttp2(port, { path: paths[0], tls })).toBe(403);
      expect(calls).toBe(0);
    });
  });

  /** The status of an answer, or "nothing". */
  function overHttp2(port: number, { path, tls }: Asked): Promise<number | "nothing"> {
    const session = connectHttp2(`${tls ? "https" : "http"}://localhost:${port}`, tls as SecureClientSessionOptions);
    closing.push(() => session.destroy());
    return new Promise((resolve) => {
      session.once("error", () => resolve("nothing")).once("close", () => resolve("nothing"));
      const isStream = path.endsWith("Info");
      const type = isStream ? "application/grpc" : "application/json";
      const stream = session.request({ ":method": "POST", ":path": path, "content-type": type, te: "trailers" });
      stream.once("response", (headers) => resolve(headers[":status"] as number));
      stream.on("error", () => resolve("nothing"));
      stream.end(isStream ? "" : "{}");
    });
  }

  /** All that came. */
  async function overHttp1(port: number, { path, tls }: Asked): Promise<string> {
    const socket = tls ? connectTls({ host: "localhost", port, ...tls, ALPNProtocols: ["http/1.1"] }) : connectSocket(port, "localhost");
    closing.push(() => socket.destroy());
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`;
    socket.write(head);
    let text = "";
    try {
      for await (const chunk of socket) text += String(chunk);
    } catch {
      // Cut off: what came so far is the answer
    }
    return text;
  }
});

interface Asked {
  readonly path: string;
  readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string };
}

const paths = [
  "/heddle.profile.v1.ProfileService/TrackUsers",
  "/grpc.health.v1.Health/Check",
  "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
] as const;
