/** Queries of SCIM: where a plus is a plus, and what is no query. */
import { expect, test } from "vitest";
import { scimQueryOf } from "./scim-query.ts";

test.each([
  ["userName%20eq%20%22ann+x@example.com%22", `userName eq "ann+x@example.com"`],
  ["userName+eq+%22ann%2Bx@example.com%22", `userName eq "ann+x@example.com"`],
  [`userName+eq+"ann+x@example.com"`, `userName eq "ann+x@example.com"`],
  [`userName+eq+"ann+x"+or+userName+eq+%22bob+x%22`, `userName eq "ann+x" or userName eq "bob+x"`],
  ["displayName+eq+%22a%5C%22b+c%22+and+id+pr", `displayName eq "a\\"b+c" and id pr`],
  [`displayName+eq+"a%5c%5c"+and+id+pr`, `displayName eq "a\\\\" and id pr`],
  [`displayName+eq+"a\\"b+c"`, `displayName eq "a\\"b+c"`],
  ["externalId+eq+%22%5C%C3%A9+%22", `externalId eq "\\é+"`],
  ["id%2Bpr", "id+pr"],
  ["a=b+c", "a=b c"],
])("the filter %s is %s", (sent, filter) => {
  expect(scimQueryOf(`count=1&filter=${sent}&startIndex=2`).get("filter")).toBe(filter);
});

test("a plus of any other parameter is a blank, and the first of two is taken", () => {
  const query = scimQueryOf(`sortBy=%22a+b%22&&x&%61ttributes=id,+userName&count=1&count=2`);
  expect([query.get("sortBy"), query.get("x"), query.get("attributes"), query.get("count")]).toEqual([`"a b"`, "", "id, userName", "1"]);
  expect([...scimQueryOf("")]).toEqual([]);
});

test.each(["filter=%FCx", "filter=%ZZ", "%ZZ=1", "other=%C3", "filter=%22%5C%FC%22"])("%s is no query", (text) => {
  expect(() => scimQueryOf(text)).toThrow("The query string must be percent-encoded UTF-8");
});
