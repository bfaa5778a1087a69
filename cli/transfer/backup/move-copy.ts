/** The copying between two sides of a move: service by service, a piece at a time. */
import type { MoveChoice } from "./move-choice.ts";
import { copyLinkKeys } from "./move-link-keys.ts";
import type { MoveProgress } from "./move-progress.ts";
import type { MoveSide } from "./move-sides.ts";

export interface MovePlan {
  readonly choice: MoveChoice;
  /** The log of the side that takes it goes on above. */
  readonly through: number;
  readonly progress: MoveProgress;
}

/** Everything that was chosen. A copy that stopped half way can be made again from its beginning. Answers with the keys of links that were left out, in words. */
export async function copyMoved(from: MoveSide, to: MoveSide, { choice, through, progress }: MovePlan): Promise<string[]> {
  const { workspaceIds, companyIds } = choice;
  const statusKeys = { from: from.statuses.linkKeys, to: to.statuses.linkKeys };
  const statusKeysLeft = await copyLinkKeys(statusKeys, choice, {
    what: "unsubscribe links",
    keyspace: "HEDDLE_MESSAGING_STATUS_KEYSPACE",
  });
  const pageKeys = { from: from.content.linkKeys, to: to.content.linkKeys };
  const pageKeysLeft = await copyLinkKeys(pageKeys, choice, { what: "page links", keyspace: "HEDDLE_CONTENT_KEYSPACE" });
  await copyUsers(from, to, { choice, through, progress });
  progress.begin("states of subscription groups");
  for await (const rows of from.memberships.read(workspaceIds)) {
    await to.memberships.write(rows);
    progress.moved(rows.states.size);
  }
  progress.begin("states of addresses");
  for await (const rows of from.statuses.read(workspaceIds)) {
    await to.statuses.write(rows);
    progress.moved(rows.states.size);
  }
  progress.begin("dashboard users");
  for await (const rows of from.dashboardUsers.read(companyIds)) {
    await to.dashboardUsers.write(rows);
    progress.moved(rows.writes.filter(({ key: { kind } }) => kind === "id").length);
  }
  progress.begin("versions of preference centers, and translations");
  for await (const rows of from.content.read(workspaceIds)) {
    await to.content.write(rows);
    progress.moved(rows.writes.filter(({ key: { kind } }) => kind === "version" || kind === "text").length);
  }
  return [...statusKeysLeft, ...pageKeysLeft];
}

async function copyUsers(from: MoveSide, to: MoveSide, { choice: { workspaceIds }, through, progress }: MovePlan): Promise<void> {
  progress.begin("users");
  for (const workspaceId of workspaceIds) {
    // Also for a workspace without users, so that the checkpoint is written
    await to.profiles.write({ workspaceId }, through);
    const groups = await from.memberships.groups(workspaceId);
    if (groups.length > 0) await to.memberships.bringGroups(workspaceId, groups, through);
  }
  for await (const rows of from.profiles.read(workspaceIds)) {
    await to.profiles.write(rows, through);
    progress.moved(rows.users?.length ?? 0);
  }
}
