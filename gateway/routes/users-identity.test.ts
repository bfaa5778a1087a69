/** Aliases, merge, identify, delete: the shapes and texts of the specification and of api-facts 3. */
import { toJson } from "@bufbuild/protobuf";
import { afterEach, expect, test } from "vitest";
import { MergeUpdateSchema, NewAliasSchema, UserSelectorSchema } from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { startIdentityStub, stopIdentityStub } from "./users-identity.fixture.ts";

afterEach(stopIdentityStub);

function fifty(length: number): number[] {
  return Array.from({ length }, (_, at) => at);
}

const alias = { alias_name: "n", alias_label: "l" };

test("handleUsersAliasNew() takes flat and wrapped aliases, with and without an external_id", async () => {
  const { post, calls } = await startIdentityStub();
  const user_aliases = [{ external_id: 7, ...alias }, alias, { user_alias: alias, external_id: "e" }, {
    user_alias: { external_id: "w", ...alias },
  }];
  const answer = await post("/users/alias/new", { user_aliases });
  expect([answer.status, answer.body]).toEqual([201, { aliases_processed: 1, message: "success" }]);
  expect(answer.headers.get("x-heddle-position")).toBe("p-1");
  const plain = { label: "l", name: "n" };
  expect(calls[0]?.aliases.map((entry) => toJson(NewAliasSchema, entry))).toEqual([
    { externalId: "7", alias: plain },
    { alias: plain },
    { externalId: "e", alias: plain },
    { externalId: "w", alias: plain },
  ]);
});

test("handleUsersAliasNew() takes the good ones and names the others by their place", async () => {
  const { post, calls } = await startIdentityStub();
  const answer = await post("/users/alias/new", { user_aliases: [{ alias_label: "l" }, alias, { ...alias, alias_name: "x".repeat(256) }] });
  expect([answer.status, answer.body]).toEqual([201, {
    aliases_processed: 1,
    errors: [
      { type: "'alias_name' is required", input_array: "user_aliases", index: 0 },
      { type: "'alias_name' must be at most 255 characters", input_array: "user_aliases", index: 2 },
    ],
    message: "success",
  }]);
  expect(calls[0]?.aliases.length).toBe(1);
});

const rename = { alias_label: "l", old_alias_name: "a", new_alias_name: "b" };
test("handleUsersAliasUpdate() hands the new names on", async () => {
  const { post, calls } = await startIdentityStub();
  const answer = await post("/users/alias/update", { alias_updates: [rename] });
  expect([answer.status, answer.body]).toEqual([201, { message: "success" }]);
  expect(calls[0]?.["renames"]).toMatchObject([{ label: "l", oldName: "a", newName: "b" }]);
});

const pair = { identifier_to_merge: { external_id: "a" }, identifier_to_keep: { external_id: "b" } };
const identifiers =
  "identifiers must be objects with an 'external_id' property that is a string, 'user_alias' property that is an object, 'email' property that is a string, or 'phone' property that is a string";
const priorities = "'prioritization' must be an array of 'identified', 'unidentified', 'most_recently_updated' or 'least_recently_updated'";

function keep(identifier: unknown): object {
  return { merge_updates: [{ ...pair, identifier_to_keep: identifier }] };
}

test("handleUsersMerge() takes every kind of identifier and answers 202 with the job", async () => {
  const { post, calls } = await startIdentityStub();
  const answer = await post("/users/merge", {
    merge_updates: [
      {
        identifier_to_merge: { email: "A@Example.com", prioritization: ["unidentified", "most_recently_updated"] },
        identifier_to_keep: { user_alias: alias },
      },
      {
        identifier_to_merge: { phone: "+1 (212) 555-0123", prioritization: ["least_recently_updated"] },
        identifier_to_keep: { external_id: "b" },
      },
    ],
  });
  expect([answer.status, answer.body]).toEqual([202, { message: "success", job_id: "job-1" }]);
  expect(calls[0]?.updates.map((update) => toJson(MergeUpdateSchema, update))).toEqual([
    {
      source: { key: { email: "a@example.com" }, prioritization: ["PRIORITY_UNIDENTIFIED", "PRIORITY_MOST_RECENTLY_UPDATED"] },
      target: { key: { alias: { label: "l", name: "n" } } },
    },
    {
      source: { key: { phone: "+12125550123" }, prioritization: ["PRIORITY_LEAST_RECENTLY_UPDATED"] },
      target: { key: { externalId: "b" } },
    },
  ]);
});

