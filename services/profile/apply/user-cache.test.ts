/** The bounds of the cache and its order, users who come back from the texts of their rows, and who becomes an object. */
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import type { StoredUser } from "../domain/ports.ts";
import type { Profile } from "../domain/profile/profile.ts";
import { createUserCache, type UserCache, userCacheOptions } from "./user-cache.ts";

/** A row says no more than whose it is here. */
const form = { profileFromRow: (row: string) => ({ id: row }) as Profile, profileToRow: ({ id }: Profile) => id };

function user(row: string, rest: Partial<StoredUser> = {}): StoredUser {
  return { profile: row === "" ? undefined : form.profileFromRow(row), row, blocked: false, openMerges: [], ...rest };
}

function objectsAlone(bytesMax: number, entryBytes: number): UserCache {
  return createUserCache({ ...form, bytesMax, entryBytes, rowBytesMax: 0 });
}

function textsAlone(rowBytesMax: number): UserCache {
  return createUserCache({ ...form, bytesMax: 0, entryBytes: 1, rowBytesMax });
}

/** As get(), of whom the cache has as an object, too. */
function rowIn(cache: UserCache, workspaceId: string, id: string): string | undefined {
  return cache.get(workspaceId, id)?.profile?.id;
}

test("evict() drops what came first and was not read since, until the rest fits", () => {
  const cache = objectsAlone(30, 5);
  for (const id of ["a", "b", "c"]) cache.set("w", id, user("-----"));
  cache.get("w", "a");
  cache.set("w", "d", user("-----"));
  expect(cache.get("w", "b")).toBeDefined();
  cache.evict();
  expect(["a", "b", "c", "d"].filter((id) => cache.get("w", id) !== undefined)).toEqual(["a", "b", "d"]);
});

test("evict() goes on to the next of those who were read, and drops all of them in the end where none fits", () => {
  const cache = objectsAlone(0, 5);
  for (const id of ["a", "b"]) cache.set("w", id, user("-----"));
  for (const id of ["a", "b"]) cache.get("w", id);
  cache.evict();
  expect(["a", "b"].map((id) => cache.get("w", id))).toEqual([undefined, undefined]);
});

test.each([["an object", () => objectsAlone(1_000, 1)], ["a text", () => textsAlone(10_000)]])(
  "a user of another workspace with the same id is never given, nor deleted, where one is kept as %s",
  (_, make) => {
    const cache = make();
    cache.set("v", "a", user("of v"));
    expect(cache.get("w", "a")).toBeUndefined();
    cache.delete("w", "a");
    expect(rowIn(cache, "v", "a")).toBe("of v");
    cache.set("w", "a", user("of w"));
    expect([rowIn(cache, "v", "a"), rowIn(cache, "w", "a")]).toEqual([undefined, "of w"]);
  },
);

test("evict() counts a replaced or deleted user once", () => {
  const cache = objectsAlone(20, 0);
  cache.set("w", "a", user("-".repeat(20)));
  cache.set("w", "a", user("-".repeat(10)));
  cache.set("w", "b", user("-".repeat(30)));
  cache.delete("w", "b");
  cache.set("w", "c", user("-".repeat(10)));
  cache.evict();
  expect(["a", "b", "c"].map((id) => rowIn(cache, "w", id)?.length)).toEqual([10, undefined, 10]);
});

test("a user for whom there is no room as an object comes back from the row with all else that was stored, until that is the oldest, too", () => {
  const rowBytes = limits.profileRowEntryBytes + 1;
  const besideRows = 50;
  const cache = textsAlone(2 * rowBytes + besideRows);
  const stored = user("a", { blocked: true, openMerges: ["m"], mark: [7, 3] });
  cache.set("w", "a", stored);
  cache.set("w", "b", user("b"));
  cache.evict();
  expect(cache.get("w", "a")).toEqual(stored);
  expect(cache.get("w", "a")?.profile).not.toBe(stored.profile);
  cache.set("w", "a", stored);
  cache.set("w", "c", user("c"));
  cache.evict();
  expect(["a", "b", "c"].filter((id) => cache.get("w", id) !== undefined)).toEqual(["a", "c"]);
});

test("what is kept beside a row comes back from its text as it was, whatever is there", () => {
  const cache = textsAlone(100_000);
  const rests: Partial<StoredUser>[] = [{}, { blocked: true }, { openMerges: ["m1", "m2"] }, { mark: [0, 0] }, {
    openMerges: ["m"],
    mark: [2 ** 40, 65_535],
  }];
  for (const [at, rest] of rests.entries()) {
    for (const row of ["", "a row\nof two lines"]) {
      cache.set("w", `${at}`, user(row, rest));
      cache.evict();
      expect(cache.get("w", `${at}`)).toEqual(user(row, rest));
    }
  }
});

