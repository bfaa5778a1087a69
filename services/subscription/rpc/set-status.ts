/** RPC SetStatus: checked here, decided by the resolver in the order of the workspace. */
import { create, toBinary } from "@bufbuild/protobuf";
import { submitTo } from "../../../platform/intake/intake.ts";
import { limits } from "../../../platform/limits.ts";
import {
  type SetStatusRequest,
  SetStatusRequestSchema,
  type SetStatusResponse,
  SetStatusResponseSchema,
} from "../../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { checkSetStatus } from "../domain/check-set-status.ts";
import type { ServiceParts } from "./parts.ts";
import { scopeOf } from "../../consent/rpc/operator.ts";

export async function handleSetStatus(parts: ServiceParts, message: SetStatusRequest): Promise<SetStatusResponse> {
  const scope = scopeOf(message);
  const groups = await parts.store.groups(scope.workspaceId);
  checkSetStatus(groups, message.updates.map(({ subscriptionGroupId, ...update }) => ({ groupId: subscriptionGroupId, ...update })));
  const submitted = await submitTo(parts.intake, scope, {
    body: { case: "setMemberships", value: { updates: message.updates } },
    fingerprint: scope.idempotencyKey === "" ? new Uint8Array() : toBinary(SetStatusRequestSchema, { ...message, scope: undefined }),
    keepMs: limits.idempotencyKeepMs,
  });
  return create(SetStatusResponseSchema, submitted);
}
