/** SubscriptionService: one entry an RPC, each only messages to domain values and back. */
import type { Client, ServiceImpl } from "@connectrpc/connect";
import { emailsToWrite, phonesToWrite } from "../../../platform/intake/addresses.ts";
import { idempotencyOfMessage } from "../../../platform/intake/idempotency.ts";
import { type IntakeDeps, submitTo } from "../../../platform/intake/intake.ts";
import { externalIdsToWrite, platformIdsToWrite } from "../../../platform/intake/names.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { scopeOf } from "../../../platform/request-context.ts";
import { SubscriptionStateSchema } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { ProfileService, Scope } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import {
  type GetHistoryRequest,
  type GetUserStatusRequest,
  type ListMembersRequest,
  type SetStatusRequest,
  SetStatusRequestSchema,
  type SubscriptionService,
} from "../../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { knownValue } from "../../consent/rpc/known-value.ts";
import { historyOf, type OperatorDeps, operatorRoutes } from "../../consent/rpc/operator.ts";
import { profileUsers } from "../clients/profile-users.ts";
import { checkSetStatus } from "../domain/check-set-status.ts";
import { getStatus } from "../domain/get-status.ts";
import { getUserStatus } from "../domain/get-user-status.ts";
import { archivedGroup } from "../domain/group.ts";
import type { GroupChange } from "../domain/group-order.ts";
import { listMembers } from "../domain/list-members.ts";
import { noMemberships, subjectsOf } from "../domain/memberships.ts";
import type { ReadDeps } from "../domain/ports.ts";
import { groupFromMessage, groupToMessage, keyToRead, stateOf, statusOf } from "./messages.ts";

export interface ServiceDeps extends DepsBeside {
  readonly intake: IntakeDeps;
}

export interface DepsBeside extends ReadDeps, OperatorDeps {
  readonly profile: Pick<Client<typeof ProfileService>, "resolveUsers">;
  /** Resolves when every process sees what the change made of the groups. Refuses as `changedGroups` does. */
  readonly changeGroups: (scope: Scope, change: GroupChange) => Promise<void>;
  /** An id that was never given before. */
  readonly newGroupId: () => string;
}

export function subscriptionRoutes(deps: ServiceDeps): ServiceImpl<typeof SubscriptionService> {
  return { setStatus: (message) => setStatus(deps, message), ...routesBeside(deps) };
}

/** All that put nothing into the order of a workspace, so that they need no log. */
export function routesBeside(deps: DepsBeside): Omit<ServiceImpl<typeof SubscriptionService>, "setStatus"> {
  return {
    async getStatus(message) {
      const scope = scopeOf(message);
      const keys = message.users.map(keyToRead);
      const by = { emails: keys.some(({ key }) => key.case === "email"), phones: keys.some(({ key }) => key.case === "phone") };
      const asked = { ...scope, groupId: message.subscriptionGroupId, by };
      const { states, behind } = await getStatus({ ...deps, findUsers: profileUsers(deps.profile, scope, keys) }, asked);
      return { statuses: states.map(statusOf), behind };
    },
    getUserStatus: (message) => handleGetUserStatus(deps, message),
    listMembers: (message) => handleListMembers(deps, message),
    getHistory: (message) => getHistory(deps, message),
    ...groupRoutes(deps),
    ...operatorRoutes(deps),
  };
}

function groupRoutes({ store, changeGroups, newGroupId }: DepsBeside) {
  return {
    /** Applying a declaration twice changes nothing the second time. */
    async declareGroups(message) {
      const scope = scopeOf(message);
      const groups = message.groups.map(groupFromMessage);
      if (groups.some(({ id }) => id === "")) throw new Refusal("INPUT_INVALID", "Expected an id for every subscription group");
      await changeGroups(scope, { type: "declare", groups, prune: message.prune });
      return { groups: (await store.groups(scope.workspaceId)).map(groupToMessage) };
    },
    async createGroup(message) {
      const { id, ...wanted } = groupFromMessage(message.group);
      const group = { id: id === "" ? newGroupId() : id, ...wanted };
      await changeGroups(scopeOf(message), { type: "create", group });
      return { group: groupToMessage({ ...group, archived: false }) };
    },
    async listGroups(message) {
      return { groups: (await store.groups(scopeOf(message).workspaceId)).map(groupToMessage) };
    },
    async archiveGroup(message) {
      const scope = scopeOf(message);
      const id = message.subscriptionGroupId;
      await changeGroups(scope, { type: "archive", id });
      return { group: groupToMessage(archivedGroup(await store.groups(scope.workspaceId), id)) };
    },
  } satisfies Partial<ServiceImpl<typeof SubscriptionService>>;
}

