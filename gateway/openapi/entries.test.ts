/** The document and the live routes are equal, in both directions, and the document is valid OpenAPI 3.1. */
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { permissionNames } from "../access/permissions.ts";
import { routeTable } from "../route-table.ts";
import { openapiDocument, routeName } from "./document.ts";
import { entries } from "./entries.ts";

const routes = routeTable.map(routeName);
const document = JSON.parse(JSON.stringify(openapiDocument(routeTable)));

test("every route of gateway/route-table.ts has an entry", () => {
  const missing = routes.filter((name) => !entries.some(({ route }) => route === name));
  expect(missing, "Add an entry for each of these to the file of gateway/openapi/entries/ that it belongs to").toEqual([]);
});

test("every entry has a route", () => {
  const left = entries.map(({ route }) => route).filter((name) => !routes.includes(name));
  expect(left, "Remove these entries from gateway/openapi/entries/, or add the routes to gateway/route-table.ts").toEqual([]);
});

test("every entry has an example, which test/http/openapi.test.ts sends", () => {
  expect(entries.filter(({ examples }) => examples.length === 0).map(({ route }) => route)).toEqual([]);
});

test("no route has two entries, no operation the name of another", () => {
  expect(new Set(entries.map(({ route }) => route)).size).toBe(entries.length);
  expect(new Set(entries.map(({ operationId }) => operationId)).size).toBe(entries.length);
});

test("openapiDocument() holds one operation a route", () => {
  const operations = Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replaceAll(/[{](\w+)[}]/g, ":$1")}`)
  );
  expect(operations.toSorted()).toEqual(routes.toSorted());
});

test("openapiDocument() is valid OpenAPI 3.1 without a dead reference", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  expect([valid, errors]).toEqual([true, undefined]);
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#([^"]+)"/g)].map(([, pointer]) => pointer ?? "");
  expect([...new Set(refs)].filter((pointer) => at(pointer) === undefined)).toEqual([]);
});

test("openapiDocument() names a known permission, a limit and all shared refusals for each route with a key", () => {
  for (const route of routeTable) {
    if (route.guard !== "key") continue;
    const operation = document.paths[route.path.replaceAll(/:(\w+)/g, "{$1}")][route.method.toLowerCase()];
    expect(permissionNames).toContain(operation["x-heddle-permission"]);
    expect(operation["x-heddle-limit"]).toMatchObject({ name: route.limit, requests: expect.any(Number) });
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining([String(route.status), "400", "401", "403", "429", "500", "503"]),
    );
  }
});

test("openapiDocument() has an Idempotency-Key for no route that reads", () => {
  const keyed = routeTable.filter((route) => {
    const operation = document.paths[route.path.replaceAll(/:(\w+)/g, "{$1}")][route.method.toLowerCase()];
    return /parameters\/IdempotencyKey"|IDEMPOTENCY_KEY_REUSED/.test(JSON.stringify(operation));
  });
  expect(keyed.length).toBeGreaterThan(20);
  expect(keyed.filter((route) => route.guard === "open" || route.takes === "read").map(routeName)).toEqual([]);
});

function at(pointer: string): unknown {
  return pointer.split("/").slice(1).reduce<Record<string, unknown> | undefined>(
    (value, name) => value?.[name.replaceAll("~1", "/").replaceAll("~0", "~")] as Record<string, unknown> | undefined,
    document,
  );
}
