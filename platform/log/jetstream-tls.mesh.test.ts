/** NATS with certificates of both sides. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type NatsServer, startNats } from "../../test/servers/nats.ts";
import { describeWith } from "../../test/servers/require.ts";
import { silentLogger } from "../logger.ts";
import { type Authority, certificateFolder, openAuthority } from "../rpc/certificates.fixture.ts";
import { connectJetStream } from "./jetstream-connection.ts";

await describeWith(["nats"], "connectJetStream() with certificates", () => {
  const folder = certificateFolder();
  let authority: Authority;
  let other: Authority;
  let server: NatsServer;
  beforeAll(async () => {
    [authority, other] = [openAuthority(folder.path, "authority"), openAuthority(folder.path, "other")];
    const own = authority.issue("DNS:localhost");
    const named = Object.entries({ ca: authority.cert, ...own }).map(([name, text]) => {
      const file = join(folder.path, `server-${name}`);
      writeFileSync(file, text);
      return [`${name}File`, file] as const;
    });
    server = await startNats({ tls: Object.fromEntries(named) as { caFile: string; certFile: string; keyFile: string } });
  });
  afterAll(async () => {
    await server?.stop();
    folder.remove();
  });

  // The client compares names of hosts and no addresses
  function connect(tls: { ca: string; cert?: string; key?: string }) {
    return connectJetStream({ servers: [`nats://localhost:${server.port}`], tls, logger: silentLogger });
  }

  test("takes whom the authority vouches for", async () => {
    const connection = await connect({ ca: authority.cert, ...authority.issue("DNS:profile") });
    expect(connection.serverVersion).toMatch(/^2[.]/);
    await connection.close();
  });

  test("refuses a caller without a certificate, and a server of another authority", async () => {
    await expect(connect({ ca: authority.cert })).rejects.toBeInstanceOf(Error);
    await expect(connect({ ca: other.cert, ...authority.issue("DNS:profile") })).rejects.toBeInstanceOf(Error);
  });
});
