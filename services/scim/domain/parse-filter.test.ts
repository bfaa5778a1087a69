/** Filters: the grammar and the table of operators of RFC 7644, a brute-force model beside them, and 100,000 inputs of noise. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { matches } from "./evaluate-filter.ts";
import { parseFilter } from "./parse-filter.ts";
import { arbitraryFilter, arbitraryUser, reference, written } from "./filter-model.fixture.ts";
import { annResource } from "./user.fixture.ts";

const answers: readonly (readonly [filter: string, fits: boolean])[] = [
  // Every operator (RFC 7644, table 3)
  [`userName eq "ann@example.com"`, true],
  [`userName eq "bob@example.com"`, false],
  [`userName ne "bob@example.com"`, true],
  [`userName co "N@EXAMPLE"`, true],
  [`userName sw "ann"`, true],
  [`userName ew ".COM"`, true],
  [`name.familyName gt "Aa"`, true],
  [`name.familyName ge "archer"`, true],
  [`name.familyName lt "archer"`, false],
  [`name.familyName le "archer"`, true],
  [`displayName pr`, true],
  [`externalId pr`, true],
  // Case: of attributes, operators, values; externalId and id are exact
  [`USERNAME EQ "ANN@EXAMPLE.COM"`, true],
  [`externalId eq "00ua"`, false],
  [`externalId eq "00uA"`, true],
  [`id eq "DFA245B7-24195AEC-887BB3AD-602B3340"`, false],
  [`name.givenName eq "ANN"`, true],
  // Schemas before the name
  [`urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ann@example.com"`, true],
  [`urn:heddle:params:scim:schemas:extension:dashboard:2.0:User:department eq "finance"`, true],
  [`urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "finance"`, true],
  // not before and before or
  [`userName pr or userName pr and not (userName pr)`, true],
  [`(userName pr or userName pr) and not (userName pr)`, false],
  [`not(active eq true) or department eq "finance"`, true],
  [`active eq false or department eq "pm" and userName pr`, false],
  // Lists and brackets
  [`emails.type eq "home"`, true],
  [`emails eq "ann@home.example"`, true],
  [`emails[type eq "work" and value co "home"]`, false],
  [`emails[type eq "home" and value co "home"]`, true],
  [`emails[type eq "work"].value eq "ann@example.com"`, true],
  [`emails[not (type eq "work") and not (type eq "home")]`, false],
  [`permissions.appGroup[appGroupName eq "Shop" and appGroupPermissions eq "export_user_data"]`, true],
  [`permissions.appGroup[appGroupName eq "Blog" and appGroupPermissions eq "export_user_data"]`, false],
  [`permissions.appGroup.team.teamName eq "North"`, true],
  [`permissions.companyPermissions eq "admin"`, false],
  // Types
  [`active eq true`, true],
  [`active eq "True"`, true],
  [`meta.created gt "2026-01-02T03:04:04Z"`, true],
  [`meta.created eq "2026-01-02T05:04:05+02:00"`, true],
  [`lastSignInAt lt "2026-03-02T15:04:05Z"`, false],
  [`displayName eq null`, false],
  [`displayName ne null`, true],
  [`emails[display eq null]`, true],
  [`userName eq "quote\\"inside"`, false],
  [`displayName eq "\\u0041nnie"`, true],
  [` userName   eq\t"ann@example.com" `, true],
];

for (const [filter, fits] of answers) {
  test(`matches() says ${fits} to ${filter}`, () => {
    expect(matches(parseFilter(filter), annResource)).toBe(fits);
  });
}

const refused: readonly string[] = [
  "",
  " ",
  "userName",
  "userName eq",
  `userName eq "x`,
  `userName eq 'x'`,
  `userName eq x`,
  `userName like "x"`,
  `userName eq "x" and`,
  `and userName pr`,
  `(userName pr`,
  `userName pr)`,
  `not userName pr`,
  `userName pr userName pr`,
  `password eq "x"`,
  `nickName pr`,
  `__proto__ pr`,
  `constructor eq "x"`,
  `name.constructor pr`,
  `toString.length gt "1"`,
  `name eq "Ann"`,
  `permissions eq "admin"`,
  `userName[value eq "x"]`,
  `emails[type eq "work"`,
  `emails[emails[value pr]]`,
  `emails[userName eq "x"]`,
  `emails[]`,
  `userName eq 5`,
  `active gt true`,
  `active eq "yes"`,
  `meta.created co "2026"`,
  `meta.created gt "yesterday"`,
  `userName gt null`,
  `userName eq "\\x"`,
  `userName eq "\u0001"`,
  `urn:example:other:User:userName pr`,
  `userName eq "x"; drop`,
];

for (const filter of refused) {
  test(`parseFilter() refuses ${JSON.stringify(filter)}`, () => {
    expect(() => parseFilter(filter)).toThrow(expect.objectContaining({ reason: "FILTER_INVALID" }));
  });
}

describe("parseFilter() bounds", () => {
  const term = "active eq true";

  test("64 terms and not 65", () => {
    expect(() => parseFilter(Array(limits.scimFilterTermsMax).fill(term).join(" or "))).not.toThrow();
    expect(() => parseFilter(Array(limits.scimFilterTermsMax + 1).fill(term).join(" or "))).toThrow(Refusal);
  });

  test("16 levels and not 17", () => {
    function nested(depth: number): string {
      return `${"(".repeat(depth)}${term}${")".repeat(depth)}`;
    }
    expect(() => parseFilter(nested(limits.scimFilterDepthMax))).not.toThrow();
    expect(() => parseFilter(nested(limits.scimFilterDepthMax + 1))).toThrow(Refusal);
    expect(() => parseFilter("(".repeat(4_000))).toThrow(Refusal);
    expect(() => parseFilter("not (".repeat(800))).toThrow(Refusal);
  });

  test("4 KB and not one byte more", () => {
    expect(() => parseFilter(term.padEnd(limits.scimFilterBytesMax))).not.toThrow();
    expect(() => parseFilter(term.padEnd(limits.scimFilterBytesMax + 1))).toThrow(Refusal);
    expect(() => parseFilter(" ".repeat(50_000))).toThrow(Refusal);
  });
});

test("matches() equals a brute-force evaluation", () => {
  fc.assert(
    fc.property(arbitraryFilter, fc.array(arbitraryUser, { minLength: 1, maxLength: 5 }), fc.nat(), (filter, users, spelling) => {
      const parsed = parseFilter(written(filter, spelling));
      for (const user of users) expect(matches(parsed, user)).toBe(reference(filter, user));
    }),
    { numRuns: 3_000 },
  );
});

test("parseFilter() takes 100,000 inputs of noise within 5 ms each and throws nothing but FILTER_INVALID", () => {
  const random = seeded(7);
  const slow: string[] = [];
  let read = 0;
  for (let run = 0; run < 100_000; run += 1) {
    const text = noise(random);
    const started = performance.now();
    if (tried(text)) read += 1;
    if (performance.now() - started > 5) slow.push(text);
  }
  // The noise is near enough to the grammar to get through it
  expect(read).toBeGreaterThan(1_000);
  // A pause of the machine may fall on any of them, but not three times on the same
  for (const text of slow) expect(quickest(text), text).toBeLessThan(5);
});

/** True where the filter could be read. Fails for anything but a refusal. */
function tried(text: string): boolean {
  try {
    matches(parseFilter(text), annResource);
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.reason === "FILTER_INVALID") return false;
    throw new Error(`Threw at ${JSON.stringify(text)}`, { cause: error });
  }
}

