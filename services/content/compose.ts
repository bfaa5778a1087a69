/** The use cases over the stores of either shape. */
import type { Client, ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/identifier.ts";
import type { ContentService } from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import type { TranslationService } from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import type { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { type ConsentClients, consentOf } from "./clients/consent.ts";
import { profilePeople } from "./clients/profile-people.ts";
import type { ContentConfig } from "./config.ts";
import type { CenterStore } from "./domain/center-ports.ts";
import type { TranslationStore } from "./domain/translation-ports.ts";
import type { LinkKeys } from "../../platform/link-keys.ts";
import { openPageLinks } from "./links/page-links.ts";
import { openPages } from "./page/pages.ts";
import { contentRoutes } from "./rpc/routes.ts";
import { translationRoutes } from "./rpc/translation-routes.ts";

export interface CenterOptions extends ConsentClients, ContentConfig {
  readonly clock: Clock;
  readonly profile: Pick<Client<typeof ProfileService>, "exportUsers" | "resolveUsers">;
}

export function centersOver(
  { centers, linkKeys }: { readonly centers: CenterStore; readonly linkKeys: LinkKeys },
  options: CenterOptions,
): ServiceImpl<typeof ContentService> {
  const { clock, linkLifeMs } = options;
  const pages = openPages();
  return contentRoutes({
    centers,
    checker: pages,
    pages,
    people: profilePeople(options.profile),
    consent: consentOf(options),
    clock,
    newCenterId: () => newId("uuid", clock),
    links: openPageLinks({ keys: linkKeys, clock, lifeMs: linkLifeMs }),
  });
}

export function translationsOver(store: TranslationStore, clock: Clock): ServiceImpl<typeof TranslationService> {
  return translationRoutes({ store, clock, newId: () => newId("uuid", clock) });
}
