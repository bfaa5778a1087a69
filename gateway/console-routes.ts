/** DATA: the rows of the route table for the console: a page for everybody, and what it shows for holders of a key. */
import { limits } from "../platform/limits.ts";
import { operatorPermission } from "./access/permissions.ts";
import type { KeyRoute, Route } from "./route.ts";
import { handleConsole, handleConsoleAsset } from "./routes/console-page.ts";
import { handleConsoleOverview } from "./routes/console-overview.ts";
import { handleConsoleRejected, handleConsoleRejectedAdmit } from "./routes/console-rejected.ts";
import { handleConsoleUsers } from "./routes/console-users.ts";

const read = {
  guard: "key",
  permission: "console.view",
  limit: "console",
  takes: "read",
  status: 200,
  dialect: "rest",
} as const satisfies Partial<KeyRoute>;

export const consoleRoutes: readonly Route[] = [
  { guard: "open", method: "GET", path: "/console", handler: handleConsole },
  { guard: "open", method: "GET", path: "/console/assets/:name", handler: handleConsoleAsset },
  { ...read, method: "GET", path: "/console/overview", bodyBytesMax: 0, handler: handleConsoleOverview },
  // A POST, so that no name of a user stands in an address
  { ...read, method: "POST", path: "/console/users", bodyBytesMax: limits.smallRequestBytesMax, handler: handleConsoleUsers },
  { ...read, permission: operatorPermission, method: "GET", path: "/console/rejected", bodyBytesMax: 0, handler: handleConsoleRejected },
  {
    ...read,
    permission: operatorPermission,
    method: "POST",
    path: "/console/rejected/admit",
    takes: "write",
    status: 201,
    bodyBytesMax: limits.smallRequestBytesMax,
    handler: handleConsoleRejectedAdmit,
  },
];