test("a user whose row would take more than its part of the room for rows does not drive out the others", () => {
  const cache = textsAlone(10_000);
  cache.set("w", "a", user("a"));
  cache.set("w", "large", user("-".repeat(10_000 / limits.profileRowShareMax + 1)));
  cache.evict();
  expect([rowIn(cache, "w", "a"), rowIn(cache, "w", "large")]).toEqual(["a", undefined]);
});

test("of a user who is gone the mark alone comes back", () => {
  const cache = textsAlone(1_000);
  cache.set("w", "a", user("", { mark: [7, 3] }));
  cache.evict();
  expect(cache.get("w", "a")).toEqual(user("", { mark: [7, 3] }));
});

test("what is set, deleted or cleared does not come back from a row of before", () => {
  const cache = textsAlone(10_000);
  for (const id of ["a", "b", "c"]) cache.set("w", id, user("before"));
  cache.evict();
  cache.set("w", "a", user("after"));
  cache.delete("w", "b");
  expect([rowIn(cache, "w", "a"), rowIn(cache, "w", "b")]).toEqual(["after", undefined]);
  cache.evict();
  cache.clear();
  expect(["a", "c"].map((id) => cache.get("w", id))).toEqual([undefined, undefined]);
});

test("where there is no more room, a user becomes an object with a second change within as many others as are objects, and one that was not read goes", () => {
  const cache = createUserCache({ ...form, bytesMax: 2 * 6, entryBytes: 5, rowBytesMax: 100_000 });
  const change = (id: string) => cache.set("w", id, user(id));
  const isObject = (id: string) => cache.get("w", id)?.profile === cache.get("w", id)?.profile;
  for (const id of ["a", "b", "c", "d", "e", "c"]) change(id);
  expect(["c", "d", "e"].filter(isObject)).toEqual([]);
  change("c");
  cache.get("w", "a");
  cache.evict();
  expect(["a", "b", "c", "d", "e"].filter(isObject)).toEqual(["a", "c"]);
  expect(["a", "b", "c", "d", "e"].map((id) => rowIn(cache, "w", id))).toEqual(["a", "b", "c", "d", "e"]);
});

test("one who is changed once finds no room where less is left than it takes, so that a step with it alone drives nobody out", () => {
  const cache = createUserCache({ ...form, bytesMax: 2 * 6 + 5, entryBytes: 5, rowBytesMax: 100_000 });
  for (const id of ["a", "b", "c", "d", "e"]) {
    cache.set("w", id, user(id));
    cache.evict();
  }
  expect(["a", "b", "c", "d", "e"].filter((id) => cache.get("w", id)?.row === "")).toEqual(["a", "b"]);
});

test("a user who is too large for a text and would be most of the objects is kept nowhere, nor what it was before", () => {
  const cache = createUserCache({ ...form, bytesMax: 100, entryBytes: 10, rowBytesMax: 80 });
  cache.set("w", "a", user("a"));
  cache.set("w", "large", user("-".repeat(40)));
  expect(["a", "large"].map((id) => rowIn(cache, "w", id)?.length)).toEqual([1, 40]);
  cache.set("w", "large", user("-".repeat(41)));
  expect(["a", "large"].map((id) => rowIn(cache, "w", id)?.length)).toEqual([1, undefined]);
});

test("an object that was changed comes back as it is now when it becomes a text, and an unchanged one counts as what it was", () => {
  const cache = createUserCache({ ...form, bytesMax: 20, entryBytes: 0, rowBytesMax: 100_000 });
  cache.set("w", "a", user("-".repeat(10)));
  cache.set("w", "a", user("-".repeat(20), { mark: [2, 0] }));
  cache.set("w", "a", { ...user("-".repeat(20), { mark: [3, 0] }), row: "" });
  cache.set("w", "b", user("b"));
  cache.set("w", "b", user("b"));
  cache.evict();
  expect(cache.get("w", "a")).toEqual(user("-".repeat(20), { mark: [3, 0] }));
  expect(rowIn(cache, "w", "b")).toBe("b");
});

test("rows have a part of what the heap may grow to, shared by lanes or partitions", () => {
  expect(userCacheOptions(64, form, 4 * 1024 ** 3).rowBytesMax).toBe(8 * 1024 ** 2);
  expect(userCacheOptions(1, form, 512 * 1024 ** 2).rowBytesMax).toBe(64 * 1024 ** 2);
});
