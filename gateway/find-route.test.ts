/** Which paths lead to which routes, and which lead nowhere. */
import { expect, test } from "vitest";
import { openRoutes } from "./find-route.ts";
import { routeTable } from "./route-table.ts";

const find = openRoutes(routeTable);

function outcome(method: string, path: string): string {
  const found = find(method, path);
  if (found.kind === "route") return [found.route.path, ...found.params.values()].join(" ");
  return found.kind === "other_method" ? `allow ${found.allow}` : `unknown${found.hint === undefined ? "" : ` hint ${found.hint}`}`;
}

test.each([
  ["POST", "/users/track", "/users/track"],
  ["POST", "/users/track/", "unknown hint /users/track"],
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
])("openRoutes() %s %s: %s", (method, path, expected) => {
  expect(outcome(method, path)).toBe(expected);
});
