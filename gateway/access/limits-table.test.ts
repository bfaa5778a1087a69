/** The published limits against the specification, and against the route table. */
import { expect, test } from "vitest";
import { permissionNames } from "./permissions.ts";
import type { Plan } from "./access.ts";
import { companyQuotaOf, type LimitName, limitNames, limitsTable, type PublishedLimit, quotaOf } from "./limits-table.ts";
import { routeTable } from "../route-table.ts";
import { stubHolder } from "../../test/gateway-stub.ts";

const keyRoutes = routeTable.filter((route) => route.guard === "key");

function buckets(limit: LimitName, terms: { onboardedAt?: string; plan?: Plan; limits?: Record<string, number> } = {}): string[] {
  const { company, workspace, key } = stubHolder();
  const holder = {
    key,
    company: { ...company, onboardedAt: terms.onboardedAt ?? company.onboardedAt },
    workspace: { ...workspace, plan: terms.plan ?? workspace.plan, ...(terms.limits ? { limits: terms.limits } : {}) },
  };
  return quotaOf(limit, holder).parts.map(({ name, bucket }) => `${name} ${bucket.capacity}/${bucket.windowMs}ms`);
}

/** The rows of "Limits" that count requests, and what routes each is about. What holds for the customer of that row, to the digit. */
const published: readonly (readonly [routes: readonly string[], terms: Parameters<typeof buckets>[1], bucket: string])[] = [
  [["POST /users/track"], {}, "3000/3000ms"],
  [["POST /v2/subscription/status/set", "POST /subscription/status/set"], {}, "5000/60000ms"],
  [["GET /subscription/status/get"], {}, "250000/3600000ms"],
  [
    ["POST /users/merge", "POST /users/alias/new", "POST /users/alias/update", "POST /users/identify", "POST /users/delete"],
    { onboardedAt: "2021-09-16" },
    "20000/60000ms",
  ],
  [["POST /email/status"], {}, "250000/3600000ms"],
  [["POST /email/blocklist"], {}, "250000/3600000ms"],
  [["POST /sms/invalid_phone_numbers/remove"], {}, "250000/3600000ms"],
  [["PUT /preference_center/v1/:id"], {}, "10/60000ms"],
  [["GET /preference_center/v1/:id"], {}, "1000/60000ms"],
  [
    ["GET /campaign/translations", "GET /campaigns/translations", "GET /canvas/translations"],
    {},
    "250000/86400000ms",
  ],
];

test.each(published)("%j: one bucket of the workspace, as the specification has it", (routes, terms, bucket) => {
  const limits = routes.map((name) => keyRoutes.find(({ method, path }) => `${method} ${path}` === name)?.limit);
  expect(new Set(limits).size).toBe(1);
  const [limit = "console"] = limits;
  expect((limitsTable[limit] as PublishedLimit).scope ?? "workspace").toBe("workspace");
  expect(buckets(limit, terms)).toEqual([`${limit} ${bucket}`]);
});

test("the rows of the specification share no bucket with each other", () => {
  const limits = published.map(([[name]]) => keyRoutes.find(({ method, path }) => `${method} ${path}` === name)?.limit);
  expect(new Set(limits).size).toBe(published.length);
});

test("all SCIM routes share 5,000 a day of the company, creating too", () => {
  const scim = routeTable.filter((route) => route.guard === "scim");
  expect(scim.map(({ limit }) => limit)).toEqual(scim.map(() => "scim"));
  expect(scim.map(({ method, path }) => `${method} ${path}`)).toContain("POST /scim/v2/Users");
  expect(limitsTable.scim).toEqual({ bucket: { capacity: 5_000, windowMs: 86_400_000 }, scope: "company" });
});

