/** Where commands find preference centers: in a data folder, or in the mesh whose settings the environment holds. */
import type { Client } from "@connectrpc/connect";
import { systemClock } from "../platform/clock.ts";
import { limits } from "../platform/limits.ts";
import { readOptionalPeer } from "../platform/mesh-config.ts";
import { directClient } from "../platform/rpc/direct.ts";
import type { Database } from "../platform/sqlite/database.ts";
import { ContentService } from "../proto/gen/heddle/content/v1/content_service_pb.ts";
import { MessagingStatusService } from "../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { ProfileService, type ResolveUsersRequest } from "../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { SubscriptionService } from "../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { openCenters } from "../services/content/wire.ts";
import { findUserIds } from "../services/profile/wire.ts";
import { readSettings } from "./settings.ts";

export interface CentersPlace {
  /** Of the data folder; without it the content service is called, at HEDDLE_CONTENT_URL. */
  readonly database: Database | undefined;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Undefined where nothing says where the content service is. Calls are made in the name of the gateway, which may make them.
 */
export async function withCenters<T>(
  { database, env = process.env }: CentersPlace,
  work: (centers: Client<typeof ContentService>) => Promise<T>,
): Promise<T | undefined> {
  if (database) {
    const others = {
      profile: directClient(ProfileService, { resolveUsers: (message) => resolveIn(database, message) }),
      subscription: directClient(SubscriptionService, {}),
      messagingStatus: directClient(MessagingStatusService, {}),
    };
    const service = await openCenters({ ...others, database, clock: systemClock, linkLifeMs: limits.preferenceLinkLifeMs });
    return await work(directClient(ContentService, service));
  }
  const peer = readSettings(env, (reader) => ({ content: readOptionalPeer(reader, "content") })).content;
  if (peer === undefined) return undefined;
  const { connectClient } = await import("../platform/rpc/client.ts");
  const { client, close } = connectClient(ContentService, {
    ...peer,
    caller: "gateway",
    deadlineMs: limits.drainMsMax,
    clock: systemClock,
  });
  try {
    return await work(client);
  } finally {
    close();
  }
}

/** Who has an external id, without a profile service that runs. */
async function resolveIn(database: Database, { scope, users }: ResolveUsersRequest) {
  const keys = await Promise.all(users.map(async ({ key }) => {
    if (key.case !== "externalId") throw new Error("Expected external ids only");
    const ids = await findUserIds(database, scope?.workspaceId ?? "", { by: "externalId", id: key.value });
    return { users: ids.map((userId) => ({ userId, externalId: key.value })) };
  }));
  return { keys };
}
