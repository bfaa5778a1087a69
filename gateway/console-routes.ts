/** DATA: the rows of the route table for the console: a page for everybody, and what it shows for holders of a key. */
import { limits } from "../platform/limits.ts";
import { bodiesPermission, operatorPermission } from "./access/permissions.ts";
import type { KeyRoute, Route } from "./route.ts";
import { handleConsole, handleConsoleAsset, handleConsolePreview } from "./routes/console-page.ts";
import {
  handleConsoleActions,
  handleConsoleKeys,
  handleConsoleKeysCreate,
  handleConsoleKeysRevoke,
  handleConsoleKeysRotate,
} from "./routes/console-keys.ts";
import { handleConsoleDeclaration } from "./routes/console-declaration.ts";
import { handleConsoleLag } from "./routes/console-lag.ts";
import { handleConsoleLive, handleConsoleLiveBodies } from "./routes/console-live.ts";
import { handleConsoleLog, handleConsoleLogRecords, handleConsoleLogRedrive, handleConsoleLogSkip } from "./routes/console-log.ts";
import { handleConsoleOverview } from "./routes/console-overview.ts";
import { handleConsoleGroups, handleConsolePeople, handleConsolePeopleSearch } from "./routes/console-people.ts";
import { handleConsoleDoctor, handleConsoleProcesses } from "./routes/console-processes.ts";
import { handleConsoleRejected, handleConsoleRejectedAdmit } from "./routes/console-rejected.ts";
import { handleConsoleRequests } from "./routes/console-requests.ts";
import { handleConsoleSeries } from "./routes/console-series.ts";
import {
  handleConsoleSession,
  handleConsoleSessionEnd,
  handleConsoleSessionEndAll,
  handleConsoleSessionOpen,
} from "./routes/console-session.ts";
import { handleConsoleTranslations } from "./routes/console-translations.ts";
import { handleConsoleUsers } from "./routes/console-users.ts";

const read = {
  guard: "key",
  permission: "console.view",
  limit: "console",
  takes: "read",
  status: 200,
  dialect: "rest",
} as const satisfies Partial<KeyRoute>;

const write = {
  ...read,
  method: "POST",
  takes: "write",
  status: 201,
  bodyBytesMax: limits.smallRequestBytesMax,
} as const satisfies Partial<KeyRoute>;

/** Secrets are shown once and stored nowhere, so that no answer could be given again; what was tried or passed over waits no longer. */
const unkept = { ...write, keepsAnswers: false } as const satisfies Partial<KeyRoute>;

const keys = "console.keys";

export const consoleRoutes: readonly Route[] = [
  { guard: "open", method: "GET", path: "/console", handler: handleConsole },
  { guard: "open", method: "GET", path: "/console/preview", handler: handleConsolePreview },
  { guard: "open", method: "GET", path: "/console/assets/:name", handler: handleConsoleAsset },
  { ...read, method: "GET", path: "/console/overview", bodyBytesMax: 0, handler: handleConsoleOverview },
  { ...read, method: "GET", path: "/console/series", bodyBytesMax: 0, handler: handleConsoleSeries },
  { ...read, method: "GET", path: "/console/requests", bodyBytesMax: 0, handler: handleConsoleRequests },
  { ...read, method: "GET", path: "/console/live", bodyBytesMax: 0, handler: handleConsoleLive },
  {
    ...read,
    permission: bodiesPermission,
    audit: "session",
    method: "GET",
    path: "/console/live/bodies",
    bodyBytesMax: 0,
    handler: handleConsoleLiveBodies,
  },
  // A POST, so that no name of a user stands in an address
  { ...read, method: "POST", path: "/console/users", bodyBytesMax: limits.smallRequestBytesMax, handler: handleConsoleUsers },
  { ...read, method: "POST", path: "/console/people", bodyBytesMax: limits.smallRequestBytesMax, handler: handleConsolePeople },
  { ...read, method: "GET", path: "/console/groups", bodyBytesMax: 0, handler: handleConsoleGroups },
  { ...read, permission: keys, method: "GET", path: "/console/declaration", bodyBytesMax: 0, handler: handleConsoleDeclaration },
  { ...read, method: "GET", path: "/console/translations", bodyBytesMax: 0, handler: handleConsoleTranslations },
  {
    ...read,
    method: "POST",
    path: "/console/people/search",
    bodyBytesMax: limits.smallRequestBytesMax,
    handler: handleConsolePeopleSearch,
  },
  { ...read, permission: operatorPermission, method: "GET", path: "/console/doctor", bodyBytesMax: 0, handler: handleConsoleDoctor },
  { ...read, permission: operatorPermission, method: "GET", path: "/console/lag", bodyBytesMax: 0, handler: handleConsoleLag },
  { ...read, permission: operatorPermission, method: "GET", path: "/console/processes", bodyBytesMax: 0, handler: handleConsoleProcesses },
  { ...read, permission: operatorPermission, method: "GET", path: "/console/log", bodyBytesMax: 0, handler: handleConsoleLog },
  {
    ...read,
    permission: operatorPermission,
    alsoPermission: bodiesPermission,
    audit: "session",
    method: "POST",
    path: "/console/log/records",
    bodyBytesMax: limits.smallRequestBytesMax,
    handler: handleConsoleLogRecords,
  },
  { ...unkept, permission: operatorPermission, path: "/console/log/redrive", handler: handleConsoleLogRedrive },
  { ...unkept, permission: operatorPermission, path: "/console/log/skip", handler: handleConsoleLogSkip },
  { ...read, permission: operatorPermission, method: "GET", path: "/console/rejected", bodyBytesMax: 0, handler: handleConsoleRejected },
  { ...write, permission: operatorPermission, path: "/console/rejected/admit", handler: handleConsoleRejectedAdmit },
  { ...read, method: "GET", path: "/console/session", bodyBytesMax: 0, handler: handleConsoleSession },
  { ...unkept, path: "/console/session", audit: "always", duringPause: true, handler: handleConsoleSessionOpen },
  { ...unkept, path: "/console/session/end", duringPause: true, handler: handleConsoleSessionEnd },
  { ...unkept, path: "/console/session/end-all", handler: handleConsoleSessionEndAll },
  { ...read, permission: keys, method: "GET", path: "/console/keys", bodyBytesMax: 0, handler: handleConsoleKeys },
  { ...unkept, permission: keys, path: "/console/keys", handler: handleConsoleKeysCreate },
  { ...unkept, permission: keys, path: "/console/keys/rotate", handler: handleConsoleKeysRotate },
  { ...unkept, permission: keys, path: "/console/keys/revoke", handler: handleConsoleKeysRevoke },
  { ...read, permission: keys, method: "GET", path: "/console/actions", bodyBytesMax: 0, handler: handleConsoleActions },
];
