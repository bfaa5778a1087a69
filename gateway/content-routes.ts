/** DATA: the rows of the route table for preference centers, their hosted pages, and translations of campaigns and canvases. */
import { limits } from "../platform/limits.ts";
import type { TranslatedKind } from "./decode/translations.ts";
import { preferenceRefusalPage } from "./render/preference-page.ts";
import { faultPage } from "./render/refusal-page.ts";
import { read as readRow, type Route, write as writeRow } from "./routing/route.ts";
import {
  handlePreferenceCenterCreate,
  handlePreferenceCenterDiff,
  handlePreferenceCenterGet,
  handlePreferenceCenterList,
  handlePreferenceCenterPreview,
  handlePreferenceCenterRestore,
  handlePreferenceCenterUpdate,
  handlePreferenceCenterUrl,
  handlePreferenceCenterVersion,
  handlePreferenceCenterVersions,
} from "./routes/preference-centers.ts";
import { handlePreferencePage, handlePreferenceSubmit } from "./routes/preference-page.ts";
import { translationHandlers } from "./routes/translations.ts";

const write = { ...writeRow, permission: "preference_center.update", status: 200, bodyBytesMax: limits.pagesRequestBytesMax } as const;
const read = { ...readRow, permission: "preference_center.get" } as const;
const page = { guard: "open", path: "/preferences/:token", refused: preferenceRefusalPage, failed: faultPage } as const;
/** "translation endpoints (campaign and canvas, view and list)" share one limit. */
const texts = { ...readRow, limit: "translations", dialect: "translations" } as const;
const putTexts = {
  ...texts,
  method: "PUT",
  takes: "write",
  queryNames: true,
  bodyBytesMax: limits.translationRequestBytesMax,
} as const;

export const contentRoutes: readonly Route[] = [
  { ...write, path: "/preference_center/v1", status: 201, limit: "preference_center_create", handler: handlePreferenceCenterCreate },
  {
    ...read,
    path: "/preference_center/v1/list",
    permission: "preference_center.list",
    limit: "preference_center_list",
    handler: handlePreferenceCenterList,
  },
  { ...read, path: "/preference_center/v1/:id", limit: "preference_center_get", handler: handlePreferenceCenterGet },
  { ...write, method: "PUT", path: "/preference_center/v1/:id", limit: "preference_center_update", handler: handlePreferenceCenterUpdate },
  { ...write, path: "/preference_center/v1/:id", limit: "preference_center_update", handler: handlePreferenceCenterUpdate },
  {
    ...read,
    path: "/preference_center/v1/:id/url/:userID",
    endsInText: true,
    permission: "preference_center.user.get",
    limit: "preference_center_url",
    handler: handlePreferenceCenterUrl,
  },
  {
    ...read,
    method: "POST",
    path: "/preference_center/v1/:id/preview",
    limit: "preference_center_preview",
    bodyBytesMax: limits.pagesRequestBytesMax,
    handler: handlePreferenceCenterPreview,
  },
  { ...read, path: "/preference_center/v1/:id/versions", limit: "preference_center_get", handler: handlePreferenceCenterVersions },
  { ...read, path: "/preference_center/v1/:id/versions/:version", limit: "preference_center_get", handler: handlePreferenceCenterVersion },
  {
    ...read,
    path: "/preference_center/v1/:id/versions/:version/diff",
    limit: "preference_center_get",
    handler: handlePreferenceCenterDiff,
  },
  {
    ...write,
    path: "/preference_center/v1/:id/versions/:version/restore",
    limit: "preference_center_update",
    handler: handlePreferenceCenterRestore,
  },
  { ...page, method: "GET", handler: handlePreferencePage },
  { ...page, method: "POST", handler: handlePreferenceSubmit },
  // The specification has the singular, every client the plural (api-facts, "Names the seed changed")
  ...translationRows("/campaigns/translations", "campaign", "campaigns.translations"),
  ...translationRows("/campaign/translations", "campaign", "campaigns.translations"),
  ...translationRows("/canvas/translations", "canvas", "canvas.translations"),
];

function translationRows(path: string, kind: TranslatedKind, permission: string): Route[] {
  const { list, source, put } = translationHandlers(kind);
  return [
    { ...texts, path, permission: `${permission}.get`, handler: list },
    { ...texts, path: `${path}/source`, permission: `${permission}.get`, handler: source },
    { ...putTexts, path, permission: `${permission}.update`, handler: put },
  ];
}
