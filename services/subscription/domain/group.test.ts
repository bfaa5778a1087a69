/** Rules of groups: which addresses they take, how many there may be, what a declaration changes. */
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { checkSetStatus } from "./check-set-status.ts";
import { archivedGroup, createdGroup, declaredGroups, type Group, groupOf } from "./group.ts";

const email: Group = { id: "e", name: "Letter", channel: "email", archived: false };
const sms: Group = { id: "s", name: "Offers", channel: "sms", archived: false };
const none = { externalIds: [], emails: [], phones: [], userIds: [] };

function reasonOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return `${error.reason}: ${error.message}`;
    throw error;
  }
}

test.each([
  ["an external id, email group", { groupId: "e", externalIds: ["a"] }, undefined],
  ["an external id and an email", { groupId: "e", externalIds: ["a"], emails: ["a@b.org"] }, undefined],
  ["a user id, email group", { groupId: "e", userIds: ["0123456789abcdef01234567"] }, undefined],
  ["a phone, SMS group", { groupId: "s", phones: ["+12125550123"] }, undefined],
  ["an unknown group", { groupId: "x", externalIds: ["a"] }, "INPUT_INVALID: Invalid subscription group ID"],
  ["nobody", { groupId: "e" }, "INPUT_INVALID: At least one external id, email or phone is required"],
  [
    "both addresses",
    { groupId: "e", emails: ["a@b.org"], phones: ["+12125550123"] },
    "INPUT_INVALID: Either an email address or a phone number should be provided, but not both.",
  ],
  ["an email, SMS group", { groupId: "s", emails: ["a@b.org"] }, expect.stringMatching(/^INPUT_INVALID: .*'s'.*sms/)],
  ["a phone, email group", { groupId: "e", phones: ["+12125550123"] }, expect.stringMatching(/^INPUT_INVALID: .*'e'.*email/)],
])("checkSetStatus() %s", (_, update, refused) => {
  expect(reasonOf(() => checkSetStatus([email, sms], [{ ...none, ...update }]))).toEqual(refused);
});

const uuid = "11111111-1111-4111-8111-aaaaaaaaaaaa";
const upper = uuid.toUpperCase();
const declared = [{ ...email, id: upper }, { ...email, id: "E" }, { ...email, id: uuid }];
test.each([
  ["a UUID in the case of another", [declared[0]], uuid, upper],
  ["both cases declared, the one that was sent", declared, uuid, uuid],
  ["an id that is no UUID", declared, "e", undefined],
])("groupOf() finds %s", (_, groups, id, found) => {
  expect(reasonOf(() => expect(groupOf(groups as Group[], id).id).toBe(found))).toBe(
    found === undefined ? "INPUT_INVALID: Invalid subscription group ID" : undefined,
  );
});

test("declaredGroups() gives what changes, and archives others only with prune", () => {
  expect(declaredGroups([email, sms], [email], { prune: false })).toEqual([]);
  expect(declaredGroups([email, sms], [{ ...email, name: "News" }], { prune: true })).toEqual([
    { ...email, name: "News" },
    { ...sms, archived: true },
  ]);
  expect(declaredGroups([{ ...email, archived: true }], [email], { prune: false })).toEqual([email]);
});

test("there are at most 100 groups that are not archived", () => {
  const many = Array.from({ length: limits.subscriptionGroupsPerWorkspaceMax }, (_, at) => ({ ...email, id: `${at}`, name: `${at}` }));
  expect(reasonOf(() => createdGroup(many, sms))).toMatch(/^STATE_CONFLICT/);
  expect(reasonOf(() => declaredGroups(many, [sms], { prune: false }))).toMatch(/^STATE_CONFLICT/);
  expect(createdGroup([archivedGroup(many, "0"), ...many.slice(1)], sms)).toEqual(sms);
});

test("createdGroup() refuses an id and a name in use; archivedGroup() an unknown id", () => {
  expect(reasonOf(() => createdGroup([email], { ...sms, id: "e" }))).toMatch(/^ALREADY_EXISTS.*id/);
  expect(reasonOf(() => createdGroup([email], { ...sms, name: "Letter" }))).toMatch(/^ALREADY_EXISTS.*name/);
  expect(reasonOf(() => archivedGroup([email], "x"))).toMatch(/^NOT_FOUND/);
});
