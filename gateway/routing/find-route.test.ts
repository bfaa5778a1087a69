/** Which paths lead to which routes, and which lead nowhere. */
import { expect, test } from "vitest";
import { openRoutes, openRoutesByHost } from "./find-route.ts";
import { routeTable } from "../route-table.ts";

const find = openRoutes(routeTable);

function outcome(method: string, path: string): string {
  const found = find(method, path);
  if (found.kind === "route") return [found.route.path, ...found.params.values()].join(" ");
  return found.kind === "other_method" ? `allow ${found.allow}` : `unknown${found.hint === undefined ? "" : ` hint ${found.hint}`}`;
}

test.each([
  ["POST", "/users/track", "/users/track"],
  ["POST", "/users/track/", "/users/track"],
  ["GET", "/users/track/", "unknown hint /users/track"],
  ["POST", "/users/track//", "unknown"],
  ["POST", "//users/track", "unknown"],
  ["POST", "/users//track", "unknown"],
  ["POST", "/users/Track", "unknown"],
  ["POST", "/users%2ftrack", "unknown"],
  ["POST", "/users/%74rack", "unknown"],
  ["POST", "/users/./track", "unknown"],
  ["POST", "/users/%2e/track", "unknown"],
  ["POST", "/users/x/../track", "unknown"],
  ["POST", "/users/track;v=1", "unknown"],
  ["POST", "/", "unknown"],
  ["POST", "/__proto__", "unknown"],
  ["GET", "/users/track", "allow POST"],
  ["OPTIONS", "/users/track", "allow POST"],
  ["HEAD", "/users/track", "allow POST"],
  ["__proto__", "/users/track", "allow POST"],
  ["GET", "/livez", "/livez"],
  ["HEAD", "/livez", "/livez"],
  ["GET", "/livez/", "/livez"],
  ["GET", "/livez//", "unknown"],
  ["POST", "/livez", "allow GET, HEAD"],
  ["GET", "/users/merge/status/job-1", "/users/merge/status/:id job-1"],
  ["GET", "/users/merge/status/job-1/", "/users/merge/status/:id job-1"],
  ["GET", "/users/merge/status/a%20b", "/users/merge/status/:id a b"],
  ["GET", "/users/merge/status/", "unknown"],
  ["GET", "/users/merge/status/a%2Fb", "unknown"],
  ["GET", "/users/merge/status/a%5Cb", "unknown"],
  ["GET", "/users/merge/status/%2e%2e", "unknown"],
  ["GET", "/users/merge/status/%zz", "unknown"],
  ["GET", "/users/merge/status/%00", "unknown"],
  ["GET", "/users/merge/status/a/b", "unknown"],
  ["POST", "/users/merge/status/job-1", "allow GET, HEAD"],
  ["GET", "/preference_center/v1/c/url/a%2Fb%5Cc%09", "/preference_center/v1/:id/url/:userID c a/b\\c\t"],
  ["GET", "/preference_center/v1/c/url/%2e%2e/", "/preference_center/v1/:id/url/:userID c .."],
  ["GET", "/preference_center/v1/c%2Fd/url/ann", "unknown"],
  ["GET", "/preference_center/v1/c/url/", "unknown"],
  ["GET", "/preference_center/v1/c/url/%zz", "unknown"],
  ["GET", "/preference_center/v1/c/url/a/b", "unknown"],
])("openRoutes() %s %s: %s", (method, path, expected) => {
  expect(outcome(method, path)).toBe(expected);
});

test.each([
  ["mail.example.com", "GET", "/preferences/abc", "route"],
  ["Mail.Example.com", "POST", "/unsubscribe/abc", "route"],
  ["mail.example.com", "GET", "/console", "unknown"],
  ["mail.example.com", "GET", "/docs", "unknown"],
  ["mail.example.com", "POST", "/users/track", "unknown"],
  ["mail.example.com:443", "GET", "/console", "unknown"],
  ["mail.example.com:443", "GET", "/preferences/abc", "route"],
  ["mail.example.com:8080", "GET", "/console", "route"],
  ["data.example.com", "GET", "/console", "route"],
  ["data.example.com", "GET", "/preferences/abc", "route"],
])("a host for pages alone: %s %s %s is %s", (host, method, path, kind) => {
  const found = openRoutesByHost(routeTable, { publicUrl: "https://data.example.com", pagesUrl: "https://mail.example.com" });
  expect(found({ method, path, headers: new Map([["host", host]]) }).kind).toBe(kind);
});

test("a host for pages that is the server's own leaves everything there", () => {
  const found = openRoutesByHost(routeTable, { publicUrl: "https://a.example/x", pagesUrl: "https://a.example/pages" });
  expect(found({ method: "GET", path: "/console", headers: new Map([["host", "a.example"]]) }).kind).toBe("route");
});
