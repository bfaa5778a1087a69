/** SubscriptionService: one line an RPC. */
import { operatorRoutes } from "../../consent/rpc/operator.ts";
import type { ServiceImpl } from "@connectrpc/connect";
import type { SubscriptionService } from "../../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { handleArchiveGroup } from "./archive-group.ts";
import { handleCreateGroup } from "./create-group.ts";
import { handleDeclareGroups } from "./declare-groups.ts";
import { handleGetHistory } from "./get-history.ts";
import { handleGetStatus } from "./get-status.ts";
import { handleGetUserStatus } from "./get-user-status.ts";
import { handleListGroups } from "./list-groups.ts";
import type { ServiceParts } from "./parts.ts";
import { handleSetStatus } from "./set-status.ts";

export function subscriptionRoutes(parts: ServiceParts): ServiceImpl<typeof SubscriptionService> {
  return {
    setStatus: (message) => handleSetStatus(parts, message),
    getStatus: (message) => handleGetStatus(parts, message),
    getUserStatus: (message) => handleGetUserStatus(parts, message),
    declareGroups: (message) => handleDeclareGroups(parts, message),
    createGroup: (message) => handleCreateGroup(parts, message),
    listGroups: (message) => handleListGroups(parts, message),
    archiveGroup: (message) => handleArchiveGroup(parts, message),
    getHistory: (message) => handleGetHistory(parts, message),
    ...operatorRoutes(parts),
  };
}