test("quotaOf() has the numbers of the specification", () => {
  expect(buckets("users_track")).toEqual(["users_track 3000/3000ms"]);
  expect(buckets("users_identity", { onboardedAt: "2021-09-16" })).toEqual(["users_identity 20000/60000ms"]);
  expect(buckets("users_identity", { onboardedAt: "2021-09-15" })).toEqual(["users_identity 250000/3600000ms"]);
  expect(buckets("users_export_ids", { onboardedAt: "2024-08-22" })).toEqual(["users_export_ids 250/60000ms"]);
  expect(buckets("users_export_ids", { onboardedAt: "2024-08-21" })).toEqual(["users_export_ids 2500/60000ms"]);
  expect(buckets("users_track_sync")).toEqual(["users_track_sync 500/60000ms"]);
  expect(buckets("users_track_bulk")).toEqual(["users_track_bulk 50/1000ms"]);
  expect(companyQuotaOf("scim", stubHolder().company).policy).toBe('"scim";q=5000;w=86400');
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

test("quotaOf() takes what was declared for the workspace, in the window of the limit that holds for it", () => {
  const terms = { onboardedAt: "2020-01-01", limits: { users_track: 9_000, users_identity: 300_000 } };
  expect(buckets("users_track", terms)).toEqual(["users_track 9000/3000ms"]);
  expect(buckets("users_identity", terms)).toEqual(["users_identity 300000/3600000ms"]);
  expect(buckets("users_export_ids", terms)).toEqual(["users_export_ids 2500/60000ms"]);
  const plan: Plan = { kind: "monthly_active_users", requestsPerHour: 7_000, requestsPerSecondBurst: 9 };
  expect(buckets("users_track", { ...terms, plan })).toEqual(["users_track_second 9/1000ms", "users_track_hour 7000/3600000ms"]);
});

test("companyQuotaOf() takes what was declared for the company, and knows a changed company from the one before", () => {
  const { company } = stubHolder();
  expect(companyQuotaOf("scim", company).parts).toEqual([{ name: "scim", bucket: { capacity: 5_000, windowMs: 86_400_000 } }]);
  expect(companyQuotaOf("scim", { ...company, limits: { scim: 20_000 } }).policy).toBe('"scim";q=20000;w=86400');
  const { workspace } = stubHolder();
  expect(quotaOf("users_identity", { workspace, company: { ...company, onboardedAt: "2020-01-01" } }).policy).toContain("q=250000");
  expect(quotaOf("users_identity", { workspace, company: { ...company, onboardedAt: "2026-01-01" } }).policy).toContain("q=20000;");
});

test("limitNames() tells limits of the workspace from those of the company", () => {
  expect(limitNames("company")).toEqual(["scim"]);
  expect(limitNames("workspace")).toContain("users_track");
  expect([...limitNames("company"), ...limitNames("workspace")].toSorted()).toEqual(Object.keys(limitsTable).toSorted());
});

test("routeTable spends every limit, and only limits that exist", () => {
  const spent = new Set<string>(routeTable.flatMap((route) => ("limit" in route ? [route.limit] : [])));
  expect([...spent, "unknown_routes"].toSorted()).toEqual(Object.keys(limitsTable).toSorted());
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

test("routeTable counts previews of pages by themselves, as each may take a second of CPU", () => {
  const previews = keyRoutes.filter((route) => route.limit === "preference_center_preview").map(({ method, path }) => `${method} ${path}`);
  expect([previews, buckets("preference_center_preview")]).toEqual([
    ["POST /preference_center/v1/:id/preview"],
    ["preference_center_preview 120/60000ms"],
  ]);
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
  const others = keyRoutes.filter(({ status, method }) => status !== 201 && method !== "PUT").map(({ path, status }) => [path, status]);
  const reads = keyRoutes.filter(({ method }) => method === "GET").map(({ path }) => [path, 200]);
  // Forms by POST of two of these reads (extensions)
  const byBody = [["/subscription/status/get", 200], ["/subscription/user/status", 200]];
  // A slip of the published sample: an update by POST; and its kin, which restores (extension)
  const updates = [["/preference_center/v1/:id", 200], ["/preference_center/v1/:id/versions/:version/restore", 200]];
  // What it would look like, without anything being written (extension)
  const previews = [["/preference_center/v1/:id/preview", 200]];
  for (const route of keyRoutes.filter(({ method }) => method === "PUT")) expect(route.status).toBe(200);
  expect(others.toSorted()).toEqual(
    [
      ["/users/merge", 202],
      ["/users/merge/preview", 200],
      ["/console/log/records", 200],
      ["/console/users", 200],
      ["/console/people", 200],
      ["/console/people/search", 200],
      ...byBody,
      ...updates,
      ...previews,
      ...reads,
    ].toSorted(),
  );
});