test("a priority that stands twice counts once, where it stood first", async () => {
  const { post, calls } = await startIdentityStub();
  const prioritization = ["most_recently_updated", "identified", "most_recently_updated", "identified"];
  const answer = await post("/users/merge", keep({ email: "a@example.com", prioritization }));
  expect(answer.status).toBe(202);
  const identified = await post("/users/identify", { emails_to_identify: [{ external_id: "b", email: "a@example.com", prioritization }] });
  expect([identified.status, identified.body["errors"]]).toEqual([201, undefined]);
  const once = ["PRIORITY_MOST_RECENTLY_UPDATED", "PRIORITY_IDENTIFIED"];
  expect(calls[0]?.updates.map((update) => toJson(MergeUpdateSchema, update))).toMatchObject([{ target: { prioritization: once } }]);
  expect(calls[1]?.identifications.map(({ user }) => user && toJson(UserSelectorSchema, user))).toMatchObject([{ prioritization: once }]);
});

const deleteOne = "Exactly one of 'external_ids', 'user_aliases', 'braze_ids', 'email_addresses' or 'phone_numbers' is required";
const identifyOne = "One of 'aliases_to_identify', 'emails_to_identify' or 'phone_numbers_to_identify' is required";
const refused: readonly (readonly [path: string, body: unknown, message: string])[] = [
  ["/users/merge", {}, "'merge_updates' must be an array of objects"],
  ["/users/merge", { merge_updates: {} }, "'merge_updates' must be an array of objects"],
  ["/users/merge", { merge_updates: [] }, "'merge_updates' must be an array of objects with at least one element"],
  ["/users/merge", { merge_updates: [pair, 1] }, "'merge_updates' must be an array of objects"],
  ["/users/merge", { merge_updates: fifty(51).map(() => pair) }, "a single request may not contain more than 50 merge updates"],
  [
    "/users/merge",
    { merge_updates: [{ ...pair, other: 1 }] },
    "'merge_updates' must only have 'identifier_to_merge' and 'identifier_to_keep'",
  ],
  [
    "/users/merge",
    { merge_updates: [{ identifier_to_merge: { external_id: "a" } }] },
    "'merge_updates' must only have 'identifier_to_merge' and 'identifier_to_keep'",
  ],
  ["/users/merge", keep("b"), identifiers],
  ["/users/merge", keep({}), identifiers],
  ["/users/merge", keep({ external_id: 1.5 }), identifiers],
  ["/users/merge", keep({ user_alias: "l" }), identifiers],
  ["/users/merge", keep({ braze_id: "5eea769d45bb2e1467418f92" }), identifiers],
  ["/users/merge", keep({ external_id: "a", email: "a@example.com", prioritization: ["identified"] }), identifiers],
  ["/users/merge", keep({ email: "a@example.com" }), "'prioritization' is required with an 'email' or 'phone' identifier"],
  ["/users/merge", keep({ phone: "+12125550123" }), "'prioritization' is required with an 'email' or 'phone' identifier"],
  [
    "/users/merge",
    keep({ email: "a@example.com", prioritization: [] }),
    "'prioritization' is required with an 'email' or 'phone' identifier",
  ],
  ["/users/merge", keep({ email: "a@example.com", prioritization: "identified" }), priorities],
  ["/users/merge", keep({ email: "a@example.com", prioritization: ["toString"] }), priorities],
  [
    "/users/merge",
    keep({ email: "a@example.com", prioritization: ["unidentified", "most_recently_updated", "identified", "unidentified"] }),
    "Request can not contain both of 'identified' and 'unidentified' values in the 'prioritization' array",
  ],
  [
    "/users/merge",
    keep({ email: "a@example.com", prioritization: ["unidentified", "identified"] }),
    "Request can not contain both of 'identified' and 'unidentified' values in the 'prioritization' array",
  ],
  [
    "/users/merge",
    keep({ email: "nobody", prioritization: ["identified"] }),
    "The value provided for the 'email' field is not a valid email.",
  ],
  [
    "/users/merge",
    keep({ phone: "1", prioritization: ["identified"] }),
    "The value provided for the 'phone' field is not a valid phone number: send a string in E.164, such as '+12015550123'",
  ],
  ["/users/merge/preview", { merge_updates: [pair, pair] }, "a preview takes exactly one merge update"],
  ["/users/merge/undo", {}, "'job_id' must be the id that /users/merge answered with"],
  ["/users/merge/undo", { job_id: "j", index: 50 }, "'index' must be a whole number from 0 to 49"],
  ["/users/merge/undo", { job_id: "j", index: "0" }, "'index' must be a whole number from 0 to 49"],
  ["/users/alias/new", {}, "'user_aliases' must be an array of objects"],
  ["/users/alias/new", { user_aliases: ["a"] }, "'user_aliases' must be an array of objects"],
  ["/users/alias/new", { user_aliases: fifty(51).map(() => alias) }, "a single request may not contain more than 50 user aliases"],
  ["/users/alias/new", { user_aliases: [{}] }, "'alias_name' is required"],
  ["/users/alias/new", { user_aliases: [{ ...alias, external_id: "x".repeat(988) }] }, "'external_id' must be fewer than 988 bytes"],
  [
    "/users/alias/new",
    { user_aliases: [{ ...alias, alias_name: "\ud800" }] },
    "'alias_name' must not hold NUL or half of a surrogate pair",
  ],
  ["/users/delete", { external_ids: ["a\u0000"] }, "'external_ids' must not hold NUL or half of a surrogate pair"],
  [
    "/users/alias/new",
    { user_aliases: [{ ...alias, alias_name: 2 ** 60 }] },
    "'alias_name' is too large for a number: send it as a string",
  ],
  ["/users/delete", { external_ids: [2 ** 60] }, "'external_ids' is too large for a number: send it as a string"],
  ["/users/alias/update", { alias_updates: [rename, { ...rename, new_alias_name: 1.5 }] }, "'new_alias_name' must be a string"],
  ["/users/alias/update", { alias_updates: fifty(51).map(() => rename) }, "a single request may not contain more than 50 alias updates"],
  ["/users/identify", {}, identifyOne],
  ["/users/identify", { aliases_to_identify: "x" }, "'aliases_to_identify' must be an array of objects"],
  [
    "/users/identify",
    { aliases_to_identify: fifty(51).map(() => ({})) },
    "The max number of external_ids and aliases per request was exceeded",
  ],
  ["/users/delete", {}, deleteOne],
  ["/users/delete", { external_ids: ["a"], braze_ids: ["5eea769d45bb2e1467418f92"] }, deleteOne],
  ["/users/delete", { external_ids: fifty(51) }, "The max number of ids per request was exceeded"],
  ["/users/delete", { external_ids: ["a", null] }, "'external_ids' holds an empty id at 1"],
  ["/users/delete", { external_ids: ["a", ""] }, "'external_ids' holds an empty id at 1"],
  ["/users/delete", { braze_ids: ["a"] }, "'braze_ids' must be 24 hexadecimal digits"],
  [
    "/users/delete",
    { email_addresses: ["a@example.com"] },
    "'email_addresses' must be an array of objects with 'email' and 'prioritization'",
  ],
  ["/users/delete", { phone_numbers: [{ phone: "+12125550123" }] }, "'prioritization' is required with an 'email' or 'phone' identifier"],
  ["/users/external_ids/rename", { external_id_renames: ["a"] }, "'external_id_renames' must be an array of objects"],
  ["/users/external_ids/rename", { external_id_renames: fifty(51).map(() => ({})) }, "The max number of ids per request was exceeded"],
  ["/users/external_ids/remove", { external_ids: "a" }, "'external_ids' must be an array of strings"],
  ["/users/external_ids/remove", { external_ids: fifty(51) }, "The max number of ids per request was exceeded"],
];

