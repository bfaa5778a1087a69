/** The bound of the cache and its order. */
import { expect, test } from "vitest";
import type { StoredUser } from "../domain/ports.ts";
import { createUserCache } from "./user-cache.ts";

function user(rowChars: number): StoredUser {
  return { profile: undefined, rowChars, held: false, openMerges: [] };
}

test("evict() drops what was read longest ago until the rest fits", () => {
  const cache = createUserCache({ bytesMax: 30, entryBytes: 5 });
  for (const id of ["a", "b", "c"]) cache.set("w", id, user(5));
  cache.get("w", "a");
  cache.set("w", "d", user(5));
  expect(cache.get("w", "b")).toBeDefined();
  cache.evict();
  expect(["a", "b", "c", "d"].filter((id) => cache.get("w", id) !== undefined)).toEqual(["a", "b", "d"]);
});

test("evict() counts a replaced or deleted user once", () => {
  const cache = createUserCache({ bytesMax: 20, entryBytes: 0 });
  cache.set("w", "a", user(20));
  cache.set("w", "a", user(10));
  cache.set("w", "b", user(30));
  cache.delete("w", "b");
  cache.set("w", "c", user(10));
  cache.evict();
  expect([cache.get("w", "a"), cache.get("w", "c")]).toEqual([user(10), user(10)]);
});