/** Milliseconds, of three attempts. */
function quickest(text: string): number {
  const times = [1, 2, 3].map(() => {
    const started = performance.now();
    tried(text);
    return performance.now() - started;
  });
  return Math.min(...times);
}

test("parseFilter() takes the longest inputs of each kind within 5 ms", () => {
  const size = limits.scimFilterBytesMax;
  const long = [
    "(".repeat(size),
    `"${"\\".repeat(size - 1)}`,
    `userName eq "${"\\u0041".repeat(Math.floor((size - 20) / 6))}"`,
    `${"a".repeat(size)}`,
    "a.".repeat(size / 2),
    `emails[${"not (".repeat(size / 6)}`,
    `${"userName pr or ".repeat(size / 16)}`,
    `${"urn:".repeat(size / 4)}`,
    " ".repeat(size),
  ];
  for (const text of long) expect(quickest(text), text.slice(0, 20)).toBeLessThan(5);
});

const words = "userName name.givenName active emails emails.value meta.created permissions.appGroup id password __proto__ type " +
  "eq ne co sw ew gt ge lt le pr EQ and or not AND true false null 5 -1e9 ( ) [ ] . , : \\ ' é";
const pieces = [...words.split(" "), `"a"`, `"\\"`, `"\\u00`, `""`, `"2026-01-01T00:00:00Z"`, "\t", "\u0000", "\ud800"];

/** Pieces of the grammar in any order, some with a character changed. */
function noise(random: () => number): string {
  const count = Math.floor(random() * random() * 40);
  let text = "";
  for (let at = 0; at < count; at += 1) text += `${pieces[Math.floor(random() * pieces.length)]}${random() < 0.9 ? " " : ""}`;
  if (random() < 0.3) text = `userName eq "a" ${text}`;
  if (random() < 0.3) text += `or active eq true`;
  if (random() < 0.8) return text;
  const place = Math.floor(random() * text.length);
  return text.slice(0, place) + String.fromCharCode(Math.floor(random() * 200)) + text.slice(place + 1);
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
