/** The bounds of the cache and its order, and users who come back from the texts of their rows. */
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import type { StoredUser } from "../domain/ports.ts";
import type { Profile } from "../domain/profile.ts";
import { createUserCache, type UserCache, userCacheOptions } from "./user-cache.ts";

/** A row says no more than whose it is here. */
function profileOf(row: string): Profile {
  return { id: row } as Profile;
}

function user(row: string, rest: Partial<StoredUser> = {}): StoredUser {
  return { profile: row === "" ? undefined : profileOf(row), row, held: false, openMerges: [], ...rest };
}

function objectsAlone(bytesMax: number, entryBytes: number): UserCache {
  return createUserCache({ bytesMax, entryBytes, rowBytesMax: 0, profileOf });
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

test("a user of another workspace with the same id is never given, whether one is kept as an object or as a row", () => {
  const cache = createUserCache({ bytesMax: 0, entryBytes: 1, rowBytesMax: 10_000, profileOf });
  cache.set("v", "a", user("of v"));
  expect(cache.get("w", "a")).toBeUndefined();
  cache.evict();
  expect(cache.get("w", "a")).toBeUndefined();
  cache.set("w", "a", user("of w"));
  expect([cache.get("w", "a")?.row, cache.get("v", "a")?.row]).toEqual(["of w", "of v"]);
  cache.evict();
  cache.set("v", "a", user("of v again"));
  cache.delete("w", "a");
  expect([cache.get("w", "a"), cache.get("v", "a")?.row]).toEqual([undefined, "of v again"]);
});

test("evict() counts a replaced or deleted user once", () => {
  const cache = objectsAlone(20, 0);
  cache.set("w", "a", user("-".repeat(20)));
  cache.set("w", "a", user("-".repeat(10)));
  cache.set("w", "b", user("-".repeat(30)));
  cache.delete("w", "b");
  cache.set("w", "c", user("-".repeat(10)));
  cache.evict();
  expect([cache.get("w", "a"), cache.get("w", "c")]).toEqual([user("-".repeat(10)), user("-".repeat(10))]);
});

test("a user for whom there is no room as an object comes back from the row with all else that was stored, until that is the oldest, too", () => {
  const rowBytes = limits.profileRowEntryBytes + 1;
  const besideRows = 50;
  const cache = createUserCache({ bytesMax: 0, entryBytes: 1, rowBytesMax: 2 * rowBytes + besideRows, profileOf });
  const stored = user("a", { held: true, openMerges: ["m"], mark: [7, 3] });
  cache.set("w", "a", stored);
  cache.set("w", "b", user("b"));
  cache.evict();
  expect(cache.get("w", "a")).toEqual(stored);
  expect(cache.get("w", "a")?.profile).not.toBe(stored.profile);
  cache.set("w", "c", user("c"));
  cache.evict();
  expect(["a", "b", "c"].filter((id) => cache.get("w", id) !== undefined)).toEqual(["a", "c"]);
});

test("what is kept beside a row comes back from its text as it was, whatever is there", () => {
  const cache = createUserCache({ bytesMax: 0, entryBytes: 1, rowBytesMax: 100_000, profileOf });
  const rests: Partial<StoredUser>[] = [{}, { held: true }, { openMerges: ["m1", "m2"] }, { mark: [0, 0] }, {
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
  const cache = createUserCache({ bytesMax: 0, entryBytes: 1, rowBytesMax: 10_000, profileOf });
  cache.set("w", "a", user("a"));
  cache.set("w", "large", user("-".repeat(10_000 / limits.profileRowShareMax + 1)));
  cache.evict();
  expect([cache.get("w", "a")?.row, cache.get("w", "large")]).toEqual(["a", undefined]);
});

test("of a user who is gone the mark alone comes back", () => {
  const cache = createUserCache({ bytesMax: 0, entryBytes: 1, rowBytesMax: 1_000, profileOf });
  cache.set("w", "a", user("", { mark: [7, 3] }));
  cache.evict();
  expect(cache.get("w", "a")).toEqual(user("", { mark: [7, 3] }));
});

test("what is set, deleted or cleared does not come back from a row of before", () => {
  const cache = createUserCache({ bytesMax: 0, entryBytes: 1, rowBytesMax: 10_000, profileOf });
  for (const id of ["a", "b", "c"]) cache.set("w", id, user("before"));
  cache.evict();
  cache.set("w", "a", user("after"));
  cache.delete("w", "b");
  expect([cache.get("w", "a")?.row, cache.get("w", "b")]).toEqual(["after", undefined]);
  cache.evict();
  cache.clear();
  expect(["a", "c"].map((id) => cache.get("w", id))).toEqual([undefined, undefined]);
});

test("rows have a part of what the heap may grow to, shared by lanes or partitions", () => {
  expect(userCacheOptions(64, profileOf, 4 * 1024 ** 3).rowBytesMax).toBe(4 * 1024 ** 2);
  expect(userCacheOptions(1, profileOf, 512 * 1024 ** 2).rowBytesMax).toBe(32 * 1024 ** 2);
});
