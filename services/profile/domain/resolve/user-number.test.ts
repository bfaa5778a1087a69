/** Ids name the bucket of a user, and those of builds before name none. */
import { expect, test } from "vitest";
import { limits } from "../../../../platform/limits.ts";
import { createWorkspace } from "./resolver-workspace.fixture.ts";
import { bucketOfUser, laneKeyOf, numberedId, numberingOfUser, numberOf } from "../../../../platform/user-number.ts";

const plain = "0000000000010000e40c292c";

test("bucketOfUser(): by the number of the creation, in the user's own workspace", () => {
  const numbers = [1, limits.usersPerBucket - 1, limits.usersPerBucket, 2 ** 31, 2 ** 32 - 1];
  const ids = numbers.map((number) => numberedId("a", plain, number));
  expect(ids.map((id) => bucketOfUser("a", id))).toEqual([0, 0, 1, 2 ** 31 / limits.usersPerBucket, 2 ** 32 / limits.usersPerBucket - 1]);
  expect(new Set(ids.map((id) => id.slice(0, 16)))).toEqual(new Set([plain.slice(0, 16)]));
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{24}$/);
});

test("laneKeyOf(): of those numbered for it the bucket, which all users of it share for life; of all others the user", () => {
  const idOf = (count: number, numbering: "buckets" | "lanes") => numberedId("a", plain, numberOf(count, numbering));
  const [first, last, next] = [1, limits.usersPerBucket - 1, limits.usersPerBucket].map((count) => idOf(count, "lanes"));
  expect(laneKeyOf("a", first ?? "")).toBe(laneKeyOf("a", last ?? ""));
  expect(laneKeyOf("a", first ?? "")).not.toBe(laneKeyOf("a", next ?? ""));
  expect(bucketOfUser("a", first ?? "")).toBe(2 ** 31 / limits.usersPerBucket);
  for (const id of [plain, idOf(1, "buckets"), "u1"]) expect(laneKeyOf("a", id)).toBe(id);
  expect([plain, idOf(1, "buckets"), idOf(1, "lanes")].map((id) => numberingOfUser("a", id))).toEqual([undefined, "buckets", "lanes"]);
});

test("an id without a number, or that is none, has no bucket", () => {
  const { view } = createWorkspace();
  expect(bucketOfUser("a", plain)).toBeUndefined();
  for (const id of ["", "u1", plain.toUpperCase(), `${plain}0`]) expect(bucketOfUser(view.workspaceId, id)).toBeUndefined();
});
