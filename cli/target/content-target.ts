/** Where commands find preference centers and translations: in a data folder, or in the mesh whose settings the environment holds. */
import type { Client } from "@connectrpc/connect";
import { systemClock } from "../../platform/clock.ts";
import { limits } from "../../platform/limits.ts";
import { directClient } from "../../platform/rpc/direct.ts";
import { ContentService } from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import { TranslationService } from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { MessagingStatusService } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { openCenters, openTranslations } from "../../services/content/wire.ts";
import { usersBeside } from "../../services/profile/wire.ts";
import { type PartTarget, withOptionalPart } from "./called-part.ts";

/** Undefined where nothing says where the content service is (HEDDLE_CONTENT_URL). */
export async function withCenters<T>(
  { database, env }: PartTarget,
  work: (centers: Client<typeof ContentService>) => Promise<T>,
): Promise<T | undefined> {
  if (database === undefined) return await withOptionalPart(ContentService, { part: "content", env }, work);
  const others = {
    profile: directClient(ProfileService, usersBeside(database)),
    subscription: directClient(SubscriptionService, {}),
    messagingStatus: directClient(MessagingStatusService, {}),
  };
  const service = await openCenters({ ...others, database, clock: systemClock, linkLifeMs: limits.preferenceLinkLifeMs });
  return await work(directClient(ContentService, service));
}

/** As withCenters. */
export async function withTranslations<T>(
  { database, env }: PartTarget,
  work: (translations: Client<typeof TranslationService>) => Promise<T>,
): Promise<T | undefined> {
  if (database === undefined) return await withOptionalPart(TranslationService, { part: "content", env }, work);
  return await work(directClient(TranslationService, await openTranslations(database, systemClock)));
}