for (const [path, body, message] of refused) {
  test(`POST ${path} refuses ${JSON.stringify(body).slice(0, 90)}`, async () => {
    const { post, calls } = await startIdentityStub();
    const answer = await post(path, body);
    expect([answer.status, answer.body["message"]]).toEqual([400, message]);
    expect(calls).toEqual([]);
  });
}

test.each([
  ["/users/merge", { merge_updates: [pair, {}] }, "merge_updates"],
  ["/users/merge/preview", { merge_updates: [pair, {}] }, "merge_updates"],
  ["/users/alias/update", { alias_updates: [rename, {}] }, "alias_updates"],
  ["/users/delete", { external_ids: ["a", ""] }, "external_ids"],
  ["/users/delete", { external_ids: ["a", {}] }, "external_ids"],
  ["/users/delete", { user_aliases: [alias, {}] }, "user_aliases"],
  ["/users/delete", { email_addresses: [{ email: "a@example.com", prioritization: ["identified"] }, {}] }, "email_addresses"],
])("POST %s names the entry that refuses the request: %j", async (path, body, input_array) => {
  const { post } = await startIdentityStub();
  const { message, errors } = (await post(path, body)).body;
  expect(errors).toEqual([{ type: message, input_array, index: 1 }]);
});

test("handleUsersMergePreview() shows the user that a merge would make", async () => {
  const { post } = await startIdentityStub();
  const answer = await post("/users/merge/preview", { merge_updates: [pair] });
  expect([answer.status, answer.body]).toEqual([200, { would_merge: true, user: { external_id: "b" }, message: "success" }]);
});

