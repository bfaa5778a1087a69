/** The permissions that may be declared are those that routes ask for. */
import { expect, test } from "vitest";

import { routeTable } from "../route-table.ts";
import { permissionNames } from "./permissions.ts";

test("permissionNames holds the permission of every route", () => {
  const asked = routeTable.flatMap((route) => "permission" in route && route.permission ? [route.permission] : []);
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.filter((name) => !permissionNames.includes(name))).toEqual([]);
});
