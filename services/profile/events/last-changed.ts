/** Which users were changed last, read from the events of the workspace: nothing else is kept in that order. */
import { fromBinary } from "@bufbuild/protobuf";
import type { Events } from "../../../platform/events/events.ts";
import { limits } from "../../../platform/limits.ts";
import { ProfileUserUpdatedSchema } from "../../../proto/gen/heddle/profile/v1/profile_event_pb.ts";
import type { LastChanged } from "../domain/ports.ts";
import type { UserId } from "../domain/record/user-key.ts";

export function lastChangedOf(events: Pick<Events, "readLast">): LastChanged {
  return async (workspaceId, max) => {
    const found = new Set<UserId>();
    const newest = await events.readLast({ subject: "profile.user.updated.v1", scope: workspaceId }, limits.changedEventsMax);
    for (const { body } of newest) {
      for (const { userId } of fromBinary(ProfileUserUpdatedSchema, body).users.toReversed()) {
        if (found.size < max) found.add(userId);
      }
    }
    return [...found];
  };
}
