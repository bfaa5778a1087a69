/** ProfileService: each RPC only turns messages into domain values, and back. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { ProfileService } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { createUnapplied } from "../intake/unapplied.ts";
import type { ServiceDeps } from "./request.ts";
import { statusRoutes } from "./status-routes.ts";
import { trackUsersSync } from "./track-users-sync.ts";
import { trackUsers } from "./track-users.ts";
import { userRoutes } from "./user-routes.ts";
import { mergeRoutes, nameRoutes, serviceRoutes } from "./write-routes.ts";

export function profileRoutes(deps: ServiceDeps): ServiceImpl<typeof ProfileService> {
  const tracking = { ...deps, unapplied: createUnapplied({ ...deps, partitions: deps.intake.log.partitions }) };
  return {
    trackUsers: (message) => trackUsers(tracking, message),
    trackUsersSync: (message) => trackUsersSync(tracking, message),
    ...nameRoutes(deps),
    ...mergeRoutes(deps),
    ...serviceRoutes(deps),
    ...userRoutes(deps),
    ...statusRoutes(deps),
  };
}
