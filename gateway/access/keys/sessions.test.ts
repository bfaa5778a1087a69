/** Sessions of browsers over who may call: good on every gateway, for their hours, until their key or their root is another. */
import { setImmediate } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { openSqliteDocuments } from "../../../platform/documents/sqlite.ts";
import { limits } from "../../../platform/limits.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { seal } from "../../../platform/sealed-token.ts";
import { createKey, revokeKey, rotateKey } from "./keys.ts";
import { endSessions, openSession } from "./sessions.ts";
import { openAccess } from "../store/store.ts";

const open: { close(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** Two gateways on one store, with a workspace and a key. */
async function twoGateways() {
  const clock = fakeClock();
  const database = openDatabase({ path: ":memory:", clock, logger: silentLogger });
  open.push(database);
  const documents = await openSqliteDocuments({ database, space: "access", clock });
  const gateways = await Promise.all([1, 2].map(() => openAccess({ documents, clock, logger: silentLogger, installation: "heddle" })));
  open.push(...gateways);
  const [one, two] = gateways;
  if (one === undefined || two === undefined) throw new Error("Expected two gateways");
  await one.transact(() => ({
    writes: [
      { put: "company", row: { id: "co", name: "co", onboardedAt: "2026-01-01" } },
      { put: "workspace", row: { id: "ws", companyId: "co", name: "ws", plan: { kind: "standard" }, currencyRates: {}, apps: [] } },
    ],
    result: undefined,
  }));
  const made = await createKey(one, { workspaceId: "ws", name: "key", permissions: ["console.view"], ipAllow: [] });
  return { clock, one, two, id: made.key.id, secret: made.secret };
}

test("a session that one gateway opened is good on another, until its hours are over", async () => {
  const { clock, one, two, id, secret } = await twoGateways();
  const { token, expiresAt } = await openSession(one, { id, secret });
  await two.refresh();
  expect(two.findSession(token)?.holder.key.id).toBe(id);
  expect(JSON.stringify(two.findSession(token))).not.toMatch(/digest|sessionRoot/);
  expect(expiresAt).toBe(clock.now() + limits.consoleSessionMs);
  clock.advance(limits.consoleSessionMs);
  expect(one.findSession(token)).toBeUndefined();
});

test("one that another gateway has just begun is waited for; a token that is none waits no longer", async () => {
  const { clock, one, two, id, secret } = await twoGateways();
  const { token } = await openSession(one, { id, secret });
  expect(two.findSession(token)).toBeUndefined();
  const waiting = [token, token, "none"].map((sent) => two.awaitSession(sent));
  // The look of who came first, and the next, which the others share
  for (let look = 0; look < 2; look += 1) {
    await setImmediate();
    clock.advance(limits.accessMissMs);
    await waiting[look];
  }
  await Promise.all(waiting);
  expect([token, "none"].map((sent) => two.findSession(sent)?.holder.key.id)).toEqual([id, undefined]);
  // Known by now: nothing to wait for
  await two.awaitSession(token);
});

test("a key that was just made elsewhere is found once it is waited for; one that there is not costs no read of its own", async () => {
  const { clock, one, two } = await twoGateways();
  const { secret } = await createKey(one, { workspaceId: "ws", name: "new", permissions: ["*"], ipAllow: [] });
  expect(two.findApiKey(secret)).toBeUndefined();
  const waiting = [two.awaitKey(), two.awaitKey(), two.awaitKey()];
  for (let look = 0; look < 2; look += 1) {
    await setImmediate();
    clock.advance(limits.accessMissMs);
    await waiting[look];
  }
  await Promise.all(waiting);
  expect(two.findApiKey(secret)?.key.name).toBe("new");
});

test("opening a second one writes nothing, and a key that is rotated keeps its sessions as long as itself", async () => {
  const { clock, one, id, secret } = await twoGateways();
  const first = await openSession(one, { id, secret });
  const rows = one.rows();
  const second = await openSession(one, { id, secret });
  expect(one.rows()).toBe(rows);
  expect(second.token).not.toBe(first.token);
  await rotateKey(one, id, 1_000);
  expect(one.findSession(first.token)?.holder.key.id).toBe(id);
  clock.advance(1_000);
  expect(one.findSession(first.token)).toBeUndefined();
});

test("another root ends every session of the key, and so does its revocation", async () => {
  const { one, id, secret } = await twoGateways();
  const sessions = [await openSession(one, { id, secret }), await openSession(one, { id, secret })];
  await endSessions(one, id);
  expect(sessions.map(({ token }) => one.findSession(token))).toEqual([undefined, undefined]);
  const { token } = await openSession(one, { id, secret });
  expect(one.findSession(token)).toBeDefined();
  await revokeKey(one, id);
  expect(one.findSession(token)).toBeUndefined();
});

test("who has the rows of the store, and no secret, makes no session", async () => {
  const { clock, one, id, secret } = await twoGateways();
  await openSession(one, { id, secret });
  const row = one.rows().keys.find((key) => key.id === id);
  const bytes = Buffer.from(row?.sessionRoot ?? "", "base64url");
  for (const guess of ["", id, row?.digest ?? ""]) {
    const forged = JSON.stringify({ secret: guess, expiresAt: clock.now() + 1_000 });
    expect(one.findSession(seal({ id: 1, bytes }, { purpose: "console session 1", owner: id }, forged))).toBeUndefined();
  }
  expect(JSON.stringify(one.rows())).not.toContain(secret);
});
