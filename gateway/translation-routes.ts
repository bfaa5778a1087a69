/** DATA: the rows of the route table for translations of campaigns and canvases. */
import { limits } from "../platform/limits.ts";
import type { KeyRoute, Route } from "./route.ts";
import {
  handleCampaignsTranslations,
  handleCampaignsTranslationsPut,
  handleCampaignsTranslationsSource,
} from "./routes/campaigns-translations.ts";
import { handleCanvasTranslations, handleCanvasTranslationsPut, handleCanvasTranslationsSource } from "./routes/canvas-translations.ts";

/** "translation endpoints (campaign and canvas, view and list)" share one limit. */
const read = {
  guard: "key",
  method: "GET",
  takes: "read",
  status: 200,
  limit: "translations",
  bodyBytesMax: 0,
  dialect: "translations",
} as const satisfies Partial<KeyRoute>;
const write = {
  ...read,
  method: "PUT",
  takes: "write",
  bodyBytesMax: limits.translationRequestBytesMax,
} as const satisfies Partial<KeyRoute>;

/** The specification has the singular, every client the plural (api-facts, "Names the seed changed"). */
const campaignPaths = ["/campaigns/translations", "/campaign/translations"];

export const translationRoutes: readonly Route[] = [
  ...campaignPaths.flatMap((path): Route[] => [
    { ...read, path, permission: "campaigns.translations.get", handler: handleCampaignsTranslations },
    { ...read, path: `${path}/source`, permission: "campaigns.translations.get", handler: handleCampaignsTranslationsSource },
    { ...write, path, permission: "campaigns.translations.update", handler: handleCampaignsTranslationsPut },
  ]),
  { ...read, path: "/canvas/translations", permission: "canvas.translations.get", handler: handleCanvasTranslations },
  { ...read, path: "/canvas/translations/source", permission: "canvas.translations.get", handler: handleCanvasTranslationsSource },
  { ...write, path: "/canvas/translations", permission: "canvas.translations.update", handler: handleCanvasTranslationsPut },
];
