/** DATA: one row per route. Coverage tests, limits and documents read it; the server never names a route. */
import { limits } from "../platform/limits.ts";
import { consoleRoutes } from "./console-routes.ts";
import { consentRoutes } from "./consent-routes.ts";
import { contentRoutes } from "./content-routes.ts";
import { read, readByBody, type Route, write } from "./routing/route.ts";
import { documentAt } from "./routes/documents.ts";
import { handleLivez, handleReadyz, handleReadyzGateway } from "./routes/health.ts";
import { handleUsersAliasNew, handleUsersAliasUpdate } from "./routes/users-alias.ts";
import { handleUsersDelete } from "./routes/users-delete.ts";
import { handleUsersExportIds } from "./routes/users-export-ids.ts";
import { handleUsersExternalIdsRemove, handleUsersExternalIdsRename } from "./routes/users-external-ids.ts";
import { handleUsersIdentify } from "./routes/users-identify.ts";
import { handleUsersMerge, handleUsersMergePreview, handleUsersMergeStatus, handleUsersMergeUndo } from "./routes/users-merge.ts";
import { handleUsersTrack, handleUsersTrackBulk, handleUsersTrackSync } from "./routes/users-track.ts";
import { scimRoutes } from "./scim-routes.ts";

export const routeTable: readonly Route[] = [
  {
    ...write,
    path: "/users/track",
    permission: "users.track",
    limit: "users_track",
    bodyBytesMax: limits.trackRequestBytesMax,
    dialect: "track",
    handler: handleUsersTrack,
  },
  {
    ...write,
    path: "/users/track/sync",
    permission: "users.track.sync",
    limit: "users_track_sync",
    bodyBytesMax: limits.syncRequestBytesMax,
    dialect: "track",
    handler: handleUsersTrackSync,
  },
  {
    ...write,
    path: "/users/track/bulk",
    permission: "users.track.bulk",
    limit: "users_track_bulk",
    bodyBytesMax: limits.bulkRequestBytesMax,
    dialect: "track",
    handler: handleUsersTrackBulk,
  },
  {
    ...readByBody,
    path: "/users/export/ids",
    permission: "users.export.ids",
    limit: "users_export_ids",
    status: 201,
    audit: "session",
    handler: handleUsersExportIds,
  },
  { ...write, path: "/users/alias/new", permission: "users.alias.new", limit: "users_identity", handler: handleUsersAliasNew },
  { ...write, path: "/users/alias/update", permission: "users.alias.update", limit: "users_identity", handler: handleUsersAliasUpdate },
  { ...write, path: "/users/merge", permission: "users.merge", limit: "users_identity", status: 202, handler: handleUsersMerge },
  {
    ...readByBody,
    path: "/users/merge/preview",
    permission: "users.merge",
    limit: "users_merge_read",
    handler: handleUsersMergePreview,
  },
  { ...write, path: "/users/merge/undo", permission: "users.merge", limit: "users_identity", handler: handleUsersMergeUndo },
  {
    ...read,
    path: "/users/merge/status/:id",
    permission: "users.merge",
    limit: "users_merge_read",
    handler: handleUsersMergeStatus,
  },
  { ...write, path: "/users/identify", permission: "users.identify", limit: "users_identity", handler: handleUsersIdentify },
  { ...write, path: "/users/delete", permission: "users.delete", limit: "users_identity", handler: handleUsersDelete },
  {
    ...write,
    path: "/users/external_ids/rename",
    permission: "users.external_ids.rename",
    limit: "users_external_ids",
    handler: handleUsersExternalIdsRename,
  },
  {
    ...write,
    path: "/users/external_ids/remove",
    permission: "users.external_ids.remove",
    limit: "users_external_ids",
    handler: handleUsersExternalIdsRemove,
  },
  ...consentRoutes,
  ...scimRoutes,
  ...contentRoutes,
  ...consoleRoutes,
  documentAt("/openapi.json"),
  documentAt("/docs"),
  documentAt("/docs/errors"),
  documentAt("/docs/:page"),
  documentAt("/docs/calls/:operation"),
  documentAt("/docs/assets/:name"),
  { guard: "open", method: "GET", path: "/livez", handler: handleLivez },
  { guard: "open", method: "GET", path: "/readyz", handler: handleReadyz },
  { guard: "open", method: "GET", path: "/readyz/gateway", handler: handleReadyzGateway },
];
