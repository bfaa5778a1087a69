/** Applying declarations gives no new company the id of a workspace, nor a workspace that of a company. */
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import type { Workspace } from "../access.ts";
import { parseDeclaration } from "../declaration/declaration.ts";
import { declare } from "./declare.ts";
import { openAccess } from "../store/sqlite.ts";

async function open() {
  const access = await openAccess({ database: openDatabase({ path: ":memory:" }), clock: fakeClock() });
  return { access, apply: (text: string) => declare(access, parseDeclaration(text)) };
}

test.each([
  [
    "a workspace the id of its company",
    "companies:\n  - { name: a, id: one, workspaces: [{ name: w, id: one }] }",
    /line 2: .* workspace "a\/w" .* "one"/,
  ],
  [
    "a company the id of a workspace that stands before it",
    "companies:\n  - { name: a, workspaces: [{ name: w, id: one }] }\n  - { name: b, id: one }",
    /line 3: .* company "b" .* "one"/,
  ],
  ["a company the id of a workspace there is", "companies:\n  - { name: b, id: known-ws }", /line 2: .* company "b" .* "known-ws"/],
  ["a workspace the id of a company there is", "companies:\n  - { name: c, workspaces: [{ name: w, id: known }] }", /line 2: .* "known"/],
])("declare() refuses to give %s: events and limits go by either", async (_, text, expected) => {
  const { access, apply } = await open();
  await apply("companies: [{ name: known, id: known, workspaces: [{ name: w, id: known-ws }] }]");
  const rows = access.rows();
  await expect(apply(text)).rejects.toThrow(expected);
  expect(access.rows()).toEqual(rows);
});

test("declare() goes on with a company and a workspace of one id that are there already", async () => {
  const { access, apply } = await open();
  const file = "companies: [{ name: a, id: one, workspaces: [{ name: w, id: one }] }]";
  await apply(file.replace("w, id: one", "w, id: two"));
  const row = { ...access.rows().workspaces[0], id: "one" } as Workspace;
  await access.transact(() => ({ writes: [{ drop: "workspace", id: "two" }, { put: "workspace", row }], result: undefined }));
  expect((await apply(file)).changes.map(({ action }) => action)).toEqual(["unchanged", "unchanged"]);
});
