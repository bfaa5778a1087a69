/** DATA: the rows of the route table for translations of campaigns and canvases. */
import { limits } from "../platform/limits.ts";
import type { TranslatedKind } from "./decode/translations.ts";
import { read as readRow, type Route } from "./route.ts";
import { translationHandlers } from "./routes/translations.ts";

/** "translation endpoints (campaign and canvas, view and list)" share one limit. */
const read = { ...readRow, limit: "translations", dialect: "translations" } as const;
const write = { ...read, method: "PUT", takes: "write", bodyBytesMax: limits.translationRequestBytesMax } as const;

/** The specification has the singular, every client the plural (api-facts, "Names the seed changed"). */
export const translationRoutes: readonly Route[] = [
  ...rowsOf("/campaigns/translations", "campaign", "campaigns.translations"),
  ...rowsOf("/campaign/translations", "campaign", "campaigns.translations"),
  ...rowsOf("/canvas/translations", "canvas", "canvas.translations"),
];

function rowsOf(path: string, kind: TranslatedKind, permission: string): Route[] {
  const { list, source, put } = translationHandlers(kind);
  return [
    { ...read, path, permission: `${permission}.get`, handler: list },
    { ...read, path: `${path}/source`, permission: `${permission}.get`, handler: source },
    { ...write, path, permission: `${permission}.update`, handler: put },
  ];
}
