/** The published limits against the specification, and against the route table. */
import { expect, test } from "vitest";
import { permissionNames } from "./access/permissions.ts";
import type { Plan } from "./access/access.ts";
import { type LimitName, limitsTable, quotaNamed, quotaOf } from "./limits-table.ts";
import { routeTable } from "./route-table.ts";
import { stubHolder } from "../test/gateway-stub.ts";

const keyRoutes = routeTable.filter((route) => route.guard === "key");

function buckets(limit: LimitName, terms: { onboardedAt?: string; plan?: Plan } = {}): string[] {
  const { company, workspace, key } = stubHolder();
  const holder = {
    key,
    company: { ...company, onboardedAt: terms.onboardedAt ?? company.onboardedAt },
    workspace: { ...workspace, plan: terms.plan ?? workspace.plan },
  };
  return quotaOf(limit, holder).parts.map(({ name, bucket }) => `${name} ${bucket.capacity}/${bucket.windowMs}ms`);
}

test("quotaOf() has the numbers of the specification", () => {
  expect(buckets("users_track")).toEqual(["users_track 3000/3000ms"]);
  expect(buckets("users_identity", { onboardedAt: "2021-09-16" })).toEqual(["users_identity 20000/60000ms"]);
  expect(buckets("users_identity", { onboardedAt: "2021-09-15" })).toEqual(["users_identity 250000/3600000ms"]);
  expect(buckets("users_export_ids", { onboardedAt: "2024-08-22" })).toEqual(["users_export_ids 250/60000ms"]);
  expect(buckets("users_export_ids", { onboardedAt: "2024-08-21" })).toEqual(["users_export_ids 2500/60000ms"]);
  expect(buckets("users_track_sync")).toEqual(["users_track_sync 500/60000ms"]);
  expect(buckets("users_track_bulk")).toEqual(["users_track_bulk 50/1000ms"]);
  expect(quotaNamed("scim").policy).toBe('"scim";q=5000;w=86400');
  expect(buckets("users_external_ids")).toEqual(["users_external_ids 1000/60000ms"]);
});

test("quotaOf() takes hour and burst of a monthly-active-user plan from the workspace, for /users/track only", () => {
  const plan: Plan = { kind: "monthly_active_users", requestsPerHour: 7_000, requestsPerSecondBurst: 9 };
  expect(buckets("users_track", { plan })).toEqual(["users_track_second 9/1000ms", "users_track_hour 7000/3600000ms"]);
  expect(buckets("users_track_bulk", { plan })).toEqual(["users_track_bulk 50/1000ms"]);
  const holder = { ...stubHolder(), workspace: { ...stubHolder().workspace, plan } };
  expect(quotaOf("users_track", holder)).toBe(quotaOf("users_track", holder));
  expect(quotaOf("users_track", holder).policy).toBe('"users_track_second";q=9;w=1, "users_track_hour";q=7000;w=3600');
});

test("routeTable spends every limit, and only limits that exist", () => {
  const spent = new Set<string>(routeTable.flatMap((route) => ("limit" in route ? [route.limit] : [])));
  expect([...spent].toSorted()).toEqual(Object.keys(limitsTable).toSorted());
});

test("routeTable shares one bucket among merge, alias, identify and delete", () => {
  const shared = keyRoutes.filter((route) => route.limit === "users_identity").map((route) => route.path);
  expect(shared).toEqual([
    "/users/alias/new",
    "/users/alias/update",
    "/users/merge",
    "/users/merge/undo",
    "/users/identify",
    "/users/delete",
  ]);
});

test("routeTable shares one bucket between both versions of /subscription/status/set, and none among the default ones", () => {
  const pathsOf = (limit: LimitName) => keyRoutes.filter((route) => route.limit === limit).map((route) => route.path);
  expect(pathsOf("subscription_status_set")).toEqual(["/subscription/status/set", "/v2/subscription/status/set"]);
  expect(buckets("subscription_status_set")).toEqual(["subscription_status_set 5000/60000ms"]);
  for (const limit of ["subscription_status_get", "email_status", "email_blocklist", "sms_invalid_phone_numbers_remove"] as const) {
    expect(buckets(limit)).toEqual([`${limit} 250000/3600000ms`]);
  }
  expect(pathsOf("email_blocklist")).toEqual(["/email/blocklist", "/email/blacklist"]);
});

test("routeTable asks for permissions that a key can hold", () => {
  for (const route of keyRoutes) expect(permissionNames, route.path).toContain(route.permission);
});

test("routeTable has each method and path once, and tells reads from writes", () => {
  const names = routeTable.map((route) => `${route.method} ${route.path}`);
  expect(new Set(names).size).toBe(names.length);
  for (const route of keyRoutes.filter(({ method }) => method === "GET")) expect([route.takes, route.bodyBytesMax]).toEqual(["read", 0]);
});

test("routeTable answers 201 but for merge (202), the merge reads and probes (200)", () => {
  const others = keyRoutes.filter(({ status }) => status !== 201).map(({ path, status }) => [path, status]);
  const reads = keyRoutes.filter(({ method }) => method === "GET").map(({ path }) => [path, 200]);
  expect(others.toSorted()).toEqual([["/users/merge", 202], ["/users/merge/preview", 200], ...reads].toSorted());
});
