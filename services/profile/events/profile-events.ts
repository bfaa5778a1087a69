/** The heddle.profile.v1 events of applied records: the same whichever applier applies them and however often. */
import { create, type DescMessage, getOption, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { PublishedEvent } from "../../../platform/events/events.ts";
import { sha256Hex } from "../../../platform/identifier.ts";
import { limits } from "../../../platform/limits.ts";
import { slicesOf } from "../../../platform/slices-by-size.ts";
import { subject as subjectOption } from "../../../proto/gen/heddle/event/v1/event_pb.ts";
import type { GoneNamesSchema } from "../../../proto/gen/heddle/profile/v1/profile_event_pb.ts";
import {
  ProfileUserDeletedSchema,
  ProfileUserMergedSchema,
  ProfileUserUnmergedSchema,
  ProfileUserUpdatedSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_event_pb.ts";
import { isAfter, type RecordId } from "../../../platform/age.ts";
import type { GoneNames } from "../domain/identity/event-names.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";
import type { UserId } from "../domain/record/user-key.ts";
import { ChangedNames } from "./changed-names.ts";
import { updatedMessage, type UpdatedUser } from "./updated-message.ts";

/**
 * Events of records of one workspace, in an order that keeps that of each user: each merge, undo and delete, and behind them who was updated, at the last
 * place of each, in one event while that is at most `eventBytesMax`. A user who is deleted or merged away by the records is not reported as updated.
 */
export function eventsOf(workspaceId: string, records: readonly ProfileRecord[]): PublishedEvent[] {
  const updated = new Map<UserId, Updated>();
  const single: PublishedEvent[] = [];
  for (const record of records) {
    const event = eventOf(workspaceId, record);
    if (event !== undefined) single.push(event);
    if (endsUser(record)) updated.delete(record.userId);
    else if (!isOfMergeAlone(record)) addTo(updated, record);
  }
  return [...single, ...updatedOf(workspaceId, updated)];
}

type Updated = UpdatedUser & { readonly names: ChangedNames };

function addTo(updated: Map<UserId, Updated>, { userId, mark, change, externalId = "" }: ProfileRecord): void {
  const known = updated.get(userId);
  if (known === undefined) {
    const names = new ChangedNames();
    names.add(change);
    updated.set(userId, { userId, mark, externalId, names });
    return;
  }
  known.names.add(change);
  if (!isAfter(mark, known.mark)) return;
  known.mark = mark;
  known.externalId = externalId;
}

function endsUser({ change }: ProfileRecord): boolean {
  return change.type === "delete" || change.type === "handoff";
}

/** Only in lanes: a user who comes back is reported by the undo and by its names, and what is forgotten is no change. */
function isOfMergeAlone({ change }: ProfileRecord): boolean {
  return change.type === "restore" || change.type === "forget";
}

/** In one event, or in as many as its size asks for. */
function updatedOf(workspaceId: string, users: ReadonlyMap<UserId, Updated>): PublishedEvent[] {
  if (users.size === 0) return [];
  const eventId = updatedId(workspaceId, users);
  const body = updatedMessage(eventId, workspaceId, users.values());
  if (body.byteLength <= limits.eventBytesMax || users.size === 1) {
    const [only = ""] = users.keys();
    // Of several users there is nothing to keep in order but what is of the workspace
    const key = users.size === 1 ? only : workspaceId;
    return [{ subject: subjectOf(ProfileUserUpdatedSchema), scope: workspaceId, eventId, key, body }];
  }
  const size = Math.ceil(users.size / Math.ceil(body.byteLength / limits.eventBytesMax + 1));
  return slicesOf([...users], size).flatMap((some) => updatedOf(workspaceId, new Map(some)));
}

/** The last place, then a hash of users and marks. */
function updatedId(workspaceId: string, users: ReadonlyMap<UserId, Updated>): string {
  let last = 0;
  for (const { mark: [sequence] } of users.values()) last = Math.max(last, sequence);
  const places = Array.from(users, ([userId, { mark }]) => [userId, mark]);
  const digest = sha256Hex(JSON.stringify([workspaceId, ...places])).slice(0, digestChars);
  return `${last.toString(16).padStart(placeChars, "0")}${digest}`;
}

function eventOf(workspaceId: string, { userId, mark, now, change, externalId = "" }: ProfileRecord): PublishedEvent | undefined {
  const where = { workspaceId, place: placeOf(mark) };
  switch (change.type) {
    case "await": {
      const eventId = `merged-${change.mergeId}`;
      const merge = { mergeId: change.mergeId, sourceUserId: change.sourceId, targetUserId: userId, mergedAt: BigInt(now) };
      const names = { targetExternalId: externalId, ...goneOf(change.gone) };
      return published(ProfileUserMergedSchema, { workspaceId, eventId, key: userId }, { eventId, ...where, ...merge, ...names });
    }
    case "undo": {
      const eventId = `unmerged-${change.mergeId}`;
      const merge = { mergeId: change.mergeId, sourceUserId: change.sourceId, targetUserId: userId, unmergedAt: BigInt(now) };
      const names = { targetExternalId: externalId, sourceExternalId: change.sourceExternalId ?? "" };
      return published(ProfileUserUnmergedSchema, { workspaceId, eventId, key: userId }, { eventId, ...where, ...merge, ...names });
    }
    case "delete": {
      const eventId = `deleted-${userId}`;
      return published(ProfileUserDeletedSchema, { workspaceId, eventId, key: userId }, {
        eventId,
        ...where,
        userId,
        deletedAt: BigInt(now),
        ...goneOf(change.gone),
      });
    }
    default:
      return undefined;
  }
}

/** Nothing where an earlier build wrote the record. */
function goneOf(gone: GoneNames | undefined): { gone?: MessageInitShape<typeof GoneNamesSchema> } {
  if (gone === undefined) return {};
  const { externalIds = [], emails = [], phones = [], aliases = [], more = false } = gone;
  return { gone: { externalIds: [...externalIds], emails: [...emails], phones: [...phones], aliases: [...aliases], more } };
}

function published<Schema extends DescMessage>(
  schema: Schema,
  { workspaceId, eventId, key }: { readonly workspaceId: string; readonly eventId: string; readonly key: string },
  value: MessageInitShape<Schema>,
): PublishedEvent {
  return { subject: subjectOf(schema), scope: workspaceId, eventId, key, body: toBinary(schema, create(schema, value)) };
}

/** Read once: getOption() takes the option out of its bytes at every call, which costs more than the event. */
function subjectOf(schema: DescMessage): string {
  const known = subjects.get(schema);
  if (known !== undefined) return known;
  const read = getOption(schema, subjectOption);
  subjects.set(schema, read);
  return read;
}

const subjects = new Map<DescMessage, string>();

function placeOf([sequence, part]: RecordId): { sequence: bigint; part: number } {
  return { sequence: BigInt(sequence), part };
}

/** Hex digits of a sequence, which is below 2^53. */
const placeChars = 14;
/** Hex digits of the hash that stand in the id of an event. */
const digestChars = 24;
