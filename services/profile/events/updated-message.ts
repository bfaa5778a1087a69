/** heddle.profile.v1.ProfileUserUpdated in binary, as `toBinary` would write it: every change of a profile comes by here. */
import { fieldNumbers, MessageBytes } from "../../../platform/message-bytes.ts";
import { ChangePlaceSchema, ProfileUserUpdatedSchema, UpdatedUserSchema } from "../../../proto/gen/heddle/profile/v1/profile_event_pb.ts";
import type { RecordId } from "../../../platform/age.ts";
import type { UserId } from "../domain/record/user-key.ts";
import type { ChangedNames } from "./changed-names.ts";

export interface UpdatedUser {
  readonly userId: UserId;
  /** Of the last record. */
  mark: RecordId;
  externalId: string;
  readonly names: Pick<ChangedNames, "fields" | "customAttributes" | "customEvents" | "products" | "more">;
}

export function updatedMessage(eventId: string, workspaceId: string, users: Iterable<UpdatedUser>): Uint8Array {
  event.clear();
  event.string(inEvent.eventId, eventId);
  event.string(inEvent.workspaceId, workspaceId);
  for (const one of users) {
    writeUser(one);
    event.message(inEvent.users, user);
  }
  return event.take();
}

function writeUser({ userId, mark, externalId, names }: UpdatedUser): void {
  user.clear();
  user.string(inUser.userId, userId);
  place.clear();
  place.number(inPlace.sequence, mark[0]);
  place.number(inPlace.part, mark[1]);
  user.message(inUser.place, place);
  user.string(inUser.externalId, externalId);
  for (const name of names.fields) user.listed(inUser.fields, name);
  for (const name of names.customAttributes) user.listed(inUser.customAttributes, name);
  for (const name of names.customEvents) user.listed(inUser.customEvents, name);
  for (const name of names.products) user.listed(inUser.products, name);
  user.number(inUser.more, names.more ? 1 : 0);
}

const event = new MessageBytes();
const user = new MessageBytes();
const place = new MessageBytes();
const inEvent = fieldNumbers(ProfileUserUpdatedSchema);
const inUser = fieldNumbers(UpdatedUserSchema);
const inPlace = fieldNumbers(ChangePlaceSchema);
