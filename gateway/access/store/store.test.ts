/** Access over documents: the contract on tables of the mesh in memory, and what it does when writers meet or outcomes are unknown. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { memorySession } from "../../../platform/cassandra/memory-session.fixture.ts";
import { recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { openCassandraDocuments } from "../../../platform/documents/cassandra.ts";
import { limits } from "../../../platform/limits.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { describeAccess } from "./access-contract.ts";
import type { Access } from "../access.ts";
import { parseDeclaration } from "../declaration/declaration.ts";
import { declare } from "../declare/declare.ts";
import { createKey, revokeKey, rotateKey } from "../keys/keys.ts";
import { openAccessNotices } from "./notices.ts";
import { openSession } from "../keys/sessions.ts";
import { accessLayout, type AccessOptions, openAccess } from "./store.ts";
import { createToken, revokeToken, rotateToken } from "../keys/tokens.ts";

const schema = [readFileSync(join(import.meta.dirname, "../schema/schema.cql"), "utf8")];
const file = `companies: [{ name: acme, workspaces: [{ name: demo, id: ws }] }]`;
const web = { workspaceId: "ws", name: "web", permissions: ["*"], ipAllow: [] };
const opened: Access[] = [];
afterEach(() => opened.splice(0).forEach((access) => access.close()));

function store() {
  const clock = fakeClock();
  const inner = memorySession(schema);
  const session = recordingSession(schema, inner.session);
  async function open(more: Partial<AccessOptions> = {}) {
    const access = await openAccess({
      documents: openCassandraDocuments({ session, layout: accessLayout, clock }),
      clock,
      logger: silentLogger,
      installation: "heddle",
      ...more,
    });
    opened.push(access);
    return access;
  }
  return { clock, inner, session, open };
}

describeAccess("Cassandra, in memory", async () => {
  const { clock, inner, open } = store();
  return {
    clock,
    open,
    atRest: () => Promise.resolve(inner.dump()),
    lose: () => Promise.resolve(void (inner.state.away = true)),
    dispose: () => Promise.resolve(opened.splice(0).forEach((access) => access.close())),
  };
});

test("openAccess() refuses to open without the store: nobody would be known", async () => {
  const { inner, open } = store();
  inner.state.away = true;
  await expect(open()).rejects.toThrow(Refusal);
});

test("openAccess() keeps installations apart that share a keyspace", async () => {
  const { open } = store();
  const one = await open();
  const other = await open({ installation: "other" });
  await declare(one, parseDeclaration(file));
  await other.refresh();
  expect(other.rows().companies).toEqual([]);
});

test("uses are written once an hour, however often a key is used and whichever gateway saw it", async () => {
  const { clock, session, open } = store();
  const [one, other] = [await open(), await open()];
  const writes = () => session.calls.filter(([first]) => !first?.cql.startsWith("SELECT")).length;
  const useKey = (by: typeof one) => {
    by.uses.note("key_1");
    clock.advance(limits.keyUseWriteMs);
  };
  const before = writes();
  useKey(one);
  await expect.poll(async () => (await one.uses.list()).size).toBe(1);
  useKey(one);
  const reads = session.calls.length;
  useKey(other);
  await expect.poll(() => session.calls.length).toBeGreaterThan(reads);
  expect(writes() - before).toBe(1);
  clock.advance(limits.keyUseMs);
  useKey(other);
  await expect.poll(() => writes() - before).toBe(2);
});

test("transact() writes nothing on a version that is no longer there, and plans again", async () => {
  const { session, open } = store();
  const one = await open();
  const other = await open();
  await declare(one, parseDeclaration(file));
  const begun = session.calls.length;
  const release = session.block(({ cql }) => cql.startsWith("UPDATE"));
  let plans = 0;
  const slow = one.transact((rows, now) => {
    plans += 1;
    return { writes: [{ put: "company", row: { id: `c${rows.companies.length}`, name: "second", onboardedAt: String(now) } }], result: 0 };
  });
  const quick = createKey(other, web);
  await expect.poll(() => session.calls.slice(begun).filter(([first]) => first?.cql.startsWith("UPDATE")).length).toBe(2);
  release();
  await Promise.all([slow, quick]);
  await one.refresh();
  expect(one.rows().companies).toHaveLength(2);
  expect(one.rows().keys).toHaveLength(1);
  expect(plans).toBeLessThanOrEqual(2);
});

test("transact() finds out what became of a write whose outcome is unknown", async () => {
  const { session, open } = store();
  const access = await open();
  await declare(access, parseDeclaration(file));
  const isUpdate = ({ cql }: { cql: string }) => cql.startsWith("UPDATE");
  session.failNext(isUpdate, new Refusal("OUTCOME_UNKNOWN"), "after");
  const { key } = await createKey(access, web);
  expect(access.rows().keys.map(({ id }) => id)).toEqual([key.id]);
  session.failNext(isUpdate, new Refusal("OUTCOME_UNKNOWN"), "before");
  await expect(createKey(access, { ...web, name: "lost" })).rejects.toMatchObject({ reason: "OUTCOME_UNKNOWN" });
  expect(access.rows().keys).toHaveLength(1);
});

test("transact() gives the result of what was written, also where the store is away right after", async () => {
  const { session, open } = store();
  const access = await open();
  await declare(access, parseDeclaration(file));
  const begun = session.calls.length;
  const isWritten = () => session.calls.slice(begun).some(([first]) => first?.cql.startsWith("UPDATE"));
  session.failNext(({ cql }) => cql.startsWith("SELECT DISTINCT") && isWritten(), new Refusal("STORE_UNAVAILABLE"));
  const { secret } = await createKey(access, web);
  await access.refresh();
  expect(access.findApiKey(secret)?.key.name).toBe("web");
});

test("a revocation holds at once on a gateway whose clock is behind", async () => {
  const { clock, open } = store();
  const behind = { ...clock, now: () => clock.now() - 3_600_000 };
  const command = await open();
  const gateway = await open({ clock: behind });
  await declare(command, parseDeclaration(file));
  const { key, secret } = await createKey(command, web);
  await revokeKey(command, key.id);
  await gateway.refresh();
  expect(gateway.rows().keys).toHaveLength(1);
  expect(gateway.findApiKey(secret)).toBeUndefined();
});

test("what a clock that is ahead revoked stays revoked once another wrote", async () => {
  const { clock, open } = store();
  const ahead = await open({ clock: { ...clock, now: () => clock.now() + 60_000 } });
  const gateway = await open();
  await declare(gateway, parseDeclaration(`companies: [{ name: acme, id: co, workspaces: [{ name: demo, id: ws }] }]`));
  const { key, secret } = await createKey(gateway, web);
  const session = await openSession(gateway, { id: key.id, secret });
  const former = await createKey(gateway, { ...web, name: "rotated" });
  const idp = { companyId: "co", name: "idp", origin: "okta", originHeader: "required", defaultWorkspaceId: "", ipAllow: [] } as const;
  const token = await createToken(gateway, idp);
  const formerToken = await createToken(gateway, { ...idp, name: "rotated" });
  await revokeKey(ahead, key.id);
  await rotateKey(ahead, former.key.id, 0);
  await revokeToken(ahead, token.token.id);
  await rotateToken(ahead, formerToken.token.id, 0);
  await createKey(gateway, { ...web, name: "later" });
  expect(gateway.findApiKey(secret)).toBeUndefined();
  expect(gateway.findSession(session.token)).toBeUndefined();
  expect(gateway.findApiKey(former.secret)).toBeUndefined();
  expect(gateway.findScimToken(token.secret)).toBeUndefined();
  expect(gateway.findScimToken(formerToken.secret)).toBeUndefined();
});

test("revoking ends what ends by itself later, also where a clock that is ahead says that it did", async () => {
  const { clock, open } = store();
  const ahead = await open({ clock: { ...clock, now: () => clock.now() + 60_000 } });
  const gateway = await open();
  await declare(gateway, parseDeclaration(file));
  const { key, secret } = await createKey(gateway, web);
  await rotateKey(gateway, key.id, 30_000);
  const revoked = await revokeKey(ahead, key.id);
  await createKey(gateway, { ...web, name: "later" });
  expect(gateway.findApiKey(secret)).toBeUndefined();
  expect(await revokeKey(gateway, key.id)).toEqual(revoked);
});

test("a notice makes the others read at once, without any turn of the clock", async () => {
  const { open } = store();
  const listeners = new Set<(body: Uint8Array) => void>();
  const bus = {
    tried: Promise.resolve(),
    publish: (_subject: string, body: Uint8Array) => listeners.forEach((listener) => listener(body)),
    subscribe(_subject: string, listener: (body: Uint8Array) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const notices = openAccessNotices(bus, "heddle-access");
  const gateway = await open({ notices });
  const command = await open({ notices });
  await declare(command, parseDeclaration(file));
  await expect.poll(() => gateway.rows().companies).toHaveLength(1);
  gateway.close();
  expect(listeners.size).toBe(1);
});

test("a set larger than a page is read whole", async () => {
  const { open } = store();
  const access = await open();
  await declare(access, parseDeclaration(file));
  const row = { ...web, createdAt: 0, revokedAt: null };
  const many = Array.from(
    { length: 2_500 },
    (_, at) => ({ put: "key", row: { ...row, id: `k${at}`, name: `k${at}`, digest: `${at}` } }) as const,
  );
  await access.transact(() => ({ writes: many, result: undefined }));
  expect((await open()).rows().keys).toHaveLength(2_500);
});
