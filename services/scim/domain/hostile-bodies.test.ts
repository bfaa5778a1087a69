/** Bodies that no client would send in good faith: every one is a user or a refusal, and leaves nothing behind. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Refusal } from "../../../platform/refusal.ts";
import { checkUser } from "./check-user.ts";
import { patchSchema, patchUser } from "./patch-user.ts";
import { coreSchema } from "./schema.ts";
import { annResource, directory } from "./user.fixture.ts";

const words = "userName USERNAME name givenName familyName active emails value type primary department permissions companyPermissions " +
  "appGroup appGroupName team roles __proto__ constructor toString schemas id meta x";
const names = fc.constantFrom(...words.split(" "));
const leaves = fc.constantFrom<unknown>(
  "a",
  "a@x.de",
  "Shop",
  "admin",
  "finance",
  "True",
  "",
  null,
  true,
  false,
  0,
  -1,
  1e308,
  "\u0000",
  "\ud800",
  "__proto__",
);
const anything = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaves,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;
const paths = fc.oneof(
  fc.constantFrom<unknown>(
    "",
    null,
    5,
    undefined,
    "emails[",
    "emails[]",
    'emails[type eq "work"]',
    'emails[type eq "x"].value',
    "name..x",
    ".name",
    "[",
    "]",
  ),
  fc.tuple(names, names).map(([first, second]) => `${first}.${second}`),
  names,
);
const operation = fc.record({ op: fc.constantFrom<unknown>("add", "Replace", "REMOVE", "move", 1), path: paths, value: anything }, {
  requiredKeys: ["op"],
});

/** What JSON.parse would give: an own member `__proto__` and no prototype but Object's. */
function received(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? "null");
}

function refusedOrDone(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(prototypeNames);
}

const prototypeNames = Object.getOwnPropertyNames(Object.prototype);

test("checkUser() takes or refuses any body", () => {
  fc.assert(
    fc.property(fc.dictionary(names, anything, { noNullPrototype: true }), (body) => {
      refusedOrDone(() => checkUser(received({ ...body, schemas: [coreSchema] }), directory));
      refusedOrDone(() => checkUser(received(body), directory));
    }),
    { numRuns: 3_000 },
  );
});

test("patchUser() takes or refuses any operations, and what it makes is checked like any body", () => {
  const before = JSON.stringify(annResource);
  fc.assert(
    fc.property(fc.array(operation, { minLength: 1, maxLength: 4 }), (operations) => {
      refusedOrDone(() => {
        const { body } = patchUser(annResource, received({ schemas: [patchSchema], Operations: operations }));
        checkUser(body, directory);
      });
    }),
    { numRuns: 5_000 },
  );
  expect(JSON.stringify(annResource)).toBe(before);
});
