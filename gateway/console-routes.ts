/** DATA: the rows of the route table for the console: a page for everybody, and what it shows for holders of a key. */
import { bodiesPermission, operatorPermission } from "./access/permissions.ts";
import { type KeyRoute, read as readRow, readByBody as readByBodyRow, type Route, write as writeRow } from "./routing/route.ts";
import {
  handleConsoleActions,
  handleConsoleKeys,
  handleConsoleKeysCreate,
  handleConsoleKeysRevoke,
  handleConsoleKeysRotate,
} from "./routes/console-keys.ts";
import { handleConsoleDeclaration } from "./routes/console-declaration.ts";
import { handleConsoleDoctor, handleConsoleLag, handleConsoleProcesses } from "./routes/console-operations.ts";
import { handleConsoleLive, handleConsoleLiveBodies } from "./routes/console-live.ts";
import { handleConsoleLog, handleConsoleLogRecords, handleConsoleLogRedrive, handleConsoleLogSkip } from "./routes/console-log.ts";
import { handleConsoleOverview } from "./routes/console-overview.ts";
import { handleConsoleGroups, handleConsolePeople, handleConsolePeopleSearch } from "./routes/console-people.ts";
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
import { documentAt } from "./routes/documents.ts";

const view = { permission: "console.view", limit: "console" } as const satisfies Partial<KeyRoute>;
const read = { ...readRow, ...view };
const readByBody = { ...readByBodyRow, ...view };
const write = { ...writeRow, ...view };

/** Secrets are shown once and stored nowhere, so that no answer could be given again; what was tried or passed over waits no longer. */
const unkept = { ...write, keepsAnswers: false } as const satisfies Partial<KeyRoute>;

const keys = "console.keys";

export const consoleRoutes: readonly Route[] = [
  documentAt("/console"),
  documentAt("/console/preview"),
  documentAt("/console/assets/:name"),
  { ...read, path: "/console/overview", handler: handleConsoleOverview },
  { ...read, path: "/console/series", handler: handleConsoleSeries },
  { ...read, path: "/console/requests", handler: handleConsoleRequests },
  { ...read, path: "/console/live", handler: handleConsoleLive },
  {
    ...read,
    permission: bodiesPermission,
    audit: "session",
    path: "/console/live/bodies",
    handler: handleConsoleLiveBodies,
  },
  // A POST, so that no name of a user stands in an address
  { ...readByBody, path: "/console/users", handler: handleConsoleUsers },
  { ...readByBody, path: "/console/people", handler: handleConsolePeople },
  { ...read, path: "/console/groups", handler: handleConsoleGroups },
  { ...read, permission: keys, path: "/console/declaration", handler: handleConsoleDeclaration },
  { ...read, path: "/console/translations", handler: handleConsoleTranslations },
  {
    ...readByBody,
    path: "/console/people/search",
    handler: handleConsolePeopleSearch,
  },
  { ...read, permission: operatorPermission, path: "/console/doctor", handler: handleConsoleDoctor },
  { ...read, permission: operatorPermission, path: "/console/lag", handler: handleConsoleLag },
  { ...read, permission: operatorPermission, path: "/console/processes", handler: handleConsoleProcesses },
  { ...read, permission: operatorPermission, path: "/console/log", handler: handleConsoleLog },
  {
    ...readByBody,
    permission: operatorPermission,
    alsoPermission: bodiesPermission,
    audit: "session",
    path: "/console/log/records",
    handler: handleConsoleLogRecords,
  },
  { ...unkept, permission: operatorPermission, path: "/console/log/redrive", handler: handleConsoleLogRedrive },
  { ...unkept, permission: operatorPermission, path: "/console/log/skip", handler: handleConsoleLogSkip },
  { ...read, permission: operatorPermission, path: "/console/rejected", handler: handleConsoleRejected },
  { ...write, permission: operatorPermission, path: "/console/rejected/admit", handler: handleConsoleRejectedAdmit },
  { ...read, path: "/console/session", handler: handleConsoleSession },
  { ...unkept, path: "/console/session", audit: "always", duringPause: true, handler: handleConsoleSessionOpen },
  { ...unkept, path: "/console/session/end", duringPause: true, handler: handleConsoleSessionEnd },
  { ...unkept, path: "/console/session/end-all", handler: handleConsoleSessionEndAll },
  { ...read, permission: keys, path: "/console/keys", handler: handleConsoleKeys },
  { ...unkept, permission: keys, path: "/console/keys", handler: handleConsoleKeysCreate },
  { ...unkept, permission: keys, path: "/console/keys/rotate", handler: handleConsoleKeysRotate },
  { ...unkept, permission: keys, path: "/console/keys/revoke", handler: handleConsoleKeysRevoke },
  { ...read, permission: keys, path: "/console/actions", handler: handleConsoleActions },
];
