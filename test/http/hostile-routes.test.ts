/** Paths beside the routes, and methods that a route does not have. */
import { expect, test } from "vitest";
import { routeTable } from "../../gateway/route-table.ts";
import { heddleSuite } from "../suite.ts";

const heddle = heddleSuite();

test("every route answers other methods with 405 and the methods it has, and paths beside it with 404", async () => {
  for (const route of routeTable) {
    const path = route.path.replaceAll(/:\w+/g, "x");
    const there = new Set(routeTable.filter((one) => one.path.replaceAll(/:\w+/g, "x") === path).map(({ method }) => method as string));
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter((name) => !there.has(name))) {
      const answer = await fetch(heddle.heddle.url + path, { method });
      const text = await answer.text();
      expect([method, path, answer.status], text.slice(0, 200)).toEqual([method, path, 405]);
      const allowed = (answer.headers.get("allow") ?? "").split(", ").filter((name) => name !== "HEAD");
      expect(allowed.toSorted()).toEqual([...there].toSorted());
    }
    expect((await fetch(`${heddle.heddle.url}${path}/x/y/z`)).status).toBe(404);
  }
});
