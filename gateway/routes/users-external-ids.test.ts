/** Renaming and removing external ids: the shapes and texts of api-facts 3. */
import { afterEach, expect, test } from "vitest";
import { startIdentityStub, stopIdentityStub } from "./users-identity.fixture.ts";

afterEach(stopIdentityStub);

test("handleUsersExternalIdsRename() answers pairs, and errors by the place in the list that was sent", async () => {
  const { post, calls } = await startIdentityStub();
  const external_id_renames = [
    { current_external_id: "a", new_external_id: "a" },
    { current_external_id: "c", new_external_id: "d" },
    { current_external_id: "e", new_external_id: "f" },
    { current_external_id: "g" },
  ];
  const answer = await post("/users/external_ids/rename", { external_id_renames });
  expect([answer.status, answer.body]).toEqual([201, {
    rename_errors: [
      [0, "'current_external_id' and 'new_external_id' must differ"],
      [2, "not the primary id"],
      [3, "'new_external_id' is required"],
    ],
    external_ids: [{ current_external_id: "c", new_external_id: "d" }],
    message: "success",
  }]);
  expect(calls[0]?.["renames"]).toMatchObject([{ currentExternalId: "c" }, { currentExternalId: "e" }]);
});

test("handleUsersExternalIdsRemove() answers the removed ids, and errors by the place in the list that was sent", async () => {
  const { post, calls } = await startIdentityStub();
  const answer = await post("/users/external_ids/remove", { external_ids: [{}, "abc", 9, ""] });
  expect([answer.status, answer.body]).toEqual([201, {
    removed_ids: ["abc"],
    removal_errors: [
      [0, "'external_ids' must be a string"],
      [2, "not deprecated"],
      [3, "'external_ids' holds an empty id at 3"],
    ],
    message: "success",
  }]);
  expect(calls[0]?.["externalIds"]).toEqual(["abc", "9"]);
});
