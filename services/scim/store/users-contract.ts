/** What every store of users promises; each driver passes the same suite. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Clock } from "../../../platform/clock.ts";
import type { IdempotencyEntry, LogEntry, UserChange, Users } from "../domain/ports.ts";
import type { User } from "../domain/user.ts";
import { someUser } from "../domain/user.fixture.ts";
import type { ScimDocuments } from "./documents.ts";
import { openOutbox } from "./outbox.ts";
import { openRequestLog } from "./request-log.ts";
import { openUsers } from "./users.ts";

export interface OpenScim {
  readonly documents: ScimDocuments;
  /** Some hours after the times of the entries. */
  readonly clock: Clock;
  close(): Promise<void>;
}

/** All that is over the documents. */
export function over({ documents, clock, close }: OpenScim) {
  return { users: openUsers(documents), outbox: openOutbox(documents), log: openRequestLog(documents, clock), close };
}

const at = Date.UTC(2026, 0, 1);

/** A user with the name `key@x.de`, in the first company unless another is named. */
function named(key: string, values: Partial<User> = {}): User {
  const { externalId: _, ...user } = someUser();
  return { ...user, id: `id-${key}`, userName: `${key}@x.de`, userNameKey: `${key}@x.de`, revision: 1, ...values };
}

function created(user: User, more: Partial<UserChange> = {}): UserChange {
  return { companyId: user.companyId, after: user, ...more };
}

function entry(user: User): LogEntry {
  return {
    companyId: user.companyId,
    at,
    requestId: "r",
    tokenId: "t",
    origin: "o",
    method: "POST",
    target: "/",
    outcome: "created",
    userId: user.id,
  };
}

