/** Lists and searches of the SCIM service: pages, orders, indexes, and what one company never sees of another. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { matches } from "./domain/evaluate-filter.ts";
import { parseFilter } from "./domain/parse-filter.ts";
import { directory, scimService, scope } from "./scim-service.fixture.ts";

const at = scimService();

async function list(question: object) {
  const answer = await at.scim.listUsers({ scope: scope(), directory, filter: "", startIndex: 1, sortBy: "", ...question });
  return {
    total: answer.totalResults,
    names: answer.usersJson.map((user) => String(JSON.parse(Buffer.from(user).toString())["userName"]).split("@")[0]),
  };
}

test("listUsers() pages by name, forwards and backwards, wherever a page begins", async () => {
  const names = ["a", "b", "c", "d", "e", "f", "g"];
  for (const name of names.toReversed()) await at.create(name);
  for (const [start, count] of [[1, 3], [4, 3], [7, 3], [8, 3], [1, 3], [2, 1], [6, 9], [-5, 2], [1, 0], [1, -3]] as const) {
    const first = Math.max(start, 1) - 1;
    const expected = { total: names.length, names: names.slice(first, first + Math.max(count, 0)) };
    expect(await list({ startIndex: start, count }), `${start}, ${count}`).toEqual(expected);
  }
  expect((await list({ sortBy: "userName", descending: true, startIndex: 2, count: 2 })).names).toEqual(["f", "e"]);
  expect((await list({ sortBy: "userName", descending: true, startIndex: 4, count: 2 })).names).toEqual(["d", "c"]);
});

test("listUsers() sorts by the primary address, else the first, also where a part of it is named", async () => {
  await at.create("a", { emails: [{ value: "1@x.de", type: "home" }, { value: "9@x.de", type: "work", primary: true }] });
  await at.create("b", { emails: [{ value: "5@x.de", type: "other" }, { value: "0@x.de", type: "a" }] });
  await at.create("c");
  expect((await list({ sortBy: "emails" })).names).toEqual(["b", "a", "c"]);
  expect((await list({ sortBy: "emails.value" })).names).toEqual(["b", "a", "c"]);
  expect((await list({ sortBy: "emails.type" })).names).toEqual(["b", "a", "c"]);
});

test("listUsers() counts anew after a change", async () => {
  for (const name of ["a", "b", "c", "d"]) await at.create(name);
  expect((await list({ count: 2 })).names).toEqual(["a", "b"]);
  expect((await list({ filter: "userName pr", count: 2 })).names).toEqual(["a", "b"]);
  await at.create("aa");
  expect((await list({ startIndex: 3, count: 2 })).names).toEqual(["b", "c"]);
  expect(await list({ filter: "userName pr", startIndex: 3, count: 2 })).toEqual({ total: 5, names: ["b", "c"] });
});

test("listUsers() of one company never shows what was found for another", async () => {
  await at.create("ann");
  await at.create("bob", {}, { companyId: "co-2" });
  for (
    const question of [{ filter: "active eq true" }, { filter: "" }, { filter: "", sortBy: "displayName" }, {
      filter: "",
      startIndex: 1,
      count: 1,
    }]
  ) {
    for (const [companyId, name] of [["co-1", "ann@x.de"], ["co-2", "bob@x.de"], ["co-1", "ann@x.de"]] as const) {
      const { usersJson } = await at.scim.listUsers({ scope: scope({ companyId }), directory, startIndex: 1, ...question });
      expect(usersJson.map((user) => JSON.parse(Buffer.from(user).toString())["userName"])).toEqual([name]);
    }
  }
});

test("listUsers() of one company does not begin where a page of another ended", async () => {
  for (const name of ["a", "b", "c"]) await at.create(name);
  for (const name of ["x", "y", "z"]) await at.create(name, {}, { companyId: "co-2" });
  expect((await list({ startIndex: 1, count: 2 })).names).toEqual(["a", "b"]);
  expect((await list({ startIndex: 3, count: 2, scope: scope({ companyId: "co-2" }) })).names).toEqual(["z"]);
});

test("listUsers() looks anew where the users are shown at another address", async () => {
  await at.create("a");
  const filter = `meta.location sw "https://other.example"`;
  expect((await list({ filter })).names).toEqual([]);
  expect((await list({ filter, scope: scope({ baseUrl: "https://other.example" }) })).names).toEqual(["a"]);
});

test("listUsers() sorts by any attribute, those without a value last", async () => {
  await at.create("a", { displayName: "Zoe" });
  await at.create("b");
  await at.create("c", { displayName: "adam" });
  await at.create("d", { displayName: "Bea", department: "bi" });
  expect((await list({ sortBy: "displayName" })).names).toEqual(["c", "d", "a", "b"]);
  expect((await list({ sortBy: "displayName", descending: true })).names).toEqual(["b", "a", "d", "c"]);
  expect((await list({ sortBy: "DEPARTMENT", filter: `displayName pr` })).names).toEqual(["d", "a", "c"]);
  expect((await list({ sortBy: "displayName", filter: `userName eq "a@x.de" or userName eq "C@x.de"` })).names).toEqual(["c", "a"]);
  for (const sortBy of ["name", "permissions", "permissions.appGroup", "nothing"]) {
    await expect(list({ sortBy })).rejects.toMatchObject({ reason: "INPUT_INVALID" });
  }
});

test("listUsers() finds by index and by looking at all the same users", async () => {
  for (const name of ["a", "b", "c"]) await at.create(name, { externalId: `x-${name}` });
  const id = (await at.create("d")).id;
  for (
    const [filter, names] of [
      [`userName eq "B@X.de"`, ["b"]],
      [`userName eq "b@x.de" and active eq false`, []],
      [`externalId eq "x-c" or id eq "${id}"`, ["c", "d"]],
      [`externalId eq "X-C"`, []],
      [`userName eq "nobody"`, []],
      [`not (userName eq "b@x.de")`, ["a", "c", "d"]],
      [`userName eq "b@x.de" or active eq true`, ["a", "b", "c", "d"]],
      [`permissions.appGroup[appGroupName eq "Blog"]`, ["a", "b", "c", "d"]],
    ] as const
  ) expect(await list({ filter }), filter).toEqual({ total: names.length, names });
  expect(await list({ filter: "active eq true", startIndex: 3, count: 1 })).toEqual({ total: 4, names: ["c"] });
});

test("listUsers() finds, by whatever index, whom a look at everybody finds", async () => {
  const known = ["a", "b", "c", "d", "e", "f"];
  const users: Record<string, unknown>[] = [];
  for (const name of known) {
    const { json } = await at.create(name, {
      externalId: `x-${name}`,
      active: name < "d",
      ...(name === "b" ? { displayName: "Bea" } : {}),
    });
    users.push(json);
  }
  const term = fc.oneof(
    fc.constantFrom(...known, "nobody").map((name) => `userName eq "${name}@X.de"`),
    fc.constantFrom(...known, "nobody").map((name) => `externalId eq "x-${name}"`),
    fc.nat(users.length - 1).map((place) => `id eq "${String(users[place]?.["id"])}"`),
    fc.constantFrom("active eq true", "displayName pr", `userName gt "c"`, `userName ne "a@x.de"`, `externalId eq null`),
  );
  const filters = fc.letrec<{ filter: string }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3 },
      term,
      fc.tuple(tie("filter"), fc.constantFrom("and", "or"), tie("filter")).map(([left, word, right]) => `(${left}) ${word} (${right})`),
      tie("filter").map((inner) => `not (${inner})`),
    ),
  })).filter;
  await fc.assert(
    fc.asyncProperty(filters, async (filter) => {
      const expected = users.filter((user) => matches(parseFilter(filter), user)).map((user) => String(user["userName"]).split("@")[0]);
      expect(await list({ filter })).toEqual({ total: expected.length, names: expected });
    }),
    { numRuns: 300 },
  );
});
