/** What every driver of the access store must do, sentence by sentence of its two ports; a driver joins by passing it. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import type { Access } from "../access.ts";
import type { AccessAdmin } from "../admin/admin.ts";
import { parseDeclaration } from "../declaration/declaration.ts";
import { declare } from "../declare/declare.ts";
import { createKey, revokeKey, rotateKey } from "../keys/keys.ts";
import { createToken, revokeToken } from "../keys/tokens.ts";

/** An empty store, the processes that open it, and the clock that they all follow. */
export interface AccessUnderTest {
  /** As another process would. */
  open(): Promise<Access & AccessAdmin>;
  readonly clock: { now(): number; advance(ms: number): void };
  /** Everything that the store keeps, as text. */
  atRest(): Promise<string>;
  /** From now on the store does not answer. */
  lose(): Promise<void>;
  dispose(): Promise<void>;
}

const clientKey = "a-key-clients-already-have";
const clientToken = "a-token-we-already-hand-out";
const file = `
companies:
  - name: acme
    onboardedAt: 2021-01-02
    scimTokens: [{ name: idp, origin: okta, secret: ${clientToken} }]
    permissionSets: [{ name: readers }]
    workspaces:
      - name: demo
        id: ws-demo
        plan: { kind: monthly_active_users, requestsPerHour: 50, requestsPerSecondBurst: 5 }
        currencyRates: { EUR: "1.080" }
        apps: [{ id: app-1, name: Wéb }]
        teams: [{ name: sales }]
        subscriptionGroups: [{ id: g-1, name: News, channel: email }]
        apiKeys: [{ name: all, permissions: ["*"], secret: ${clientKey}, ipAllow: [10.0.0.0/8] }]
`;