export function describeUsers(driver: string, open: () => Promise<OpenScim>): void {
  describe(`users (${driver})`, () => {
    let store: ReturnType<typeof over>;
    beforeEach(async () => {
      store = over(await open());
    });
    afterEach(() => store.close());

    async function waiting(): Promise<string[]> {
      return (await store.outbox.next("co-1", { limit: 9 })).map(({ event }) => event.eventId);
    }
    async function add(...keys: string[]): Promise<void> {
      for (const key of keys) expect(await store.users.commit(created(named(key)))).toBe("committed");
    }

    test("byId(), byUserName() and byExternalId() give back what was committed, to its own company only", async () => {
      const user = named("ann", { externalId: "x-1" });
      await store.users.commit(created(user));
      expect(await store.users.byId("co-1", user.id)).toEqual(user);
      expect(await store.users.byUserName("co-1", "ann@x.de")).toEqual(user);
      expect(await store.users.byExternalId("co-1", "x-1")).toEqual([user]);
      expect(await store.users.byId("co-2", user.id)).toBeUndefined();
      expect(await store.users.byUserName("co-2", "ann@x.de")).toBeUndefined();
      expect(await store.users.byExternalId("co-2", "x-1")).toEqual([]);
      expect(await store.users.byId("co-1", "' OR 1=1 --")).toBeUndefined();
    });

    test("commit() gives a name to one of many who claim it at once, per company", async () => {
      const claims = Array.from({ length: 100 }, (_, at) => created(named("ann", { id: `id-${at}` })));
      const outcomes = await Promise.all(claims.map((claim) => store.users.commit(claim)));
      expect(outcomes.filter((outcome) => outcome === "committed")).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === "name_taken")).toHaveLength(99);
      expect(await store.users.commit(created(named("ann", { companyId: "co-2" })))).toBe("committed");
      expect((await store.users.census("co-1")).users).toBe(1);
    });

    test("commit() changes and removes only the user it was planned on", async () => {
      const before = named("ann");
      await store.users.commit(created(before));
      const after = { ...before, displayName: "A", revision: 2 };
      expect(await store.users.commit({ companyId: "co-1", before, after })).toBe("committed");
      expect(await store.users.commit({ companyId: "co-1", before, after: { ...after, displayName: "B" } })).toBe("changed");
      expect(await store.users.commit({ companyId: "co-1", before })).toBe("changed");
      expect(await store.users.byId("co-1", before.id)).toEqual(after);
      expect(await store.users.commit({ companyId: "co-1", before: after })).toBe("committed");
      expect(await store.users.commit({ companyId: "co-1", before: after })).toBe("changed");
      expect(await store.users.byId("co-1", before.id)).toBeUndefined();
      expect(await store.users.commit(created(named("ann", { id: "another" })))).toBe("committed");
    });

    test("commit() moves a user to another externalId and away from it", async () => {
      const before = named("ann", { externalId: "one" });
      await store.users.commit(created(before));
      const { externalId: _, ...rest } = before;
      await store.users.commit({ companyId: "co-1", before, after: { ...rest, revision: 2 } });
      expect(await store.users.byExternalId("co-1", "one")).toEqual([]);
    });

    test("commit() writes event, log and mark with the change, or none of them", async () => {
      const user = named("ann");
      const event = { eventId: "e-1", companyId: "co-1", userId: user.id, userName: user.userName, deletedAt: at };
      const remember: IdempotencyEntry = {
        requestHash: "r1",
        bodyHash: "b1",
        answer: { userJson: "{}", id: user.id, etag: "e" },
        expiresAt: at + 86_400_000,
      };
      expect(await store.users.commit(created(user, { event, remember, log: entry(user) }))).toBe("committed");
      expect(await waiting()).toEqual(["e-1"]);
      expect((await store.log.newest({ companyId: "co-1", limit: 9 })).map(({ userId, outcome }) => [userId, outcome])).toEqual([[
        user.id,
        "created",
      ]]);
      expect(await store.users.remembered("co-1", "r1", at)).toEqual(remember);
      const again = created(named("ann", { id: "other" }), {
        event: { ...event, eventId: "e-2" },
        log: entry(user),
        remember: { ...remember, requestHash: "r2" },
      });
      expect(await store.users.commit(again)).toBe("name_taken");
      expect(await waiting()).toEqual(["e-1"]);
      expect(await store.log.newest({ companyId: "co-1", limit: 9 })).toHaveLength(1);
      expect(await store.users.remembered("co-1", "r2", at)).toBeUndefined();
    });

    test("commit() takes a mark once, within its company and its time", async () => {
      const remember: IdempotencyEntry = {
        requestHash: "r",
        bodyHash: "b",
        answer: { userJson: "{}", id: "i", etag: "e" },
        expiresAt: at + 86_400_000,
      };
      expect(await store.users.commit(created(named("ann"), { remember, log: entry(named("ann")) }))).toBe("committed");
      expect(await store.users.commit(created(named("bob"), { remember, log: entry(named("bob")) }))).toBe("repeated");
      expect(await store.users.byUserName("co-1", "bob@x.de")).toBeUndefined();
      expect(await store.users.remembered("co-2", "r", at)).toBeUndefined();
      expect(await store.users.remembered("co-1", "r", remember.expiresAt)).toBeUndefined();
      const later = { ...remember, expiresAt: remember.expiresAt + 86_400_000 };
      const log = { ...entry(named("bob")), at: remember.expiresAt };
      expect(await store.users.commit(created(named("bob"), { remember: later, log }))).toBe("committed");
    });

    test("page() gives users by name, forwards and backwards, after a key, of one company", async () => {
      await add("d", "a", "c", "b", "é");
      await store.users.commit(created(named("zz", { companyId: "co-2" })));
      async function names(from: Parameters<Users["page"]>[1]): Promise<string[]> {
        return (await store.users.page("co-1", from)).map((user) => user.userNameKey.slice(0, 1));
      }
      expect(await names({ descending: false, limit: 9 })).toEqual(["a", "b", "c", "d", "é"]);
      expect(await names({ descending: false, limit: 2 })).toEqual(["a", "b"]);
      expect(await names({ descending: false, limit: 2, after: "b@x.de" })).toEqual(["c", "d"]);
      expect(await names({ descending: false, limit: 2, after: "bb" })).toEqual(["c", "d"]);
      expect(await names({ descending: true, limit: 9 })).toEqual(["é", "d", "c", "b", "a"]);
      expect(await names({ descending: true, limit: 2, after: "c@x.de" })).toEqual(["b", "a"]);
      expect(await names({ descending: false, limit: 2, after: "é@x.de" })).toEqual([]);
    });

    test("skip() gives the key a number of places further", async () => {
      await add("a", "b", "c", "d");
      expect(await store.users.skip("co-1", { descending: false, count: 1 })).toBe("a@x.de");
      expect(await store.users.skip("co-1", { descending: false, count: 4 })).toBe("d@x.de");
      expect(await store.users.skip("co-1", { descending: false, count: 5 })).toBeUndefined();
      expect(await store.users.skip("co-1", { descending: false, count: 2, after: "b@x.de" })).toBe("d@x.de");
      expect(await store.users.skip("co-1", { descending: true, count: 2 })).toBe("c@x.de");
    });

    test("census() counts users and changes of each company", async () => {
      expect(await store.users.census("co-1")).toEqual({ users: 0, changes: 0 });
      await add("a", "b");
      const first = await store.users.census("co-1");
      expect(first.users).toBe(2);
      await store.users.commit({ companyId: "co-1", before: named("a") });
      const second = await store.users.census("co-1");
      expect(second.users).toBe(1);
      expect(second.changes).toBeGreaterThan(first.changes);
      expect((await store.users.census("co-2")).users).toBe(0);
    });

    test("next() and done() give events in order until they went out", async () => {
      for (const [place, key] of ["a", "b", "c"].entries()) {
        const user = named(key);
        const event = { eventId: `e-${place}`, companyId: "co-1", userId: user.id, userName: user.userName, deletedAt: at };
        await store.users.commit(created(user));
        await store.users.commit({ companyId: "co-1", before: user, event });
      }
      expect(await waiting()).toEqual(["e-0", "e-1", "e-2"]);
      const first = await store.outbox.next("co-1", { limit: 1 });
      expect(first[0]?.event).toEqual({ eventId: "e-0", companyId: "co-1", userId: "id-a", userName: "a@x.de", deletedAt: at });
      expect(await store.outbox.next("co-1", { limit: 1, above: first[0]?.id ?? "" })).toMatchObject([{ event: { eventId: "e-1" } }]);
      await store.outbox.done(first);
      expect(await waiting()).toEqual(["e-1", "e-2"]);
    });

    test("append() and newest() keep each company's own requests", async () => {
      const entries = ["a", "b", "c"].map((key, place) => ({ ...entry(named(key)), at: at + place }));
      await store.log.append([...entries, entry(named("z", { companyId: "co-2" }))]);
      expect(await store.log.newest({ companyId: "co-1", limit: 2 })).toEqual([entries[2], entries[1]]);
      expect(await store.log.newest({ companyId: "co-1", limit: 9, about: "id-a" })).toEqual([entries[0]]);
      expect(await store.log.newest({ companyId: "co-2", limit: 9 })).toHaveLength(1);
      expect(await store.log.newest({ companyId: "co-3", limit: 9 })).toEqual([]);
    });
  });
}
