/** What of an installation a move takes. */
import { expect, test } from "vitest";
import type { AccessRows } from "../../../gateway/access/rows.ts";
import { writesOf } from "../../../gateway/access/row-set.ts";
import { chooseMoved } from "./move-choice.ts";

const holder = { name: "n", ipAllow: [], createdAt: 0, revokedAt: null };
const rows = {
  companies: ["c1", "c2"].map((id) => ({ id, name: `company ${id}`, onboardedAt: "2020-01-01" })),
  workspaces: [["w1", "c1"], ["w2", "c1"], ["w3", "c2"]].map(([id, companyId]) => ({ id, companyId, name: `name ${id}` })),
  keys: ["w1", "w2", "w3"].map((workspaceId) => ({ ...holder, id: `k-${workspaceId}`, workspaceId, permissions: [], digest: workspaceId })),
  tokens: ["c1", "c2"].map((companyId) => ({ ...holder, id: `t-${companyId}`, companyId, digest: companyId })),
  declared: [
    { workspaceId: "w1", kind: "team", id: "north", content: {} },
    { workspaceId: "w2", kind: "team", id: "south", content: {} },
    { workspaceId: "c1", kind: "permission_set", id: "editors", content: {} },
  ],
} as unknown as AccessRows;

test("chooseMoved() takes everything where nothing is named", () => {
  const { workspaceIds, companyIds, leftOut, ...chosen } = chooseMoved(rows, { workspace: undefined });
  expect([[...workspaceIds], [...companyIds], leftOut]).toEqual([["w1", "w2", "w3"], ["c1", "c2"], []]);
  expect(chosen.rows).toBe(rows);
  expect(writesOf(rows)).toHaveLength(2 + 3 + 3 + 2 + 3);
});

test("chooseMoved() takes one workspace with its company's row, and says what of the company is left out", () => {
  for (const name of ["w1", "name w1", "company c1/name w1"]) {
    const { workspaceIds, companyIds, leftOut, ...chosen } = chooseMoved(rows, { workspace: name });
    expect([[...workspaceIds], [...companyIds]]).toEqual([["w1"], []]);
    expect(chosen.rows.companies.map(({ id }) => id)).toEqual(["c1"]);
    expect(chosen.rows.workspaces.map(({ id }) => id)).toEqual(["w1"]);
    expect(chosen.rows.keys.map(({ id }) => id)).toEqual(["k-w1"]);
    expect([chosen.rows.tokens, chosen.rows.declared.map(({ id }) => id)]).toEqual([[], ["north"]]);
    expect(leftOut).toEqual(["dashboard users", "SCIM tokens (1)", "permission sets (1)"]);
  }
});

test("chooseMoved() refuses a name that nobody has, and an installation without workspaces", () => {
  expect(() => chooseMoved(rows, { workspace: "nobody" })).toThrow('No workspace is called "nobody"');
  expect(() => chooseMoved({ ...rows, workspaces: [] }, { workspace: undefined })).toThrow("There is no workspace");
});
