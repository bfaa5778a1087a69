/** The content service put together: stores, links, pages, use cases. The only file of the service that sees all of them. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/identifier.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import type { ContentService } from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import type { TranslationService } from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { openPageLinks } from "./links/page-links.ts";
import { contentRoutes } from "./rpc/routes.ts";
import { translationRoutes } from "./rpc/translation-routes.ts";
import { openSqliteCenters } from "./store/sqlite-centers.ts";
import { openSqliteTranslations } from "./store/sqlite-translations.ts";

export interface ContentOptions {
  /** Closed by whoever opened it, after this part. */
  readonly database: Database;
  readonly clock: Clock;
  /** How long a link to a person's page is good. */
  readonly linkLifeMs: number;
}

export interface ContentPart {
  readonly centers: Partial<ServiceImpl<typeof ContentService>>;
  readonly translations: ServiceImpl<typeof TranslationService>;
}

export async function openContent({ database, clock, linkLifeMs }: ContentOptions): Promise<ContentPart> {
  const { centers, linkKeys } = await openSqliteCenters(database);
  const store = await openSqliteTranslations(database);
  return {
    translations: translationRoutes({ store, clock, newId: () => newId("uuid", clock) }),
    centers: contentRoutes({
      centers,
      checker: { check: () => [] },
      clock,
      newCenterId: () => newId("uuid", clock),
      links: openPageLinks({ keys: linkKeys, clock, lifeMs: linkLifeMs }),
    }),
  };
}
