/** RPC GetHistory: the ledger of users, with the histories of those who were merged into them. */
import { create } from "@bufbuild/protobuf";
import {
  type GetHistoryRequest,
  type GetHistoryResponse,
  GetHistoryResponseSchema,
} from "../../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { profileUsers } from "../clients/profile-users.ts";
import { subjectsOf } from "../domain/memberships.ts";
import type { ServiceParts } from "./parts.ts";
import { historyOf, scopeOf } from "../../consent/rpc/operator.ts";
import { keyFromMessage } from "./request.ts";

export async function handleGetHistory(parts: ServiceParts, message: GetHistoryRequest): Promise<GetHistoryResponse> {
  const scope = scopeOf(message);
  const caughtUp = parts.caught.ask(scope);
  const { found, end } = await profileUsers(parts.profile, scope).find(message.users.map(keyFromMessage));
  const ids = [...new Set(found.flat().map(({ userId }) => userId))];
  await caughtUp(end, ids);
  const rows = await parts.store.load(scope.workspaceId, ids);
  const subjects = ids.flatMap((id) => {
    const row = rows.get(id);
    return row === undefined ? [id] : subjectsOf(row);
  });
  const entries = await historyOf(parts.ledger, { workspaceId: scope.workspaceId, subjects, until: message.until });
  return create(GetHistoryResponseSchema, { entries });
}