/** Checked here, decided by the resolver in the order of the workspace. */
async function setStatus(deps: ServiceDeps, message: SetStatusRequest) {
  const scope = scopeOf(message);
  const groups = await deps.store.groups(scope.workspaceId);
  const ids = checkSetStatus(
    groups,
    message.updates.map(({ subscriptionGroupId, ...update }) => ({ groupId: subscriptionGroupId, ...update })),
  );
  return await submitTo(deps.intake, scope, {
    body: {
      case: "setMemberships",
      value: {
        updates: message.updates.map(({ state, externalIds, emails, phones, userIds, ...update }, at) => ({
          ...update,
          subscriptionGroupId: ids[at] ?? "",
          state: knownValue(SubscriptionStateSchema, state, "a subscription state"),
          externalIds: externalIdsToWrite(externalIds),
          emails: emailsToWrite(emails),
          phones: phonesToWrite(phones),
          userIds: platformIdsToWrite(userIds),
        })),
      },
    },
    idempotency: idempotencyOfMessage(SetStatusRequestSchema, message, { keepMs: limits.idempotencyKeepMs }),
  });
}

async function handleGetUserStatus(deps: DepsBeside, message: GetUserStatusRequest) {
  const scope = scopeOf(message);
  const { limit, offset } = message;
  const findUsers = profileUsers(deps.profile, scope, message.users.map(keyToRead));
  const { users, total, behind } = await getUserStatus({ ...deps, findUsers }, { ...scope, limit, offset });
  const shown = users.map(({ externalId, email, phone, groups }) => ({
    ...(externalId !== null && { externalId }),
    ...(email !== null && { email }),
    ...(phone !== null && { phone }),
    groups: groups.map(({ group, state }) => ({ group: groupToMessage(group), status: statusOf(state) })),
  }));
  return { users: shown, totalCount: total, behind };
}

async function handleListMembers({ store, ledger }: DepsBeside, message: ListMembersRequest) {
  const { subscriptionGroupId: groupId, pageToken } = message;
  const state = stateOf(message.status);
  if (state === undefined) throw new Refusal("INPUT_INVALID", "Expected SUBSCRIBED or UNSUBSCRIBED, got another status");
  if (pageToken !== "" && !/^(?:\d+:)?[0-9a-f]{24}$/.test(pageToken)) {
    throw new Refusal("INPUT_INVALID", "Expected the page token of an earlier page, got something else");
  }
  const { workspaceId } = scopeOf(message);
  const page = await listMembers({ store, ledger }, { workspaceId, groupId, state, from: pageToken === "" ? undefined : pageToken });
  return { userIds: [...page.users], nextPageToken: page.next ?? "", lookedAt: page.lookedAt };
}

/** The ledger of users, with the histories of those who were merged into them. */
async function getHistory(deps: DepsBeside, message: GetHistoryRequest) {
  const scope = scopeOf(message);
  const { workspaceId } = scope;
  const caughtUp = deps.barrier.ask(scope);
  const { found, behind, end } = await profileUsers(deps.profile, scope, message.users.map(keyToRead))();
  const ids = [...new Set(found.flat().map(({ userId }) => userId))];
  const late = !await caughtUp(end, ids);
  const [rows, blocked] = await Promise.all([deps.store.load(workspaceId, ids), deps.isBlocked(workspaceId, ids)]);
  const subjects = ids.flatMap((id) => subjectsOf(rows.get(id) ?? noMemberships(id)));
  const history = await historyOf(deps.ledger, { workspaceId, subjects, until: message.until });
  return { ...history, behind: behind || late || blocked };
}
