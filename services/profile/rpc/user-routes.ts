/** The RPCs that read users. */
import { Buffer } from "node:buffer";
import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { namesOf } from "../../../platform/enum-names.ts";
import { isPlatformId } from "../../../platform/intake/names.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { slicesBySize } from "../../../platform/slices-by-size.ts";
import {
  type InspectUsersRequest,
  type ListUsersRequest,
  NameKind as NameKindNumber,
  type ProfileService,
  type SearchUsersRequest,
  UserList,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { MergeUpdateSchema } from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { renderUsers } from "../domain/read/email-statuses.ts";
import { exportUsers } from "../domain/read/export-users.ts";
import { inspectUsers, type Origin } from "../domain/read/inspect-users.ts";
import { listUsers } from "../domain/read/list-users.ts";
import type { NameKind } from "../domain/ports.ts";
import { previewMerge } from "../domain/merge/preview-merge.ts";
import { renderProfile } from "../domain/read/render-profile.ts";
import { isDeviceName } from "../domain/resolve/devices.ts";
import { searchUsers } from "../domain/read/search-users.ts";
import { mergeUpdateFromMessage } from "../intake/body-message.ts";
import { selectorToWrite, userKeyToRead } from "../intake/user-key-message.ts";
import { readOf, type ServiceDeps, toJsonBytes } from "./request.ts";

export function userRoutes(deps: ServiceDeps) {
  return {
    async exportUsers(message, { signal }) {
      const { fields, currencyRates, customAttributes, deviceId } = message;
      const named = message.users.map(userKeyToRead);
      const keys = deviceId === undefined ? named : [...named, { by: "device" as const, id: isDeviceName(deviceId) ? deviceId : "" }];
      const request = { ...readOf(message), signal };
      const { profiles, waiting, unknown, behind } = await exportUsers(deps, { ...request, users: keys });
      const { users, behind: late } = await renderUsers(deps, profiles, { ...request, fields, currencyRates, customAttributes, waiting });
      return { usersJson: users.map(toJsonBytes), unknown: [...unknown], behind: behind || late };
    },
    async previewMerge(message) {
      const { update, currencyRates } = message;
      if (update === undefined) throw new Refusal("INPUT_INVALID", "Expected a merge update, got none");
      const request = readOf(message);
      const checked = create(MergeUpdateSchema, { source: selectorToWrite(update.source), target: selectorToWrite(update.target) });
      const { profile, waiting, emailStatus, reason } = await previewMerge(deps, { ...request, update: mergeUpdateFromMessage(checked) });
      if (profile === undefined) return { outcome: reason };
      const { users: [merged = {}] } = emailStatus === undefined
        ? await renderUsers(deps, [profile], { ...request, currencyRates, waiting })
        : { users: [renderProfile(profile, { currencyRates, emailSubscribe: emailStatus })] };
      return { resultJson: toJsonBytes(merged), outcome: reason };
    },
    inspectUsers: (message) => inspect(deps, message),
    listUsers: (message, context) => list(deps, message, context),
    searchUsers: (message, context) => search(deps, message, context),
  } satisfies Partial<ServiceImpl<typeof ProfileService>>;
}

async function inspect(deps: ServiceDeps, message: InspectUsersRequest) {
  const request = readOf(message);
  const { currencyRates, sidesOf } = message;
  const { users, waiting, behind } = await inspectUsers(deps, { ...request, sidesOf, user: userKeyToRead(message.user) });
  const shown = await renderUsers(deps, users.map(({ profile }) => profile), { ...request, currencyRates, waiting });
  return {
    users: users.map(({ profile, blocked, fields, merges, undone, days, dropped }, at) => ({
      userId: profile.id,
      profileJson: toJsonBytes(shown.users[at] ?? {}),
      fields: fields.map(({ name, custom, origin }) => ({ name, custom, ...(origin && { origin: originToMessage(origin) }) })),
      merges: merges.map(({ mergeId, sourceId, at, origin, undo, sides }) => ({
        mergeId,
        sourceId,
        at: BigInt(at),
        origin: originToMessage(origin),
        ...(undo && { jobId: undo.jobId, index: undo.index, undoUntil: BigInt(undo.undoUntil), blocked: undo.blocked ?? "" }),
        ...(sides && {
          sourceJson: toJsonBytes(renderProfile(sides.source, { currencyRates })),
          targetJson: toJsonBytes(renderProfile(sides.targetBefore, { currencyRates })),
        }),
      })),
      undone: undone.map(({ mergeId, otherId, wasSource, at, origin }) => {
        return { mergeId, otherId, wasSource, at: BigInt(at), origin: originToMessage(origin) };
      }),
      days: days.map(({ day, events, purchases }) => ({ day, events: BigInt(events), purchases: BigInt(purchases) })),
      createdAt: BigInt(profile.createdAt),
      updatedAt: BigInt(profile.updatedAt),
      held: blocked,
      ...(dropped && { dropped: { count: BigInt(dropped.count), last: originToMessage(dropped.origin) } }),
    })),
    behind: behind || shown.behind,
  };
}

function originToMessage({ sequence, requestId = "", actor = "", receivedAt = 0, what }: Origin) {
  return { sequence: BigInt(sequence), requestId, actor, receivedAt: BigInt(receivedAt), what: what ?? "" };
}

/** In pages; the token is the last id of the page before. */
async function list(deps: ServiceDeps, message: ListUsersRequest, { signal }: Pick<HandlerContext, "signal">) {
  const { pageSize, pageToken, currencyRates, userIds } = message;
  const request = { ...readOf(message), signal };
  const page = {
    list: lists.get(message.list) ?? ("all" as const),
    after: idFromToken(pageToken),
    size: pageSize,
    ids: userIds.map((id) => isPlatformId(id) ? id : noUserId),
  };
  const { profiles, next } = await listUsers(deps, { ...request, ...page });
  signal.throwIfAborted();
  const { users } = await renderUsers(deps, profiles, { ...request, currencyRates });
  const usersJson = users.map(toJsonBytes);
  const isPaged = page.list !== "changed" && page.ids.length === 0;
  // What does not fit into a message is of the page behind
  const [fitting = []] = slicesBySize(usersJson, (json) => json.byteLength, { bytesMax: isPaged ? limits.usersPageBytesMax : Infinity });
  const following = fitting.length < usersJson.length ? profiles[fitting.length - 1]?.id : next;
  return {
    usersJson: fitting,
    updatedAt: profiles.slice(0, fitting.length).map(({ updatedAt }) => BigInt(updatedAt)),
    nextPageToken: following === undefined ? "" : Buffer.from(following, "hex").toString("base64url"),
  };
}

/** No user has it, and a store can look for it. */
const noUserId = "0".repeat(24);

const lists = namesOf(UserList);

function idFromToken(token: string): string {
  if (token === "") return "";
  const id = Buffer.from(token, "base64url").toString("hex");
  if (!/^[0-9a-f]{24}$/.test(id)) throw new Refusal("INPUT_INVALID", "Expected the page token of an earlier page, got something else");
  return id;
}

/** The token is the last name of the page before. */
async function search(deps: ServiceDeps, message: SearchUsersRequest, { signal }: Pick<HandlerContext, "signal">) {
  const { prefix, aliasLabel, pageToken, pageSize: size } = message;
  const kind = kinds.get(message.kind);
  if (kind === undefined) throw new Refusal("INPUT_INVALID", "Expected a kind of name, got none");
  const after = pageToken === "" ? {} : { after: Buffer.from(pageToken, "base64url").toString() };
  const whole = kind === "a" ? `${aliasLabel}\u0000${prefix}` : prefix;
  const { names, next, behind } = await searchUsers(deps, { ...readOf(message), signal, kind, prefix: whole, ...after, size });
  return {
    names: names.map(({ name, profiles, count }) => ({
      name: kind === "a" ? name.slice(name.indexOf("\u0000") + 1) : name,
      usersJson: profiles.map((profile) => toJsonBytes(renderProfile(profile, { fields: shownInLists }))),
      count,
    })),
    nextPageToken: next === undefined ? "" : Buffer.from(next).toString("base64url"),
    behind,
  };
}

/** What identifies a person in a list. */
const shownInLists = [
  "created_at",
  "external_id",
  "user_aliases",
  "braze_id",
  "first_name",
  "last_name",
  "email",
  "phone",
  "custom_events",
  "purchases",
];

const kinds: ReadonlyMap<NameKindNumber, NameKind> = new Map([
  [NameKindNumber.EXTERNAL_ID, "x"],
  [NameKindNumber.ALIAS, "a"],
  [NameKindNumber.EMAIL, "e"],
  [NameKindNumber.PHONE, "p"],
]);
