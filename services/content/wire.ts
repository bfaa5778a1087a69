/** The content service put together: stores, links, pages, use cases. The only file of the service that sees all of them. */
import type { Client, ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../platform/clock.ts";
import type { ConfigReader } from "../../platform/config.ts";
import { newId } from "../../platform/identifier.ts";
import { limits } from "../../platform/limits.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import type { ContentService } from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import type { TranslationService } from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import type { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { type ConsentClients, consentOf } from "./clients/consent.ts";
import { profilePeople } from "./clients/profile-people.ts";
import type { TranslationStore } from "./domain/translation-ports.ts";
import { openPageLinks } from "./links/page-links.ts";
import { openPages } from "./page/pages.ts";
import { contentRoutes } from "./rpc/routes.ts";
import { translationRoutes } from "./rpc/translation-routes.ts";
import { openSqliteCenters } from "./store/sqlite-centers.ts";
import { openSqliteTranslations } from "./store/sqlite-translations.ts";

export interface ContentOptions extends ConsentClients, ContentConfig {
  /** Closed by whoever opened it, after this part. */
  readonly database: Database;
  readonly clock: Clock;
  readonly profile: Pick<Client<typeof ProfileService>, "resolveUsers">;
}

export interface ContentConfig {
  /** How long a link to a person's page is good. */
  readonly linkLifeMs: number;
}

/** For a process that reads the settings of several parts at once. */
export function readContentConfig(reader: ConfigReader): ContentConfig {
  const life = { min: 1, max: limits.preferenceLinkLifeMsMax, fallback: limits.preferenceLinkLifeMs };
  return { linkLifeMs: reader.durationMs("HEDDLE_PREFERENCE_LINK_LIFE", life) };
}

export interface ContentPart {
  readonly centers: ServiceImpl<typeof ContentService>;
  readonly translations: ServiceImpl<typeof TranslationService>;
}

export async function openContent(options: ContentOptions): Promise<ContentPart> {
  const { database, clock, linkLifeMs } = options;
  const { centers, linkKeys } = await openSqliteCenters(database);
  const pages = openPages();
  return {
    translations: await openTranslations(database, clock),
    centers: contentRoutes({
      centers,
      checker: pages,
      pages,
      people: profilePeople(options.profile),
      consent: consentOf(options),
      clock,
      newCenterId: () => newId("uuid", clock),
      links: openPageLinks({ keys: linkKeys, clock, lifeMs: linkLifeMs }),
    }),
  };
}

/** The translations of a data folder, also beside a running server: for `heddle apply` and `heddle translations`. */
export async function openTranslations(database: Database, clock: Clock): Promise<ServiceImpl<typeof TranslationService>> {
  return translationsOver(await openSqliteTranslations(database), clock);
}

export function translationsOver(store: TranslationStore, clock: Clock): ServiceImpl<typeof TranslationService> {
  return translationRoutes({ store, clock, newId: () => newId("uuid", clock) });
}