export function describeAccess(driver: string, make: () => Promise<AccessUnderTest>): void {
  describe(`access contract: ${driver}`, () => {
    let under: AccessUnderTest;
    let access: Access & AccessAdmin;
    beforeEach(async () => {
      under = await make();
      access = await under.open();
    });
    afterEach(() => under.dispose());

    const web = { workspaceId: "ws-demo", name: "web", permissions: ["users.track"], ipAllow: [] };

    test("holds nobody before anything is declared", () => {
      expect(access.rows()).toEqual({ companies: [], workspaces: [], keys: [], tokens: [], declared: [] });
      expect(access.findApiKey(clientKey)).toBeUndefined();
    });

    test("findApiKey() finds a declared secret with its workspace and company, and nothing for another text", async () => {
      await declare(access, parseDeclaration(file));
      expect(access.findApiKey(clientKey)).toMatchObject({
        key: { name: "all", permissions: ["*"], ipAllow: ["10.0.0.0/8"], revokedAt: null },
        workspace: {
          id: "ws-demo",
          plan: { kind: "monthly_active_users", requestsPerHour: 50, requestsPerSecondBurst: 5 },
          currencyRates: { EUR: "1.08" },
          apps: [{ id: "app-1", name: "Wéb" }],
        },
        company: { name: "acme", onboardedAt: "2021-01-02" },
      });
      for (const wrong of ["", clientKey.slice(0, -1), clientKey.toUpperCase(), clientToken, "__proto__"]) {
        expect(access.findApiKey(wrong)).toBeUndefined();
      }
      expect(access.workspace("ws-demo")?.name).toBe("demo");
    });

    test("findScimToken() finds a token with its company's directory, and no API key", async () => {
      await declare(access, parseDeclaration(file));
      const holder = access.findScimToken(clientToken);
      expect(holder?.token).toMatchObject({ origin: "okta", originHeader: "required", defaultWorkspaceId: "" });
      expect(holder?.directory.workspaces).toMatchObject([{ id: "ws-demo", name: "demo", teams: [{ name: "sales" }] }]);
      expect(holder?.directory.permissionSets).toMatchObject([{ name: "readers" }]);
      expect(access.findScimToken(clientKey)).toBeUndefined();
      const { token } = await createToken(access, { ...holder?.token, companyId: holder?.company.id, name: "second" } as never);
      expect((await revokeToken(access, token.id)).revokedAt).not.toBeNull();
    });

    test("declared() gives the things of one kind of one workspace", async () => {
      await declare(access, parseDeclaration(file));
      expect(access.declared("ws-demo", "subscription_group")).toEqual([
        { workspaceId: "ws-demo", kind: "subscription_group", id: "g-1", content: { name: "News", channel: "email" } },
      ]);
      expect(access.declared("ws-other", "subscription_group")).toEqual([]);
    });

    test("keeps no secret, only its SHA-256", async () => {
      await declare(access, parseDeclaration(file));
      const { secret } = await createKey(access, web);
      const kept = await under.atRest();
      expect(kept).toContain("ws-demo");
      for (const hidden of [secret, clientKey, clientToken]) expect(kept).not.toContain(hidden);
    });

    test("rows() are the same, in the same order, for whoever opens the store", async () => {
      await declare(access, parseDeclaration(file));
      for (const name of ["b", "a", "c"]) await createKey(access, { ...web, name });
      const other = await under.open();
      expect(other.rows()).toEqual(access.rows());
      expect(other.rows().keys).toHaveLength(4);
    });

    test("applying the same file twice changes nothing; prune removes what it does not name", async () => {
      await declare(access, parseDeclaration(file));
      const before = access.rows();
      const again = await declare(access, parseDeclaration(file));
      expect(again.changes.map(({ action }) => action)).toEqual(again.changes.map(() => "unchanged"));
      expect(access.rows()).toEqual(before);
      await createKey(access, web);
      await declare(access, parseDeclaration(file), { prune: true });
      expect(access.rows()).toEqual(before);
    });

    test("another process sees a change within the refresh time, also a revocation", async () => {
      const command = await under.open();
      await declare(command, parseDeclaration(file));
      expect(access.findApiKey(clientKey)).toBeUndefined();
      await seen(() => access.findApiKey(clientKey) !== undefined);
      await revokeKey(command, access.findApiKey(clientKey)?.key.id ?? "");
      expect(command.findApiKey(clientKey)).toBeUndefined();
      await seen(() => access.findApiKey(clientKey) === undefined);
      expect(limits.accessRefreshMs * 2).toBeLessThan(1_000);
    });

    test("awaitCurrent() reads what others wrote while no request came", async () => {
      await declare(access, parseDeclaration(file));
      const command = await under.open();
      under.clock.advance(limits.accessRestAfterMs);
      // One after the other, so the look that the clock began is over
      await access.refresh();
      await new Promise((resolve) => setImmediate(resolve));
      await revokeKey(command, command.findApiKey(clientKey)?.key.id ?? "");
      const current = access.awaitCurrent();
      expect(current).toBeInstanceOf(Promise);
      await current;
      expect(access.findApiKey(clientKey)).toBeUndefined();
    });

    test("refresh() reads what others wrote at once", async () => {
      const command = await under.open();
      await declare(command, parseDeclaration(file));
      await access.refresh();
      expect(access.findApiKey(clientKey)).toBeDefined();
    });

    test("serves the last known set while the store is away", async () => {
      await declare(access, parseDeclaration(file));
      await under.lose();
      for (let turn = 0; turn < 4; turn += 1) await turnOfTheClock();
      expect(access.findApiKey(clientKey)).toBeDefined();
      await expect(createKey(access, web)).rejects.toBeInstanceOf(Error);
      expect(access.rows().keys).toHaveLength(1);
    });

    test("close() stops looking for changes", async () => {
      const command = await under.open();
      access.close();
      await declare(command, parseDeclaration(file));
      for (let turn = 0; turn < 4; turn += 1) await turnOfTheClock();
      expect(access.findApiKey(clientKey)).toBeUndefined();
    });

    test("createKey() makes a key with our prefix that works at once, and refuses a name twice", async () => {
      await declare(access, parseDeclaration(file));
      const { key, secret } = await createKey(access, web);
      expect(secret).toMatch(/^hdl_[0-9A-Za-z]{36}$/);
      expect(access.findApiKey(secret)?.key).toEqual(key);
      expect(access.findApiKey(`${secret.slice(0, -1)}${secret.endsWith("a") ? "b" : "a"}`)).toBeUndefined();
      await expect(createKey(access, web)).rejects.toThrow(/named "web" already/);
      await expect(createKey(access, { ...web, workspaceId: "none" })).rejects.toThrow(/No workspace/);
    });

    test("rotateKey() lets the old key live for the overlap and no longer", async () => {
      await declare(access, parseDeclaration(file));
      const first = await createKey(access, web);
      const second = await rotateKey(access, first.key.id, 60_000);
      under.clock.advance(59_999);
      expect(access.findApiKey(first.secret)).toBeDefined();
      under.clock.advance(1);
      expect(access.findApiKey(first.secret)).toBeUndefined();
      expect(access.findApiKey(second.secret)).toBeDefined();
      const third = await rotateKey(access, second.key.id);
      under.clock.advance(600_000);
      expect(access.findApiKey(second.secret)).toBeDefined();
      await revokeKey(access, second.key.id);
      expect(access.findApiKey(second.secret)).toBeUndefined();
      expect(access.findApiKey(third.secret)).toBeDefined();
      await expect(rotateKey(access, second.key.id)).rejects.toThrow(/revoked/);
    });

    test("transact() writes all or nothing, and names and secrets stay unique", async () => {
      await declare(access, parseDeclaration(file));
      const before = access.rows();
      const company = { id: "c2", name: "other", onboardedAt: "2026-01-01" };
      const twin = { id: "c3", name: "acme", onboardedAt: "2026-01-01" };
      const writes = [{ put: "company", row: company }, { put: "company", row: twin }] as const;
      await expect(access.transact(() => ({ writes, result: undefined }))).rejects.toThrow(/exists already/);
      const [key] = before.keys;
      const stolen = [{ put: "key", row: { ...key, id: "k2", name: "thief" } }] as never;
      await expect(access.transact(() => ({ writes: stolen, result: undefined }))).rejects.toThrow(/exists already/);
      const thrown = new Error("The plan said no");
      await expect(access.transact(() => {
        throw thrown;
      })).rejects.toBe(thrown);
      await access.refresh();
      expect(access.rows()).toEqual(before);
    });

    test("transact() of several processes at once loses no write and gives no name twice", async () => {
      await declare(access, parseDeclaration(file));
      const others = [access, await under.open(), await under.open()];
      const made = await Promise.allSettled(
        others.flatMap((one, at) => [createKey(one, { ...web, name: `own-${at}` }), createKey(one, { ...web, name: "same" })]),
      );
      const done = made.filter(({ status }) => status === "fulfilled").length;
      await access.refresh();
      const names = access.rows().keys.map(({ name }) => name);
      expect(names.filter((name) => name === "same")).toHaveLength(1);
      expect(done).toBe(names.length - 1);
      expect(done).toBe(others.length + 1);
    });

    test("uses hold the hour in which a key was used last, whichever process saw it", async () => {
      const other = await under.open();
      const hour = under.clock.now() - under.clock.now() % limits.keyUseMs;
      for (let uses = 0; uses < 100; uses += 1) access.uses.note("key_1");
      other.uses.note("key_2");
      under.clock.advance(limits.keyUseWriteMs);
      await expect.poll(async () => [...await other.uses.list()].toSorted()).toEqual([["key_1", hour], ["key_2", hour]]);
      under.clock.advance(limits.keyUseMs);
      other.uses.note("key_1");
      under.clock.advance(limits.keyUseWriteMs);
      await expect.poll(async () => (await access.uses.list()).get("key_1")).toBe(hour + limits.keyUseMs);
    });

    async function turnOfTheClock(): Promise<void> {
      under.clock.advance(limits.accessRefreshMs);
      // What was asked of the store comes back in turns of the loop
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }

    /** Within one refresh of the clock; what the store itself takes is waited for. */
    async function seen(condition: () => boolean): Promise<void> {
      under.clock.advance(limits.accessRefreshMs);
      await expect.poll(condition).toBe(true);
    }
  });
}