test("handleUsersMergeStatus() tells what came of each update", async () => {
  const { get, calls } = await startIdentityStub();
  const answer = await get("/users/merge/status/job-1");
  expect([answer.status, answer.body]).toEqual([200, {
    job_id: "job-1",
    merge_updates: [
      { index: 0, status: "merged", merged_platform_id: "s", kept_platform_id: "t", undo_until: "2020-09-13T12:26:40.000Z" },
      { index: 1, status: "not_merged", reason: "no user has the external_id" },
    ],
    message: "success",
  }]);
  expect(calls[0]?.["jobId"]).toBe("job-1");
});

test("handleUsersMergeUndo() names the job and the place, the first where none is sent", async () => {
  const { post, calls } = await startIdentityStub();
  expect((await post("/users/merge/undo", { job_id: "job-1" })).body).toEqual({ message: "success" });
  await post("/users/merge/undo", { job_id: "job-1", index: 49 });
  expect(calls.map(({ index }) => index)).toEqual([0, 49]);
});

test("handleUsersIdentify() counts each kind it was sent", async () => {
  const { post, calls } = await startIdentityStub();
  const answer = await post("/users/identify", {
    aliases_to_identify: [{ external_id: 5, user_alias: alias }, { external_id: "a", user_alias: alias }],
    emails_to_identify: [{ external_id: "b", email: "A@example.com", prioritization: ["unidentified"] }],
    phone_numbers_to_identify: [{ external_id: "c", phone: "+12125550123", prioritization: ["most_recently_updated"] }],
    merge_behavior: "merge",
  });
  expect([answer.status, answer.body]).toEqual([201, {
    aliases_processed: 2,
    emails_processed: 1,
    phone_numbers_processed: 1,
    job_id: "job-2",
    message: "success",
  }]);
  const asked = calls[0]?.identifications.map(({ user, externalId }) => [externalId, toJson(UserSelectorSchema, user)]);
  expect(asked).toMatchObject([["5", { key: { alias: {} } }], ["a", {}], ["b", { key: { email: "a@example.com" } }], ["c", {
    key: { phone: "+12125550123" },
  }]]);
});

test("handleUsersIdentify() answers 201 with errors where nothing was good, and asks nobody", async () => {
  const { post, calls } = await startIdentityStub();
  const answer = await post("/users/identify", { aliases_to_identify: [{ user_alias: alias }] });
  expect([answer.status, answer.body]).toEqual([201, {
    aliases_processed: 0,
    errors: [{ type: "'external_id' is required", input_array: "user_identifiers", index: 0 }],
    message: "success",
  }]);
  const both = { external_id: "a", email: "a@example.com", prioritization: ["most_recently_updated", "least_recently_updated"] };
  const exclusive = await post("/users/identify", { emails_to_identify: [both] });
  const text = "Request can not contain both of 'most_recently_updated' and 'least_recently_updated' values in the 'prioritization' array";
  expect(exclusive.body["errors"]).toMatchObject([{ type: text }]);
  expect(calls).toEqual([]);
});

test("handleUsersIdentify() names the list of an error where several were sent", async () => {
  const { post } = await startIdentityStub();
  const { body } = await post("/users/identify", {
    aliases_to_identify: [{ external_id: "a", user_alias: alias }, {}],
    emails_to_identify: [{ external_id: "b" }],
    phone_numbers_to_identify: [{ external_id: "c" }],
  });
  expect(body["errors"]).toEqual([
    { type: "'email' is required", input_array: "user_identifiers", index: 0, list: "emails_to_identify" },
    { type: "'phone' is required", input_array: "user_identifiers", index: 0, list: "phone_numbers_to_identify" },
    { type: "'external_id' is required", input_array: "user_identifiers", index: 1, list: "aliases_to_identify" },
  ]);
});

test.each([
  [{ external_ids: ["a", 12] }, [{ externalId: "a" }, { externalId: "12" }]],
  [{ user_aliases: [alias] }, [{ alias: { name: "n", label: "l" } }]],
  [{ braze_ids: ["5eea769d45bb2e1467418f92"] }, [{ platformId: "5eea769d45bb2e1467418f92" }]],
  [{ platform_ids: ["5eea769d45bb2e1467418f92"] }, [{ platformId: "5eea769d45bb2e1467418f92" }]],
  [{ email_addresses: [{ email: "A@example.com", prioritization: ["most_recently_updated"] }] }, [{ email: "a@example.com" }]],
  [{ phone_numbers: [{ phone: "+12125550123", prioritization: ["identified"] }] }, [{ phone: "+12125550123" }]],
])("handleUsersDelete() deletes by %j", async (body, keys) => {
  const { post, calls } = await startIdentityStub();
  const answer = await post("/users/delete", body);
  expect([answer.status, answer.body]).toEqual([201, { deleted: 2, message: "success" }]);
  expect(calls[0]?.users.map((user) => toJson(UserSelectorSchema, user))).toMatchObject(keys.map((key) => ({ key })));
});
