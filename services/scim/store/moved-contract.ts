/** What a backup may rely on with every store of dashboard users. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import type { Outbox } from "../domain/outbox.ts";
import type { LogEntry, Remembered, RequestLog, UserDeleted, Users } from "../domain/ports.ts";
import type { User } from "../domain/user.ts";
import { someUser } from "../domain/user.fixture.ts";
import type { ScimMove, ScimRows } from "./moved-rows.ts";

export interface ScimMoveDriver {
  readonly move: ScimMove;
  readonly users: Users;
  readonly outbox: Outbox;
  readonly log: RequestLog;
  /** Of its clock, Unix milliseconds. */
  readonly now: number;
  close(): Promise<void>;
}

function named(key: string, values: Partial<User> = {}): User {
  return {
    ...someUser(),
    id: `id-${key}`,
    userName: `${key}@x.de`,
    userNameKey: `${key}@x.de`,
    externalId: `e-${key}`,
    revision: 7,
    ...values,
  };
}

export function describeScimMove(driver: string, open: () => Promise<ScimMoveDriver>): void {
  describe(`a move of dashboard users (${driver})`, () => {
    let store: ScimMoveDriver;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    /** All that is read of the companies, the pieces put together. */
    async function read(...companyIds: string[]) {
      const pieces: ScimRows[] = [];
      for await (const rows of store.move.read(new Set(companyIds))) pieces.push(rows);
      return {
        users: pieces.flatMap(({ users = [] }) => users).toSorted((one, other) => (one.id < other.id ? -1 : 1)),
        events: pieces.flatMap(({ events = [] }) => events),
        log: pieces.flatMap(({ log }) => log ? [...log.entries] : []),
        remembered: pieces.flatMap(({ remembered = [] }) => remembered),
        census: pieces.flatMap(({ census }) => census ? [census] : []),
      };
    }
    function entry(place: number): LogEntry {
      const asked = { requestId: `r-${place}`, tokenId: "t", origin: "o", method: "GET", target: "/", outcome: "", status: 404 };
      return { companyId: "co-1", at: store.now - 10_000 + place, ...asked };
    }
    function event(userId: string): UserDeleted {
      return { eventId: `e-${userId}`, companyId: "co-1", userId, userName: "gone@x.de", deletedAt: store.now };
    }
    function mark(requestHash: string, leftMs: number): Remembered {
      return { requestHash, bodyHash: "b", answer: { userJson: "{}", id: "i", etag: "e" }, expiresAt: store.now + leftMs };
    }

    test("read() gives what write() brought, once, in order, and nothing of other companies", async () => {
      const count = limits.movedRowsPerPage + 20;
      const users = Array.from({ length: count }, (_, at) => named(String(at).padStart(3, "0")));
      const entries = Array.from({ length: 60 }, (_, place) => entry(place));
      const events = ["a", "b", "c"].map(event);
      const remembered = [mark("m-1", 60_000)];
      const census = { users: count, changes: 500 };
      for (const rows of [{ users }, { events }, { remembered: [...remembered, mark("m-2", -1)] }, { census }]) {
        await store.move.write({ companyId: "co-1", ...rows });
      }
      await store.move.write({ companyId: "co-1", log: { first: 1, entries: entries.slice(0, 40) } });
      await store.move.write({ companyId: "co-1", log: { first: 41, entries: entries.slice(40) } });
      await store.move.write({ companyId: "co-2", users: [named("other", { companyId: "co-2" })] });
      const found = await read("co-1");
      expect(found).toMatchObject({ users, events, log: entries, remembered });
      expect(found.census).toMatchObject([{ users: count }]);
      expect(found.census[0]?.changes).toBeGreaterThanOrEqual(500);
      expect((await read("co-3")).users).toEqual([]);
      expect((await read("co-1", "co-2")).users).toHaveLength(count + 1);
    });

    test("write() again changes nothing that is read", async () => {
      const pieces: Omit<ScimRows, "companyId">[] = [
        { users: [named("a"), named("b")] },
        { events: [event("x"), event("y")] },
        { log: { first: 1, entries: [entry(1), entry(2)] } },
        { remembered: [mark("m", 60_000)] },
        { census: { users: 2, changes: 9 } },
      ];
      for (const rows of pieces) await store.move.write({ companyId: "co-1", ...rows });
      const { census, ...before } = await read("co-1");
      for (const rows of [...pieces.slice(0, 3), ...pieces]) await store.move.write({ companyId: "co-1", ...rows });
      const after = await read("co-1");
      expect(after).toMatchObject(before);
      expect([census[0]?.users, after.census[0]?.users]).toEqual([2, 2]);
    });

    test("what was brought is found, changed, answered again and published as if it had been made here", async () => {
      const ann = named("ann");
      await store.move.write({ companyId: "co-1", users: [ann] });
      await store.move.write({ companyId: "co-1", events: [event("x"), event("y")] });
      await store.move.write({ companyId: "co-1", remembered: [mark("m", limits.idempotencyKeepMs)] });
      await store.move.write({ companyId: "co-1", census: { users: 1, changes: 3 } });
      expect(await store.users.byId("co-1", ann.id)).toEqual(ann);
      expect(await store.users.byUserName("co-1", ann.userNameKey)).toEqual(ann);
      expect(await store.users.byExternalId("co-1", "e-ann")).toEqual([ann]);
      expect(await store.users.remembered("co-1", "m", store.now)).toEqual(mark("m", limits.idempotencyKeepMs));
      expect((await store.outbox.next(9)).map(({ event: { userId } }) => userId)).toEqual(["x", "y"]);
      expect(await store.users.commit({ companyId: "co-1", after: named("ann", { id: "another" }) })).toBe("name_taken");
      const after = { ...ann, displayName: "Changed", revision: ann.revision + 1 };
      expect(await store.users.commit({ companyId: "co-1", before: ann, after })).toBe("committed");
      expect(await store.users.commit({ companyId: "co-1", before: after, event: event("z") })).toBe("committed");
      expect((await store.outbox.next(9)).map(({ event: { userId } }) => userId)).toEqual(["x", "y", "z"]);
      expect((await store.users.census("co-1")).users).toBe(0);
    });
  });
}
