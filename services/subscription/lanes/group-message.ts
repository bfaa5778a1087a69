/** What is asked of the groups of a workspace, as intake log and lane carry it: GroupChange <-> heddle.lane.v1.ChangeGroups. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ChangeGroups, ChangeGroupsSchema, DeclaredGroup } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import { type Channel, channels, type Group } from "../domain/group.ts";
import type { GroupChange } from "../domain/group-order.ts";

export function groupChangeToMessage(change: GroupChange): MessageInitShape<typeof ChangeGroupsSchema> {
  switch (change.type) {
    case "declare": {
      const { groups, prune } = change;
      return { change: { case: "declare", value: { groups: groups.map((group) => ({ ...group })), prune } } };
    }
    case "create":
      return { change: { case: "create", value: { ...change.group } } };
    case "archive":
      return { change: { case: "archive", value: change.id } };
  }
}

/** Throws on a change that no version of a writer sends. */
export function groupChangeFromMessage({ change }: ChangeGroups): GroupChange {
  switch (change.case) {
    case "declare":
      return { type: "declare", groups: change.value.groups.map(groupFromMessage), prune: change.value.prune };
    case "create":
      return { type: "create", group: groupFromMessage(change.value) };
    case "archive":
      return { type: "archive", id: change.value };
    case undefined:
      throw new Error("Expected a change of subscription groups, got none");
  }
}

function groupFromMessage({ id, name, channel }: DeclaredGroup): Omit<Group, "archived"> {
  if (!isChannel(channel)) throw new Error(`Expected one of ${channels.join(", ")}, got another channel`);
  return { id, name, channel };
}

function isChannel(text: string): text is Channel {
  return (channels as readonly string[]).includes(text);
}
