/** The content service of the embedded shape put together: its stores and its use cases. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import type { ContentService } from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import type { TranslationService } from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { type CenterOptions, centersOver, translationsOver } from "./compose.ts";
import { openLinkKeys } from "../../platform/documents/link-keys.ts";
import { type ContentMove, contentMove } from "./store/moved.ts";
import { openCenterDocuments, openTranslationDocuments } from "./store/sqlite.ts";

export { type ContentConfig, readContentConfig } from "./config.ts";

export interface ContentOptions extends CenterOptions {
  /** Closed by the caller, after this part. */
  readonly database: Database;
}

export interface ContentPart {
  readonly centers: ServiceImpl<typeof ContentService>;
  readonly translations: ServiceImpl<typeof TranslationService>;
}

export async function openContent(options: ContentOptions): Promise<ContentPart> {
  return { translations: await openTranslations(options.database, options.clock), centers: await openCenters(options) };
}

/** The preference centers of a data folder, also beside a running server: for `heddle apply` and `heddle preference-centers`. */
export async function openCenters({ database, ...options }: ContentOptions): Promise<ServiceImpl<typeof ContentService>> {
  return centersOver(await openCenterDocuments(database, options.clock), options);
}

/** The translations of a data folder, also beside a running server: for `heddle apply` and `heddle translations`. */
export async function openTranslations(database: Database, clock: Clock): Promise<ServiceImpl<typeof TranslationService>> {
  return translationsOver(await openTranslationDocuments(database, clock), clock);
}

/** The rows of the data folder, for `heddle backup` and `heddle restore` between the shapes. */
export async function moveContent(
  database: Database,
  clock: Clock,
): Promise<ContentMove & { readonly linkKeys: ReturnType<typeof openLinkKeys> }> {
  const centers = await openCenterDocuments(database, clock);
  const translations = await openTranslationDocuments(database, clock);
  return { ...contentMove({ centers, translations }, clock), linkKeys: openLinkKeys(centers) };
}
