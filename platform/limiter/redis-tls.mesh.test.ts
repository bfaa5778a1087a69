/** The limiter over TLS to a real Redis that asks for a certificate too. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RedisServer, startRedis } from "../../test/servers/redis.ts";
import { describeWith } from "../../test/servers/require.ts";
import { systemClock } from "../clock.ts";
import { silentLogger } from "../logger.ts";
import { type Authority, certificateFolder, openAuthority } from "../rpc/certificates.fixture.ts";
import { openRedisLimiter, type RedisLimiterOptions } from "./redis.ts";
import { take } from "./take.fixture.ts";

/** So long that nothing refills during a test. */
const bucket = { capacity: 1_000, windowMs: 3_600_000 };

await describeWith(["redis"], "openRedisLimiter() over TLS", () => {
  const folder = certificateFolder();
  let authority: Authority;
  let other: Authority;
  let server: RedisServer;
  beforeAll(async () => {
    authority = openAuthority(folder.path, "authority");
    other = openAuthority(folder.path, "other");
    server = await startRedis({ tls: filesOf({ ca: authority.cert, ...authority.issue("IP:127.0.0.1") }) });
  });
  afterAll(async () => {
    await server?.stop();
    folder.remove();
  });

  function filesOf(texts: { ca: string; cert: string; key: string }): { ca: string; cert: string; key: string } {
    function file(name: "ca" | "cert" | "key"): string {
      const path = join(folder.path, `redis-${name}.pem`);
      writeFileSync(path, texts[name]);
      return path;
    }
    return { ca: file("ca"), cert: file("cert"), key: file("key") };
  }

  async function isShared(tls: RedisLimiterOptions["tls"], url = server.url): Promise<boolean> {
    const limiter = await openRedisLimiter({ url, ...(tls && { tls }), clock: systemClock, logger: silentLogger });
    await take(limiter, "limit:{w}:tls", { bucket, cost: 1 });
    const { shared } = limiter;
    await limiter.close();
    return shared;
  }

  test("shares buckets where each side is vouched for", async () => {
    const own = authority.issue("DNS:gateway");
    await expect.poll(() => isShared({ ca: authority.cert, ...own })).toBe(true);
  });

  test("goes on alone without a certificate, with one of another authority, and with a server of another one", async () => {
    expect(await isShared({ ca: authority.cert })).toBe(false);
    expect(await isShared({ ca: authority.cert, ...other.issue("DNS:gateway") })).toBe(false);
    expect(await isShared({ ca: other.cert, ...authority.issue("DNS:gateway") })).toBe(false);
  });

  test("says nothing in the clear", async () => {
    expect(await isShared(undefined, server.url.replace("rediss:", "redis:"))).toBe(false);
  });
});
