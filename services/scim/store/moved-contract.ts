/** What a backup may rely on with every store of dashboard users. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import type { IdempotencyEntry, LogEntry, UserDeleted } from "../domain/ports.ts";
import type { User } from "../domain/user.ts";
import { someUser } from "../domain/user.fixture.ts";
import { scimMove } from "./moved.ts";
import { type OpenScim, over } from "./users-contract.ts";

function named(key: string, values: Partial<User> = {}): User {
  return { ...someUser(), id: `id-${key}`, userName: `${key}@x.de`, userNameKey: `${key}@x.de`, externalId: `e-${key}`, ...values };
}

export function describeScimMove(driver: string, open: () => Promise<OpenScim>): void {
  describe(`a move of dashboard users (${driver})`, () => {
    let from: OpenScim;
    let to: OpenScim;
    let store: ReturnType<typeof over>;
    beforeEach(async () => {
      [from, to] = [await open(), await open()];
      store = over(to);
    });
    afterEach(async () => {
      await from.close();
      await to.close();
    });

    async function move(...companyIds: string[]): Promise<void> {
      const target = scimMove(to.documents, to.clock);
      for await (const rows of scimMove(from.documents, from.clock).read(new Set(companyIds))) await target.write(rows);
    }
    function entry(place: number): LogEntry {
      const asked = { requestId: `r-${place}`, tokenId: "t", origin: "o", method: "GET", target: "/", outcome: "", status: 404 };
      return { companyId: "co-1", at: from.clock.now() - 10_000 + place, ...asked };
    }
    function event(userId: string): UserDeleted {
      return { eventId: `e-${userId}`, companyId: "co-1", userId, userName: "gone@x.de", deletedAt: 5 };
    }
    function mark(requestHash: string, leftMs: number): IdempotencyEntry {
      return { requestHash, bodyHash: "b", answer: { userJson: "{}", id: "i", etag: "e" }, expiresAt: from.clock.now() + leftMs };
    }
    /** A user that is deleted leaves an event. */
    async function deleteOne(key: string): Promise<void> {
      await over(from).users.commit({ companyId: "co-1", after: named(key) });
      await over(from).users.commit({ companyId: "co-1", before: named(key), event: event(key) });
    }

    test("what is moved is there once, in order, and nothing of other companies; moved again it is the same", async () => {
      const { users, log } = over(from);
      const all = Array.from({ length: 30 }, (_, at) => named(String(at).padStart(3, "0")));
      for (const after of all) await users.commit({ companyId: "co-1", after });
      await users.commit({ companyId: "co-2", after: named("other", { companyId: "co-2" }) });
      await users.commit({ companyId: "co-1", remember: mark("m-1", 60_000) });
      await users.commit({ companyId: "co-1", remember: mark("m-2", -1), log: { ...entry(90), at: from.clock.now() - 1 } });
      for (const key of ["a", "b", "c"]) await deleteOne(key);
      const entries = Array.from({ length: 60 }, (_, place) => entry(place));
      await log.append(entries);
      const { changes } = await users.census("co-1");
      for (const _ of [1, 2]) {
        await move("co-1");
        expect(await store.users.page("co-1", { descending: false, limit: 99 })).toEqual(all);
        expect((await store.log.newest({ companyId: "co-1", limit: 99 })).toReversed().slice(0, 60)).toEqual(entries);
        expect(await store.users.remembered("co-1", "m-1", to.clock.now())).toEqual(mark("m-1", 60_000));
        expect(await store.users.remembered("co-1", "m-2", 0)).toBeUndefined();
        expect((await store.outbox.next("co-1", { limit: 9 })).map((one) => one.event.userId)).toEqual(["a", "b", "c"]);
        const census = await store.users.census("co-1");
        expect(census.users).toBe(30);
        expect(census.changes).toBeGreaterThanOrEqual(changes);
        expect((await store.users.census("co-2")).users).toBe(0);
      }
    });

    test("what was brought is found, changed, answered again and published as if it had been made here", async () => {
      const ann = named("ann");
      await over(from).users.commit({ companyId: "co-1", after: ann, remember: mark("m", limits.idempotencyKeepMs) });
      for (const key of ["x", "y"]) await deleteOne(key);
      await move("co-1");
      expect(await store.users.byId("co-1", ann.id)).toEqual(ann);
      expect(await store.users.byUserName("co-1", ann.userNameKey)).toEqual(ann);
      expect(await store.users.byExternalId("co-1", "e-ann")).toEqual([ann]);
      expect(await store.users.remembered("co-1", "m", to.clock.now())).toEqual(mark("m", limits.idempotencyKeepMs));
      expect(await store.users.commit({ companyId: "co-1", after: named("ann", { id: "another" }) })).toBe("name_taken");
      const after = { ...ann, displayName: "Changed", revision: ann.revision + 1 };
      expect(await store.users.commit({ companyId: "co-1", before: ann, after })).toBe("committed");
      expect(await store.users.commit({ companyId: "co-1", before: after, event: event("z") })).toBe("committed");
      expect((await store.outbox.next("co-1", { limit: 9 })).map((one) => one.event.userId)).toEqual(["x", "y", "z"]);
      expect((await store.users.census("co-1")).users).toBe(0);
    });
  });
}
