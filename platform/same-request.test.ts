/** What was sent decides; what the build before has kept, or takes beside this one, is compared as it does. */
import { expect, test } from "vitest";
import { isSameRequest, type RequestHashes } from "./same-request.ts";

const both = { bodyHash: "asked", sentHash: "sent" };
const ofBefore = { bodyHash: "asked" };

test.each<readonly [string, RequestHashes, RequestHashes, boolean]>([
  ["the same", both, both, true],
  ["other bytes that ask the same", both, { ...both, sentHash: "other" }, false],
  ["first by the build before", ofBefore, both, true],
  ["again by the build before", both, ofBefore, true],
  ["both by the build before", ofBefore, ofBefore, true],
  ["another by the build before", both, { bodyHash: "other" }, false],
  ["first by a build that keeps one hash", { bodyHash: "sent" }, both, true],
  ["again by a build that keeps one hash", both, { bodyHash: "sent" }, true],
])("isSameRequest() of %s", (_, first, again, same) => {
  expect(isSameRequest(first, again)).toBe(same);
});
