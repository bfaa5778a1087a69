/** Ids tell the bucket of a user, and those of builds before tell none. */
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { createWorkspace } from "./resolver-workspace.fixture.ts";
import { bucketOfUser, numberedId } from "./user-number.ts";

const plain = "0000000000010000e40c292c";

test("bucketOfUser(): by the number of the creation, in the user's own workspace", () => {
  const numbers = [1, limits.usersPerBucket - 1, limits.usersPerBucket, 2 ** 31, 2 ** 32 - 1];
  const ids = numbers.map((number) => numberedId("a", plain, number));
  expect(ids.map((id) => bucketOfUser("a", id))).toEqual([0, 0, 1, 2 ** 31 / limits.usersPerBucket, 2 ** 32 / limits.usersPerBucket - 1]);
  expect(new Set(ids.map((id) => id.slice(0, 16)))).toEqual(new Set([plain.slice(0, 16)]));
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{24}$/);
});

test("an id without a number, or that is none, has no bucket", () => {
  const { view } = createWorkspace();
  expect(bucketOfUser("a", plain)).toBeUndefined();
  for (const id of ["", "u1", plain.toUpperCase(), `${plain}0`]) expect(bucketOfUser(view.workspaceId, id)).toBeUndefined();
});
