/** The copying between two sides of a move: service by service, a piece at a time. */
import type { MoveChoice } from "./move-choice.ts";
import type { MoveProgress } from "./move-progress.ts";
import type { MoveSide } from "./move-sides.ts";
import { CommandError } from "./output.ts";

export interface MovePlan {
  readonly choice: MoveChoice;
  /** The log of the side that takes it goes on above. */
  readonly through: number;
  readonly progress: MoveProgress;
}

/** Everything that was chosen. A copy that stopped half way can be made again from its beginning. */
export async function copyMoved(from: MoveSide, to: MoveSide, { choice, through, progress }: MovePlan): Promise<void> {
  const { workspaceIds, companyIds } = choice;
  await copyLinkKeys(from.statuses.linkKeys, to.statuses.linkKeys, {
    what: "unsubscribe links",
    keyspace: "HEDDLE_MESSAGING_STATUS_KEYSPACE",
  });
  await copyLinkKeys(from.content.linkKeys, to.content.linkKeys, { what: "page links", keyspace: "HEDDLE_CONTENT_KEYSPACE" });
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
    progress.moved(rows.users?.length ?? 0);
  }
  progress.begin("versions of preference centers, and translations");
  for await (const rows of from.content.read(workspaceIds)) {
    await to.content.write(rows);
    progress.moved((rows.center?.versions.length ?? 0) + (rows.texts ? 1 : 0));
  }
}

async function copyUsers(from: MoveSide, to: MoveSide, { choice: { workspaceIds }, through, progress }: MovePlan): Promise<void> {
  progress.begin("users");
  for (const workspaceId of workspaceIds) {
    // Also where there is nobody yet, so that it is said how far the log is applied
    await to.profiles.write({ workspaceId }, through);
    const groups = await from.memberships.groups(workspaceId);
    if (groups.length > 0) await to.memberships.bringGroups(workspaceId, groups, through);
  }
  for await (const rows of from.profiles.read(workspaceIds)) {
    await to.profiles.write(rows, through);
    progress.moved(rows.users?.length ?? 0);
  }
}

type LinkKeys = MoveSide["statuses"]["linkKeys"];

/** Links that were sent stay good: keys keep their numbers, which links name. */
async function copyLinkKeys(from: LinkKeys, to: LinkKeys, { what, keyspace }: { what: string; keyspace: string }): Promise<void> {
  const keys = (await from.all()).toReversed();
  const there = (await to.all()).toReversed();
  for (const [at, key] of keys.entries()) {
    const known = there[at];
    if (known === undefined) await to.add(() => key, { unlessAny: false });
    else if (known.id !== key.id || !Buffer.from(known.bytes).equals(key.bytes)) {
      throw new CommandError(`There are other keys of ${what} already: name another ${keyspace}`);
    }
  }
}
