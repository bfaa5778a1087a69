/** RPC InspectUsers. */
import { create } from "@bufbuild/protobuf";
import {
  type InspectUsersRequest,
  type InspectUsersResponse,
  InspectUsersResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ReadParts } from "../domain/catch-up.ts";
import { type EmailStatuses, statusesOf, statusOf } from "../domain/email-statuses.ts";
import { inspectUsers, type Origin } from "../domain/inspect-users.ts";
import { renderProfile } from "../domain/render-profile.ts";
import { userKeyFromMessage } from "../intake/user-key-message.ts";
import { toJsonBytes } from "./json-bytes.ts";
import { readOf } from "./request.ts";

export async function handleInspectUsers(
  parts: ReadParts & { readonly emailStatuses: EmailStatuses },
  message: InspectUsersRequest,
): Promise<InspectUsersResponse> {
  const request = readOf(message);
  const { currencyRates, sidesOf } = message;
  const { users, waiting, behind } = await inspectUsers(parts, { ...request, sidesOf, user: userKeyFromMessage(message.user) });
  const statuses = await statusesOf(parts, users.map(({ profile }) => profile), { ...request, waiting });
  return create(InspectUsersResponseSchema, {
    users: users.map(({ profile, held, fields, merges, undone, days, dropped }) => ({
      userId: profile.id,
      profileJson: toJsonBytes(renderProfile(profile, { currencyRates, ...statusOf(statuses, profile) })),
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
      held,
      ...(dropped && { dropped: { count: BigInt(dropped.count), last: originToMessage(dropped.origin) } }),
    })),
    behind: behind || statuses.behind,
  });
}

function originToMessage({ sequence, requestId = "", actor = "", receivedAt = 0, what }: Origin) {
  return { sequence: BigInt(sequence), requestId, actor, receivedAt: BigInt(receivedAt), what: what ?? "" };
}
