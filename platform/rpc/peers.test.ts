/** Processes that a name stands for: found, followed, and not forgotten while lookups of the name fail. */
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { callPart, servePart } from "./part.fixture.ts";
import { openPeers, type Peers } from "./peers.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Lookups answer what `addresses` holds. */
function named(addresses: { found: readonly string[] | undefined }) {
  const clock = fakeClock();
  const removed: string[] = [];
  const peers = openPeers({
    addresses: ["dns+http://parts:9101"],
    clock,
    removed: ({ url }) => removed.push(url),
    lookup: () => addresses.found ? Promise.resolve(addresses.found) : Promise.reject(new Error("nobody knows")),
  });
  closing.push(() => peers.close());
  async function lookAgain(): Promise<readonly string[]> {
    await settled();
    clock.advance(limits.rpcLookupMs);
    await settled();
    return urlsOf(peers);
  }
  return { peers, clock, removed, lookAgain };
}

function urlsOf(peers: Peers): string[] {
  return peers.current().map(({ url }) => url);
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
}

test("openPeers() takes addresses as they are, each once, and throws for none", () => {
  const peers = openPeers({ addresses: ["http://a:1", "http://b:1", "http://a:1"], clock: fakeClock() });
  closing.push(() => peers.close());
  expect(urlsOf(peers)).toEqual(["http://a:1", "http://b:1"]);
  expect(() => openPeers({ addresses: [], clock: fakeClock() })).toThrow("Expected an address, got none");
});

test("openPeers() follows a name, IPv6 too", async () => {
  const addresses = { found: ["10.0.0.2", "10.0.0.1", "10.0.0.2"] };
  const { peers, removed, lookAgain } = named(addresses);
  expect(urlsOf(peers)).toEqual(["http://parts:9101"]);
  expect(await lookAgain()).toEqual(["http://10.0.0.1:9101", "http://10.0.0.2:9101"]);
  const [, second] = peers.current();
  addresses.found = ["10.0.0.2", "fd00::3"];
  expect(await lookAgain()).toEqual(["http://10.0.0.2:9101", "http://[fd00::3]:9101"]);
  expect(peers.current()[0]).toBe(second);
  expect(removed).toEqual(["http://parts:9101", "http://10.0.0.1:9101"]);
});

test("openPeers() keeps the last addresses while the name stands for nothing", async () => {
  const addresses: { found: readonly string[] | undefined } = { found: ["10.0.0.1"] };
  const { lookAgain } = named(addresses);
  expect(await lookAgain()).toEqual(["http://10.0.0.1:9101"]);
  addresses.found = [];
  expect(await lookAgain()).toEqual(["http://10.0.0.1:9101"]);
  addresses.found = undefined;
  expect(await lookAgain()).toEqual(["http://10.0.0.1:9101"]);
});

test("openPeers() gives a process that comes back the connection it had, and a new one when that was given up", async () => {
  const addresses = { found: ["10.0.0.1", "10.0.0.2"] };
  const { peers, clock, lookAgain } = named(addresses);
  await lookAgain();
  const [first] = peers.current();
  addresses.found = ["10.0.0.2"];
  await lookAgain();
  addresses.found = ["10.0.0.1", "10.0.0.2"];
  await lookAgain();
  expect(peers.current()[0]).toBe(first);
  addresses.found = ["10.0.0.2"];
  await lookAgain();
  clock.advance(limits.rpcDeadlineMsMax);
  addresses.found = ["10.0.0.1", "10.0.0.2"];
  await lookAgain();
  expect(urlsOf(peers)[0]).toBe("http://10.0.0.1:9101");
  expect(peers.current()[0]).not.toBe(first);
});

test("connectClient() calls every process that has the name", async () => {
  const server = await servePart({ trackUsers: () => ({ position: "here" }) });
  closing.push(() => server.close(0));
  const { client, close } = callPart([`dns+http://127.0.0.1:${server.port}`], { clock: systemClock });
  closing.push(close);
  expect(await client.trackUsers({})).toMatchObject({ position: "here" });
});
