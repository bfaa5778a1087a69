/** What a gateway says of the parts behind it. */
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import { limits } from "../limits.ts";
import { silentLogger } from "../logger.ts";
import { type RpcServer, serveRpc } from "./server.ts";
import { type PartsWatch, watchParts } from "./watch-parts.ts";

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function part(ready: () => boolean = () => true): Promise<RpcServer> {
  const server = await serveRpc({
    routes: [],
    host: "127.0.0.1",
    port: 0,
    callers: new Map(),
    clock: systemClock,
    logger: silentLogger,
    health: () => ({ ready: ready() }),
  });
  opened.push(() => server.close(0));
  return server;
}

async function watch(parts: Readonly<Record<string, readonly RpcServer[]>>): Promise<PartsWatch> {
  const peers = Object.entries(parts).map(([name, servers]) => [name, { addresses: servers.map(({ url }) => url) }] as const);
  const watching = await watchParts(new Map(peers), systemClock);
  opened.push(() => watching.close());
  return watching;
}

test("watchParts() is ready at once when one process of each part is", async () => {
  const gone = await part();
  await gone.close(0);
  const watching = await watch({ profile: [gone, await part()], scim: [await part()] });
  expect(watching.health()).toEqual({ ready: true });
});

test("watchParts() names every part of which no process is ready, and hears that it is back", async () => {
  let ready = false;
  const watching = await watch({ profile: [await part()], subscription: [await part(() => ready)], scim: [await part(() => ready)] });
  expect(watching.health()).toEqual({ ready: false, reason: "No subscription and no scim process is ready" });
  ready = true;
  await expect.poll(() => watching.health()).toEqual({ ready: true });
});

test("watchParts() hears that a part went away", async () => {
  const server = await part();
  const watching = await watch({ profile: [server] });
  await server.close(0);
  const patient = { timeout: 5 * limits.partsReadyLookMs };
  await expect.poll(() => watching.health(), patient).toEqual({ ready: false, reason: "No profile process is ready" });
});
