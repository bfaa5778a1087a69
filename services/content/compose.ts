/** The use cases over the documents of either shape. */
import type { Client, ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/identifier.ts";
import type { ContentService } from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import type { TranslationService } from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import type { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { type ConsentClients, consentOf } from "./clients/consent.ts";
import { profilePeople } from "./clients/profile-people.ts";
import type { ContentConfig } from "./config.ts";
import type { Documents } from "../../platform/documents/documents.ts";
import { openPageLinks } from "./links/page-links.ts";
import { loadPages } from "./page/hosted-page.ts";
import type { Pages } from "./page/pages.ts";
import { contentRoutes } from "./rpc/routes.ts";
import { translationRoutes } from "./rpc/translation-routes.ts";
import { openCenterStore } from "./store/centers.ts";
import { openLinkKeys } from "../../platform/documents/link-keys.ts";
import { openTranslationStore } from "./store/translations.ts";

export interface CenterOptions extends ConsentClients, ContentConfig {
  readonly clock: Clock;
  readonly profile: Pick<Client<typeof ProfileService>, "exportUsers" | "resolveUsers">;
}

export function centersOver(documents: Documents, options: CenterOptions): ServiceImpl<typeof ContentService> {
  const { clock, linkLifeMs } = options;
  let loading: Promise<Pages> | undefined;
  function pages(): Promise<Pages> {
    loading ??= loadPages();
    return loading;
  }
  return contentRoutes({
    centers: openCenterStore({ documents, newContentId: () => newId("uuid", clock) }),
    checker: { check: async (content, settings) => (await pages()).check(content, settings) },
    pages,
    people: profilePeople(options.profile),
    consent: consentOf(options),
    clock,
    newCenterId: () => newId("uuid", clock),
    links: openPageLinks({ keys: openLinkKeys(documents), clock, lifeMs: linkLifeMs }),
  });
}

export function translationsOver(documents: Documents, clock: Clock): ServiceImpl<typeof TranslationService> {
  return translationRoutes({ store: openTranslationStore(documents), clock, newId: () => newId("uuid", clock) });
}
